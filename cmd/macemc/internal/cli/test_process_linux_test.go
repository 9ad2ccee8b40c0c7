package cli

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/explorer"
)

// Signals that a test sends to its own process, memory that it maps, and what ends the process belong to a run.
func TestTest_Process(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the standard library the first time")
	}
	leanBuilds(t)
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/process")); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	out, status := testCommand(t.Context(), "-count=1", "-schedules=300", "-v", ".")
	if status != 1 {
		t.Errorf("status %d", status)
	}
	for _, want := range []string{
		`--- PASS: TestMapped`,
		`PANIC: fatal error: fault\n      process_test.go:\d+  load\n      process_test.go:\d+  TestFault\n`,
		`--- PASS: TestRecovered`,
		`--- PASS: TestSleeps`,
		`EXIT: os.Exit\(3\) was called\n      process_test.go:\d+  TestExit\n`,
		`--- PASS: TestNotify`,
		`--- PASS: TestDelivered`,
		`--- PASS: TestStopWaits`,
		`--- PASS: TestOfPackage`,
		`--- PASS: TestContext`,
		`FAILED TEST: signals_test.go:\d+: 2 signals\n(?:      .*\n)*    found by schedule [2-9]`,
		`started by os/signal.raise, called at signals_test.go:20\n`,
		`EXIT: SIGTERM ended the process, which does not handle it\n      signals_test.go:20  send\n`,
		`EXIT: SIGKILL ended the process\n      signals_test.go:\d+  TestKill\n`,
		`TestOther: not explored: it sends a signal to another process\n`,
	} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("%s is missing", want)
		}
	}
	if n := strings.Count(out, "--- FAIL"); n != 5 || strings.Count(out, "replay: ") != n {
		t.Errorf("%d tests failed, want 5 with a schedule each", n)
	}
	if t.Failed() {
		t.Log(out)
	}
	replay := []string{"-count=1", "-run=^TestFault$", "-schedule=testdata/macemc/TestFault/panic-1.path", "."}
	testReports(t, []string{"PANIC: fatal error: fault\n", "replayed from "}, 1, replay...)
}

// A test whose process dies outside of its runs is explored again, with each schedule in a process of its own.
func TestTest_ProcessDies(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the standard library the first time")
	}
	leanBuilds(t)
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/process")); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	out, status := testCommand(t.Context(), "-count=1", "-schedules=100", "./dies")
	for _, want := range []string{
		`macemc: a process died \(exit status 2\) while it explored TestRequests of example.org/process/dies; `,
		`--- FAIL: TestRequests .*\n    macemc: PANIC: request 1 comes first\n      dies_test.go:14  init.0.func1\n    found by schedule \d+ in a new process; 1 (switch|pause) `,
		`replay: macemc test -run '\^TestRequests\$' -schedule dies/testdata/macemc/TestRequests/panic-1.path example.org/process/dies\n`,
	} {
		if status != 1 || !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("status %d, %s is missing:\n%s", status, want, out)
		}
	}
	if strings.Contains(out, explorer.EndedEarly) {
		t.Errorf("%q was examined:\n%s", explorer.EndedEarly, out)
	}
	out, _ = testCommand(t.Context(), "-count=1", "-json", "./dies")
	if !regexp.MustCompile(`"Action":"fail","Package":"example.org/process/dies","Test":"TestRequests"`).MatchString(out) {
		t.Errorf("no event of the failure:\n%s", out)
	}
	const file = "dies/testdata/macemc/TestRequests/panic-1.path"
	testReports(t, []string{"panic: request 1 comes first\n"}, 1, "-count=1", "-run=^TestRequests$", "-schedule="+file, "./dies")
	if out, status := commandHere(t.Context(), "graph", file); status == 0 || !strings.Contains(out, "the process of the test dies under this schedule") {
		t.Errorf("graph: status %d:\n%s", status, out)
	}
}

// A program of -exec that hides a test from its explorer makes nobody believe that it was explored. The result is not cached.
func TestTest_ProcessUnconnected(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the standard library the first time")
	}
	leanBuilds(t)
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/process")); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	for range 2 {
		testReports(t, []string{"/dies are not explored: the program of -exec closes descriptor "}, 0, "-exec=env -i", "-run=^$", "./dies")
	}
}
