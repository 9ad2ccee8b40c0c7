package cli

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// closesTwice closes a channel twice in some schedules.
const closesTwice = `
func twice() {
	done := make(chan bool)
	stop := func() {
		select {
		case <-done:
		default:
			close(done)
		}
	}
	var wg sync.WaitGroup
	wg.Go(stop)
	wg.Go(stop)
	wg.Wait()
}
`

// Tests of packages p and p_test with one name are two tests: each has its findings, its schedules, and its lines in summaries.
func TestTest_SameNames(t *testing.T) {
	const twice = `
import (
	"fmt"
	"sync"
	"testing"
)
` + closesTwice + "\n"
	testFile(t, "package x\n"+twice+`
func TestBoth(t *testing.T) { twice() }

func TestInside(t *testing.T) { twice() }

func TestOutside(t *testing.T) {}

func ExampleOutside() {
	fmt.Println(1)
	// Output: 1
}

func FuzzOutside(f *testing.F) {
	f.Add(1)
	f.Fuzz(func(t *testing.T, n int) {})
}
`)
	outside := "package x_test\n" + twice + `
func TestBoth(t *testing.T) { twice() }

func TestInside(t *testing.T) {}

func TestOutside(t *testing.T) { twice() }

func TestOnly(t *testing.T) { twice() }

func ExampleOutside() {
	twice()
	fmt.Println(1)
	// Output: 1
}

func FuzzOutside(f *testing.F) {
	f.Add(1)
	f.Fuzz(func(t *testing.T, n int) { twice() })
}
`
	if err := os.WriteFile("outside_test.go", []byte(outside), 0o600); err != nil {
		t.Fatal(err)
	}
	out, status := testCommand(t.Context(), "-schedules=40", ".")
	if n := strings.Count(out, "macemc: PANIC: close of closed channel"); status != 1 || n != 7 {
		t.Fatalf("status %d, %d findings, want 7:\n%s", status, n, out)
	}
	for file, external := range map[string]bool{
		"TestBoth/panic-1": false, "TestBoth/panic-2": true, "TestInside/panic-1": false, "TestOutside/panic-1": true,
		"TestOnly/panic-1": true, "ExampleOutside/panic-1": true, "FuzzOutside/seed#0/panic-1": true,
	} {
		file = "testdata/macemc/" + file + ".path"
		text, err := os.ReadFile(file)
		if err != nil || strings.Contains(string(text), "\nexternal true\n") != external {
			t.Errorf("%s: %v, package x_test must be %t:\n%s", file, err, external, text)
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(file, "testdata/macemc/"), "/panic")
		pattern := "^" + strings.ReplaceAll(name, "/", "$/^") + "$"
		if out, status := testCommand(t.Context(), "-run", pattern, "-schedule="+file, "."); status != 1 || strings.Count(out, "replayed from") != 1 {
			t.Errorf("%s: status %d:\n%s", file, status, out)
		}
	}
	if out, status := commandHere(t.Context(), "mdb", "testdata/macemc/TestOutside/panic-1.path", "--batch", "-x", "end"); status != 0 || !strings.Contains(out, "close of closed channel") {
		t.Errorf("status %d:\n%s", status, out)
	}

	// Known findings count for the test that they belong to.
	for _, file := range []string{"TestBoth/panic-2", "TestOutside/panic-1"} {
		file = "testdata/macemc/" + file + ".path"
		text, err := os.ReadFile(file)
		if err == nil {
			err = os.WriteFile(file, []byte(strings.Replace(string(text), "\n", "\nknown https://example.org/1\n", 1)), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	out, status = testCommand(t.Context(), "-run=Test", "-schedules=40", ".")
	if status != 1 || strings.Count(out, "--- FAIL") != 3 {
		t.Errorf("status %d:\n%s", status, out)
	}
	for _, name := range []string{"TestBoth (x_test)", "TestOutside (x_test)"} {
		expect(t, out, regexp.QuoteMeta("macemc: example.org/x "+name+": known: PANIC"))
	}
	expect(t, out, "macemc: 3 new, 2 known, 0 fixed")
}
