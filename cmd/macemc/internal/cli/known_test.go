package cli

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
)

// A test with a known finding is skipped, also if the stored schedule is executed first. Its other findings are new. The lines that the
// reports suggest make findings known, for every seed.
func TestTest_Known(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the standard library the first time")
	}
	testFile(t, `package x

import (
	"sync"
	"testing"
)

func TestLocks(t *testing.T) {
	var a, b sync.Mutex
	var wg sync.WaitGroup
	wg.Go(func() { a.Lock(); b.Lock(); b.Unlock(); a.Unlock() })
	wg.Go(func() { b.Lock(); a.Lock(); a.Unlock(); b.Unlock() })
	wg.Wait()
}

func TestFails(t *testing.T) {
	c := make(chan int, 2)
	go func() { c <- 1 }()
	go func() { c <- 2 }()
	if n := <-c; n == 2 {
		t.Errorf("got %d", n)
	}
}

func TestPasses(t *testing.T) {}
`)
	list := func(text string) {
		t.Helper()
		if err := os.WriteFile("known", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := func(want int, args ...string) string {
		t.Helper()
		out, status := testCommand(t.Context(), append(args, "-known", "known", ".")...)
		if status != want {
			t.Fatalf("%q: status %d, want %d:\n%s", args, status, want, out)
		}
		return out
	}
	expect := func(out string, wants ...string) {
		t.Helper()
		for _, want := range wants {
			if !strings.Contains(out, want) {
				t.Errorf("%q is missing in\n%s", want, out)
			}
		}
	}
	if out, status := testCommand(t.Context(), "-known", "known", "."); status != 2 || !strings.Contains(out, "known: no such file") {
		t.Errorf("without the file: status %d, %s", status, out)
	}
	list("")
	out := run(1)
	suggested := regexp.MustCompile(`(?m)new; this line in known makes it known:\n +(\d{4}-\d\d-\d\d .*)$`).FindAllStringSubmatch(out, -1)
	expect(out, "macemc: known: 0 known findings, 0 fixed or not reached\n")
	if len(suggested) != 2 {
		t.Fatalf("suggested lines %q in\n%s", suggested, out)
	}
	locks, fails := suggested[0][1], suggested[1][1]
	expect(locks, " example.org/x TestLocks: deadlock in TestLocks.func1, TestLocks.func2")
	expect(fails, " example.org/x TestFails: failed test in x_test.go: got N")

	list(locks + "\n" + fails + "\nexample.org/x TestPasses: panic in f\n")
	for _, args := range [][]string{{}, {"-explore-seed=7"}, {"-exhaustive"}, {"-explore-seed=8", "-v"}} {
		out = run(0, args...)
		expect(out, "macemc: known: "+locks+"\n", "macemc: known: "+fails+"\n", "macemc: fixed, or not reached: example.org/x TestPasses: panic in f\n",
			"macemc: known: 2 known findings, 1 fixed or not reached\n")
		if strings.Contains(out, "no finding") && len(args) < 2 {
			t.Errorf("%q: a finding is hidden:\n%s", args, out)
		}
	}
	expect(out, "--- SKIP: TestLocks", "macemc: known: DEADLOCK: ", "no new finding", "--- PASS: TestPasses")
	if out := run(0); !strings.Contains(out, "(cached)") && !strings.Contains(run(0), "(cached)") {
		t.Errorf("the result is not cached:\n%s", out)
	}
	list(fails + "\n")
	expect(run(1), "--- FAIL: TestLocks", "macemc: known: 1 known finding, 0 fixed or not reached\n") // the list is part of the cache's key
	list(locks + "\n" + fails + "\n")

	// Standard output has only events with -json.
	out = run(0, "-json")
	skipped, last := 0, ""
	for line := range strings.Lines(out) {
		var e struct{ Action, Test string }
		if json.Unmarshal([]byte(line), &e) == nil && e.Action == "skip" && e.Test != "" {
			skipped++
		}
		last = line
	}
	if skipped != 2 || last != "macemc: known: 2 known findings, 0 fixed or not reached\n" {
		t.Errorf("%d tests are skipped, the last line is %q", skipped, last)
	}
}

// A search fails only on violations that the list lacks.
func TestSearch_Known(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	t.Chdir(t.TempDir())
	if err := os.WriteFile("known", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	search := func(want int, args ...string) string {
		t.Helper()
		out, errs, status := run(t, append([]string{"search", "pingack", "--strategy", "faulty", "--walks", "50", "--max-paths", "8", "--known", "known"}, args...)...)
		if status != want {
			t.Fatalf("status %d, want %d:\n%s%s", status, want, out, errs)
		}
		return out
	}
	out := search(1)
	line := regexp.MustCompile(`new; this line in known makes it known:\n +(\d{4}-\d\d-\d\d .*)\n`).FindStringSubmatch(out)
	if line == nil || !strings.HasSuffix(out, "\nknown: 1 new, 0 known, 0 fixed or not reached\n") {
		t.Fatalf("no line is suggested:\n%s", out)
	}
	if err := os.WriteFile("known", []byte(line[1]+"\npingack: panic in node.Receive\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, seed := range []string{"1", "2", "3"} {
		out = search(0, "--seed", seed)
		if !strings.Contains(out, "nothing new found") || !strings.HasSuffix(out, "\nknown: 0 new, 1 known, 1 fixed or not reached\n") {
			t.Errorf("seed %s:\n%s", seed, out)
		}
	}
	for format, wants := range map[string][]string{
		"--junit": {`failures="0"`, `<skipped message="known violation (first seen `},
		"--sarif": {`"baselineState": "unchanged"`, `"baselineState": "absent"`, `"uri": "known"`, `"startLine": 2`},
		"--json":  {`"verdict": "ok"`, `"identity": "pingack: liveness`, `"absent": [`},
	} {
		args := []string{format, "-"}
		if format == "--json" {
			args = args[:1]
		}
		out := search(0, args...)
		for _, want := range wants {
			if !strings.Contains(out, want) {
				t.Errorf("%s: %q is missing in\n%s", format, want, out)
			}
		}
	}
	if _, errs, status := run(t, "search", "pingack", "--known", "absent"); status != 2 || !strings.Contains(errs, "--known: open absent") {
		t.Errorf("status %d: %s", status, errs)
	}
}
