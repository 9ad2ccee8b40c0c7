package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/task"
	"github.com/macemc/macemc/internal/test/golden"
)

// The debugger uses the live run and the critical step that are stored beside the file.
func TestMdbBatch(t *testing.T) {
	t.Chdir(t.TempDir())
	if _, stderr, status := run(t, "search", "pingack", "--out", "found", "--workers", "1", "--walks", "20", "--walk-steps", "250"); status != 1 {
		t.Fatalf("exit status %d: %s", status, stderr)
	}
	file := filepath.Join("found", "error.path")
	stdout, stderr, status := run(t, "mdb", file, "--batch", "-x", "critical; diff live", "-x", "properties")
	if status != 0 || stderr != "" {
		t.Errorf("exit status %d: %s", status, stderr)
	}
	for _, want := range []string{"CRITICAL", "is critical: not proven; after it 0 of 20 walks recovered, before it ", "| live after step", "eventually does not hold"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is missing in\n%s", want, stdout)
		}
	}
	// A branch is saved once, and can be opened.
	stdout, stderr, status = run(t, "mdb", file, "--batch", "-x", "2; take 0; search live; save live2.path; end")
	if status != 0 || !strings.Contains(stdout, "steps are in live2.path") {
		t.Fatalf("exit status %d: %s\n%s", status, stderr, stdout)
	}
	if _, stderr, status := run(t, "mdb", file, "live2.path", "--batch", "-x", "diff"); status != 0 {
		t.Errorf("exit status %d: %s", status, stderr)
	}
	before, err := os.ReadFile("live2.path")
	if err != nil {
		t.Fatal(err)
	}
	_, stderr, status = run(t, "mdb", file, "--batch", "-x", "save live2.path")
	if after, _ := os.ReadFile("live2.path"); status != 2 || !strings.Contains(stderr, "exists already") || !bytes.Equal(before, after) {
		t.Errorf("exit status %d: %s", status, stderr)
	}
	// A live run that cannot be used is mentioned. It is an error only where it is needed.
	if err := os.WriteFile(filepath.Join("found", "live.path"), []byte("macemc path 1\nsystem randtree\nnodes 3\nend 0\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, stderr, status = run(t, "mdb", file, "--batch", "-x", "next")
	if status != 0 || !strings.Contains(stderr, "no live run to compare with") {
		t.Errorf("exit status %d: %s", status, stderr)
	}
	_, stderr, status = run(t, "mdb", file, "--batch", "-x", "diff")
	if status != 2 || !strings.Contains(stderr, "there is no live run") {
		t.Errorf("exit status %d: %s", status, stderr)
	}
}

func TestMdbBadInput(t *testing.T) {
	file := testdata(t, "pingack.path")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name string, text string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return name
	}
	truncated := write("truncated.path", string(text[:len(text)-10]))
	version := write("version.path", strings.Replace(string(text), "macemc path 1", "macemc path 7", 1))
	system := write("system.path", strings.Replace(string(text), "system pingack", "system chess", 1))
	schedule := write("schedule.path", "macemc schedule 1\npackage example.org/p\ntest TestX\n")
	other := write("other.path", "macemc path 1\nsystem randtree\nnodes 3\nend 0\n")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"mdb"}, "macemc mdb needs a FILE or a SYSTEM"},
		{[]string{"mdb", "a", "b", "c"}, "got 3 arguments"},
		{[]string{"mdb", filepath.Join(dir, "none.path")}, "no such file"},
		{[]string{"mdb", file, filepath.Join(dir, "none.path")}, "no such file"},
		{[]string{"mdb", file, other}, "other.path"},
		{[]string{"mdb", truncated}, "truncated.path: line"},
		{[]string{"mdb", version}, "version"},
		{[]string{"mdb", system}, `system.path: line 2`},
		{[]string{"mdb", file, "--batch", "-x", "fly"}, `fly: unknown command "fly"`},
		{[]string{"mdb", file, "--batch", "-x", "fly", "-x", "1"}, `fly: unknown command "fly"`},
		{[]string{"mdb", schedule}, "schedule.path: the end is missing"},
		{[]string{"replay", schedule}, "or draw it with macemc graph FILE"},
		{[]string{"report", schedule}, "execute it with macemc test -schedule FILE"},
		{[]string{"shrink", schedule}, `this is a schedule of "macemc test"`},
		{[]string{"mdb", file, schedule}, `this is a schedule of "macemc test"`},
	} {
		_, stderr, status := run(t, c.args...)
		if status != 2 || !strings.Contains(stderr, c.want) {
			t.Errorf("%q: exit status %d: %s; want one with %q", c.args, status, stderr, c.want)
		}
	}
}

