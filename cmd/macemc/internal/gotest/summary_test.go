package gotest

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/internal/explorer/summary"
	"github.com/macemc/macemc/internal/report/document"
)

// summaryLine returns the line of a test in the file of its package.
func summaryLine(test, kind, note string, more ...string) string {
	fields := append([]string{fmt.Sprintf(`"Test":%q,"Kind":%q,"Note":%q`, test, kind, note)}, more...)
	return "{" + strings.Join(fields, ",") + "}\n"
}

// The line of a package has the number of tests in which new orders are not rare, and that of saved schedules that pass.
func TestSummaries_Coverage(t *testing.T) {
	a := func(more string) string {
		return summaryLine("TestA", "sampled", "", `"Schedules":9,"Elapsed":1000000000`, more)
	}
	b := summaryLine("TestB", "sampled", "", `"Schedules":6,"Elapsed":1000000000,"Sampled":true`)
	for _, c := range []struct{ summary, want string }{
		{a(`"Delays":1000000`), "9 schedules of 1 test with delays up to 1ms (-explore-delay 100ms tries longer ones), 9/s"},
		{a(`"Saved":{"Passing":1}`), "9 schedules of 1 test, 9/s; 1 saved schedule passes"},
		{a(`"Saved":{"Unlike":1,"UnlikeFile":"a.path"}`), "9 schedules of 1 test, 9/s; not looked for, as -race changes its run: the finding of a.path"},
		{a(`"Sampled":true,"Unsaturated":true`), "9 schedules of 1 test, 9/s, new orders until the end (raise -explore-time)"},
		{b, "6 schedules of 1 test, 6/s, new orders are rare"},
		{a(`"Sampled":true,"Unsaturated":true`) + b, "15 schedules of 2 tests, 8/s, new orders until the end in 1 of them (raise -explore-time)"},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(summary.File(dir, "example.org/p"), []byte(c.summary), 0o600); err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		s := &summaries{out: &out, end: &out, folder: dir}
		s.Write([]byte("ok  \texample.org/p\t0.1s\n"))
		if got, want := out.String(), "ok  \texample.org/p\t0.1s\t"+c.want+"\n"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// Tests that are not explored come before other notes. Without -v, one line counts them if they are many.
func TestSummaries_Unexplored(t *testing.T) {
	for _, verbose := range []bool{false, true} {
		var out strings.Builder
		s := &summaries{out: &out, end: &out, display: display{verbose: verbose}}
		s.note("p", "TestA", "left after the test has returned: goroutine 2")
		for _, pkg := range []string{"q", "r", "s"} {
			for _, test := range []string{"TestB", "TestC"} {
				s.note(pkg, test, "not explored: it starts a process")
			}
			s.note(pkg, "TestD", "not explored: it waits for signals")
		}
		s.finish()
		const left = "macemc: p TestA: left after the test has returned: goroutine 2\n"
		want := "macemc: not explored: it starts a process (6 tests), it waits for signals (3 tests); -v names them\n" + left
		if verbose {
			want = ""
			for _, pkg := range []string{"q", "r", "s"} {
				want += "macemc: " + pkg + " TestB, TestC: not explored: each starts a process\nmacemc: " + pkg + " TestD: not explored: it waits for signals\n"
			}
			want += left
		}
		if out.String() != want {
			t.Errorf("verbose %t: got\n%s\nwant\n%s", verbose, out.String(), want)
		}
	}
}

// The summary of an interrupted package is shown, even if it has only one test.
func TestSummaries_Unreported(t *testing.T) {
	dir := t.TempDir()
	text := summaryLine("TestA", "sampled", summary.EndedEarly, `"Schedules":9,"Elapsed":1000000000`)
	if err := os.WriteFile(summary.File(dir, "example.org/p"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	s := &summaries{out: &out, end: &out, folder: dir}
	if got := s.lacking(); !slices.Equal(got, []string{"example.org/p"}) {
		t.Errorf("%q lack a line", got)
	}
	s.unreported("interrupted")
	if got := s.lacking(); len(got) > 0 {
		t.Errorf("%q lack a line", got)
	}
	s.finish()
	const want = "macemc: interrupted\nmacemc: example.org/p TestA: interrupted during the exploration\nmacemc: 9 schedules of 1 test, 9/s"
	if !strings.HasPrefix(out.String(), want) {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}

// A status of go test that no line explains is reported.
func TestEndedEarly_Unexplained(t *testing.T) {
	failed := exec.Command("false")
	failed.Run()
	for output, want := range map[string]string{
		"ok  \texample.org/p\t0.1s\n":                                         "go test ended with status 1, although no package failed; perhaps it was interrupted",
		"ok  \texample.org/p\t0.1s\nFAIL\texample.org/q\t0.1s\n":              "",
		"ok  \texample.org/p\t0.1s\nFAIL\texample.org/q [build failed]\n":     "",
		"--- FAIL: TestA (0.01s)\nFAIL\texample.org/q\t0.1s\nok  \tp\t0.1s\n": "",
		"no packages to test\n":                                               "",
	} {
		s := &summaries{out: io.Discard, end: io.Discard, folder: t.TempDir()}
		fmt.Fprint(s, output)
		if got, status := endedEarly(t.Context(), failed, s); got != want || status != 0 {
			t.Errorf("%q: got %q, status %d, want %q", output, got, status, want)
		}
	}
}

// A package whose process was killed is reported with the signal.
func TestSummaries_Killed(t *testing.T) {
	dir := t.TempDir()
	text := summaryLine("TestA", "sampled", summary.EndedEarly, `"Schedules":9,"Elapsed":1000000000`)
	if err := os.WriteFile(summary.File(dir, "example.org/p"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	s := &summaries{out: io.Discard, end: &out, folder: dir}
	fmt.Fprint(s, "signal: killed\nFAIL\texample.org/p\t0.1s\n")
	s.finish()
	const want = "macemc: example.org/p TestA: the process of the tests was killed (signal: killed) during the exploration\n"
	if status := s.status(1); out.String() != want || status != 1 {
		t.Errorf("status %d, got %q, want %q", status, out.String(), want)
	}
}

// The status is better than that of a failed test only if known findings or damaged files explain all that failed.
func TestSummaries_Known(t *testing.T) {
	const fail, pkg = "--- FAIL: TestA (0.01s)\n", "FAIL\texample.org/p\t0.1s\n"
	const few = `"Schedules":9,"Elapsed":50000`
	hidden := summaryLine("TestA", "hidden", "", few, `"Known":["EXIT: os.Exit(0) was called; in 9 of 9 schedules: issue 12 (exit-1.path)"]`)
	damaged := summaryLine("TestA", "damaged", "")
	for _, c := range []struct {
		what, summary, output string
		ended, want           int
		end                   string
	}{
		{"hidden", hidden, fail + pkg, 1, 3, "macemc: example.org/p TestA: known, and nothing else could be looked at: EXIT: os.Exit(0) was called; " +
			"in 9 of 9 schedules: issue 12 (exit-1.path)\nmacemc: 0 new, 1 known, 0 fixed\n"},
		{"damaged", damaged, fail + pkg, 1, 2, ""},
		{"both", hidden + strings.ReplaceAll(damaged, "TestA", "TestB"), fail + strings.Replace(fail, "A", "B", 1) + pkg, 1, 2, "0 new, 1 known, 0 fixed"},
		{"another test fails", hidden, fail + "--- FAIL: TestB (0.01s)\n" + pkg, 1, 1, "1 known"},
		{"a new finding", hidden + summaryLine("TestB", "new", "", few), fail + "--- FAIL: TestB (0.01s)\n" + pkg, 1, 1, "1 new, 1 known"},
		{"the process ended early", hidden + summaryLine("TestB", "suspect", "", few), fail + pkg, 1, 1, "1 new, 1 known"},
		{"TestMain hides a new finding", summaryLine("TestA", "new", "", few), "ok  \texample.org/p\t0.1s\n", 0, 1,
			"macemc: example.org/p TestA: a new finding was stored, although the process of the tests ended with status 0\n"},
		{"a subtest fails", hidden, fail + "    --- FAIL: TestA/sub (0.01s)\n" + pkg, 1, 1, "1 known"},
		{"another package fails", hidden, fail + pkg + "FAIL\texample.org/q\t0.1s\n", 1, 1, "1 known"},
		{"another package is not built", hidden, fail + pkg + "FAIL\texample.org/q [build failed]\n", 1, 1, "1 known"},
		{"the test binary panics", hidden, fail + "exit status 2\n" + pkg, 1, 1, "1 known"},
		{"the package's line is missing", hidden, fail, 1, 1, ""},
		{"the summary is lost", "", fail + pkg, 1, 1, ""},
		{"go test is killed", hidden, fail + pkg, -1, 1, "1 known"},
		{"fixed", summaryLine("TestA", "sampled", "", few, `"Fixed":["delete exit-1.path"]`), "ok  \texample.org/p\t0.1s\n", 0, 0,
			"macemc: example.org/p TestA: fixed: delete exit-1.path\nmacemc: 0 new, 0 known, 1 fixed\n"},
		{"not looked for", summaryLine("TestA", "sampled", "", few, `"Unsought":["exit-1.path needs -race"]`), "ok  \texample.org/p\t0.1s\n", 0, 0,
			"macemc: example.org/p TestA: not looked for: exit-1.path needs -race\nmacemc: 0 new, 0 known, 0 fixed, 1 not looked for\n"},
		{"events", hidden, `{"Action":"output","Package":"example.org/q","Output":"ok  \texample.org/q\t0.1s\n"}` + "\n" +
			`{"Action":"output","Package":"example.org/p","Test":"TestA","Output":"--- FAIL: TestA (0.01s)\n"}` + "\n" +
			`{"Action":"output","Package":"example.org/p","Output":"FAIL\texample.org/p\t0.1s\n"}` + "\n", 1, 3, "0 new, 1 known, 0 fixed"},
	} {
		dir := t.TempDir()
		if c.summary != "" {
			if err := os.WriteFile(summary.File(dir, "example.org/p"), []byte(c.summary), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		var out, end strings.Builder
		s := &summaries{out: &out, end: &end, folder: dir, display: display{json: strings.HasPrefix(c.output, "{")}}
		s.Write([]byte(c.output))
		s.finish()
		if got := s.status(c.ended); got != c.want || (s.failed > 0) && c.want != 1 {
			t.Errorf("%s: status %d, want %d, %d failed", c.what, got, c.want, s.failed)
		}
		if !strings.Contains(end.String(), c.end) || c.end == "" && end.Len() > 0 {
			t.Errorf("%s: got %q, want %q", c.what, end.String(), c.end)
		}
		if want := strings.Replace(c.output, `p\t0.1s`, `p\t0.1s\t9 schedules of 1 test, 180000/s`, 1); s.json && out.String() != want {
			t.Errorf("events %q, want %q", out.String(), want)
		}
	}
}

// With -json the event of a package's line has the bounds of complete tests, and the last lines do not stand among the events.
func TestSummaries_Events(t *testing.T) {
	dir := t.TempDir()
	const some = `"Schedules":3,"Elapsed":50000`
	text := summaryLine("TestA", "complete", "", some, `"Preemptions":9223372036854775807,"Delays":1000000`) +
		summaryLine("TestB", "complete", "passes <x>", some, `"Preemptions":1`)
	if err := os.WriteFile(summary.File(dir, "example.org/p"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	const output = `{"Time":"2026-01-01T00:00:00Z","Action":"output","Package":"example.org/p","Output":"ok  \tcommand-line-arguments\t0.1s\n","OutputType":"frame"}` + "\n" +
		`{"Action":"output","Package":"example.org/p","Output":"a \u003cb\u003e\n"}` + "\n" + `{"Action":"pass","Package":"example.org/p","Elapsed":0.1}` + "\n"
	const bounds = "6 schedules of 2 tests (2 complete with at most 1 preemption, early timers included) with delays up to 1ms (-explore-delay 100ms tries longer ones), 60000/s"
	var out, end strings.Builder
	s := &summaries{out: &out, end: &end, folder: dir, display: display{json: true}, pkg: "example.org/p"}
	s.Write([]byte(output))
	s.finish()
	if want := strings.Replace(output, `0.1s`, `0.1s\t`+bounds, 1); out.String() != want {
		t.Errorf("got %s\nwant %s", out.String(), want)
	}
	want := "macemc: example.org/p TestB: passes <x>\nmacemc: not scheduling points: cgo, files, processes, iterators of iter.Pull, plain memory (without -race)\n"
	if end.String() != want {
		t.Errorf("got %s\nwant %s", end.String(), want)
	}
}

// A folder that is in no module is an error of the arguments, unless they name packages elsewhere.
// A misspelled flag of the exploration reaches the test binary, whose list of flags does not have the right one.
func TestSummaries_UnknownFlag(t *testing.T) {
	for flag, want := range map[string]string{
		"-scheduels": "macemc: unknown flag -scheduels; did you mean -schedules or -schedule?; see macemc test --help\n",
		"-frob":      "macemc: unknown flag -frob; see macemc test --help\n",
	} {
		var out strings.Builder
		s := &summaries{out: io.Discard, end: &out, folder: t.TempDir()}
		if _, err := fmt.Fprintf(s, "flag provided but not defined: %s\nUsage of p.test:\nexit status 2\nFAIL\texample.org/p\t0.1s\n", flag); err != nil {
			t.Fatal(err)
		}
		if s.finish(); out.String() != want || s.status(1) != exitcode.Usage {
			t.Errorf("got %q and status %d, want %q and %d", out.String(), s.status(1), want, exitcode.Usage)
		}
	}
}

func TestInModule(t *testing.T) {
	t.Setenv("GOWORK", "off")
	dir := t.TempDir()
	for _, c := range []struct {
		args []string
		ok   bool
	}{{[]string{"./..."}, false}, {nil, false}, {[]string{"-race"}, false}, {[]string{"-v", ".."}, false}, {[]string{"fmt"}, true}, {[]string{"a_test.go"}, true}} {
		if err := inModule(t.Context(), dir, c.args); (err == nil) != c.ok {
			t.Errorf("%q without go.mod: got error %v", c.args, err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module m\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := inModule(t.Context(), dir, []string{"./..."}); err != nil {
		t.Errorf("with go.mod: %v", err)
	}
}

// A known finding excuses its test, and none of the other package with the same name.
func TestUnexcused_SameNames(t *testing.T) {
	for _, c := range []struct {
		excused, failing []string
		tests, want      int
	}{
		{nil, []string{"TestA"}, 1, 1},
		{[]string{"TestA"}, []string{"TestA", "TestA"}, 1, 0}, // -count=2
		{[]string{"TestA (x_test)"}, []string{"TestA"}, 2, 0},
		{[]string{"TestA (x_test)"}, []string{"TestA", "TestA"}, 2, 1},
		{[]string{"TestA", "TestA (x_test)"}, []string{"TestA", "TestA"}, 2, 0},
		{[]string{"TestB"}, []string{"TestA"}, 1, 1},
	} {
		p := packageSummary{excused: c.excused, names: map[string]int{"TestA": c.tests}}
		if got := p.unexcused(c.failing); got != c.want {
			t.Errorf("%+v: got %d", c, got)
		}
	}
}

// A test that searches a system of nodes itself does not read as one that nothing has explored.
func TestSummaries_Searched(t *testing.T) {
	dir := t.TempDir()
	text := summaryLine("TestA", "sampled", "not explored: it checks a system of nodes, whose runs it explores itself")
	if err := os.WriteFile(summary.File(dir, "p"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	s := &summaries{out: &out, end: &out, folder: dir}
	s.Write([]byte("ok  \tp\t0.1s\n"))
	s.finish()
	if got, want := out.String(), "ok  \tp\t0.1s\nmacemc: p TestA: "+searched+"\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if c := resultsOf(s, 0).Suites[0].Cases[0]; c.Result != document.Passed {
		t.Errorf("its case is %+v, want one that passes", c)
	}
}
