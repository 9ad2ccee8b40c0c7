package cli

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// Flags of go test work as there. The output differs in what it says about schedules, and in times.
func TestTest_FlagsOfGoTest(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles 16 test binaries")
	}
	testFile(t, `package x

import (
	"flag"
	"fmt"
	"os"
	"testing"
)

var own = flag.String("own", "", "")

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(m.Run())
}

func TestPass(t *testing.T) { t.Log("own is", *own) }

func TestTable(t *testing.T) {
	t.Log("begins")
	for _, name := range []string{"one", "two", "three"} {
		t.Run(name, func(t *testing.T) {
			t.Log("it is", name)
			if name == "two" && os.Getenv("BROKEN") != "" {
				t.Error("wrong\nin two lines")
			}
		})
	}
}

func TestSkipped(t *testing.T) {
	if testing.Short() {
		t.Skip("short")
	}
	fmt.Println("printed")
}

func FuzzX(f *testing.F) {
	f.Add(1)
	f.Fuzz(func(*testing.T, int) {})
}

func BenchmarkX(b *testing.B) {
	for b.Loop() {
	}
}

func Example() {
	fmt.Println("hello")
	// Output: hello
}

func Example_order() {
	done := make(chan bool)
	for _, n := range []string{"a", "b"} {
		go func() { fmt.Println(n); done <- true }()
	}
	<-done
	<-done
	// Unordered output:
	// b
	// a
}
`)
	own := regexp.MustCompile(`(?m)^.*(=== NAME|macemc: |found by |replay: macemc|debug:  macemc|graph:  macemc).*\n|\t[\d,]+ schedules? of .*$|\\t[\d,]+ schedules? of [^\\]*`)
	times := regexp.MustCompile(`[\d.]+(s|s\)| ns/op)(\\n"})?$|"(Time|Elapsed)":[^,}]*|\([\d.]+s\)|/b\d+/x\.test|/go-build\d+|^Benchmark.*`)
	normal := func(out string) string {
		lines := strings.Split(own.ReplaceAllString(out, ""), "\n")
		for i := range lines {
			lines[i] = times.ReplaceAllString(lines[i], "")
		}
		return strings.Join(lines, "\n")
	}
	for _, c := range []struct{ broken, args string }{
		{"", ""}, {"", "-run TestTable/two -json"}, {"", "-skip TestTable -v -short -own=mine -shuffle 7"}, {"", "-list ."},
		{"", "-count=2 -v -fullpath -bench . -benchtime 1x -cpu 1,2"}, {"", "-coverprofile=cover.out -vet=printf -run Pass"}, {"1", "-json"}, {"1", "-failfast -v"},
	} {
		t.Setenv("BROKEN", c.broken)
		args := append([]string{"-count=1"}, strings.Fields(c.args)...)
		want, err := exec.Command("go", append([]string{"test"}, args...)...).CombinedOutput()
		wantStatus := 0
		if err != nil {
			wantStatus = 1
		}
		if out, status := testCommand(t.Context(), append(args, "-schedules=3")...); status != wantStatus || normal(out) != normal(string(want)) {
			t.Errorf("BROKEN=%s go test %s: status %d, %d with macemc\n%s\n%s", c.broken, c.args, wantStatus, status, normal(string(want)), normal(out))
		}
	}
}