// Without a terminal the debugger reads commands from standard input.
func TestMdbPrompt(t *testing.T) {
	var out, errs bytes.Buffer
	a := &app{Process: task.Process{
		Stdout: &out, Stderr: &errs, Program: "macemc", Systems: testSystems(),
		Stdin: strings.NewReader("6\nnonsense\n"), NoScreen: "standard input is not a terminal",
	}}
	if status := a.run(t.Context(), []string{"mdb", testdata(t, "pingack.path")}); status != 0 {
		t.Errorf("exit status %d", status)
	}
	if !strings.Contains(out.String(), "step 6 of 9: network loses Ack{2} n1->n0") || !strings.Contains(out.String(), "error: unknown command") ||
		!strings.Contains(errs.String(), "no screen, standard input is not a terminal") {
		t.Errorf("%s\n%s", out.String(), errs.String())
	}
}

// A session on a schedule of a test steps through the run, shows waiting goroutines, and compares with the nearest passing schedule.
func TestMdb_Schedule(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the standard library the first time")
	}
	files, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(files, "debugged"))); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	for name, script := range map[string]string{
		"deadlock": "info; goto critical; back; next g3; list 2; waits; continue; waits; why; state g2; diff; steps; graph; run passing; end; run main; 5; take g3; end; runs; diff main same",
		"leak":     "info; steps; 1; step; continue; waits; 0; find status ~ send; step; state; why; diff",
		"failed":   "info; critical; step; why; find g2.status == ended; rfind status ~ /can run/; again; g 13; rfind event /locks.*:49/; field status; continue; diff; graph -6 end; runs",
	} {
		out, status := commandHere(t.Context(), "mdb", filepath.Join("schedules", name+".path"), "--batch", "-x", script)
		if status != 0 && name != "leak" { // nothing passes under its schedule, so diff has nothing to compare with
			t.Errorf("%s: exit status %d", name, status)
		}
		golden.CompareFile(t, filepath.Join(files, "debugged", name+".txt"), []byte(out))
	}
	const changed = "schedules/changed.path"
	text, err := os.ReadFile("schedules/deadlock.path")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(changed, []byte(strings.Replace(string(text), "DEADLOCK", "PANIC", 1)), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, status := commandHere(t.Context(), "mdb", changed, "--batch", "-x", "info"); status != 2 ||
		!strings.Contains(out, "the test has changed") {
		t.Errorf("exit status %d: %s", status, out)
	}
	if out, status := commandHere(t.Context(), "mdb", changed, "live.path"); status != 2 ||
		!strings.Contains(out, "a schedule of \"macemc test\" takes no LIVE") {
		t.Errorf("exit status %d: %s", status, out)
	}
}

// A system is opened with the nodes, parameters and faults of the flags, as a search has them. A file records its own.
func TestMdb_SystemFlags(t *testing.T) {
	stdout, stderr, status := run(t, "mdb", "randtree", "--nodes", "4", "--crashes", "1", "--bug", "RT13", "--batch", "-x", "info; options")
	if status != 0 {
		t.Fatalf("exit status %d: %s", status, stderr)
	}
	for _, want := range []string{"system     randtree, 4 nodes", "bugs       RT13", "crashes<=1", "n3 crashes  (fault)"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is missing in\n%s", want, stdout)
		}
	}
	if stdout, _, _ := run(t, "mdb", "randtree", "--bug", "RT13", "--crashes", "0", "--batch", "-x", "options"); strings.Contains(stdout, "crashes") {
		t.Errorf("nodes crash, which the flag forbids:\n%s", stdout)
	}
	for args, want := range map[string]string{
		"randtree --nodes 0":                      "--nodes is 0, must be at least 1",
		"randtree --crashes -1":                   "--crashes is -1",
		testdata(t, "pingack.path") + " --loss 2": "--loss is for a system, and",
	} {
		if _, stderr, status := run(t, append([]string{"mdb", "--batch"}, strings.Fields(args)...)...); status != 2 || !strings.Contains(stderr, want) {
			t.Errorf("mdb %s: exit status %d: %s, want %s", args, status, stderr, want)
		}
	}
}
