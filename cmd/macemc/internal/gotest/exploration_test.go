package gotest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/explorer"
	"github.com/macemc/macemc/internal/explorer/schedulefile"
	"github.com/macemc/macemc/internal/explorer/summary"
	"github.com/macemc/macemc/internal/explorer/systematic"
	"github.com/macemc/macemc/internal/task"
	"github.com/macemc/macemc/internal/testsched"
)

func TestFolderFlag_FirstArgumentOnly(t *testing.T) {
	for _, c := range []struct {
		args   []string
		folder string
		rest   []string
	}{
		{nil, "", nil},
		{[]string{"-C", "dir", "./...", "-v"}, "dir", []string{"./...", "-v"}},
		{[]string{"--C=dir", "."}, "dir", []string{"."}},
		{[]string{".", "-C", "dir"}, "", []string{".", "-C", "dir"}},
		{[]string{"-C"}, "", []string{"-C"}},
	} {
		folder, rest := folderFlag(c.args)
		if folder != c.folder || !slices.Equal(rest, c.rest) {
			t.Errorf("%q: got %q and %q, want %q and %q", c.args, folder, rest, c.folder, c.rest)
		}
	}
}

func TestWithoutTags(t *testing.T) {
	for _, c := range []struct {
		args, rest []string
		tags       string
	}{
		{[]string{"./...", "-v"}, []string{"./...", "-v"}, ""},
		{[]string{"-tags", "a,b", "."}, []string{"."}, "a,b"},
		{[]string{"--tags=a", ".", "-run", "X"}, []string{".", "-run", "X"}, "a"},
		{[]string{".", "-args", "-tags", "a"}, []string{".", "-args", "-tags", "a"}, ""},
	} {
		rest, tags, _ := takeFlag(c.args, "tags")
		if !slices.Equal(rest, c.rest) || tags != c.tags {
			t.Errorf("%q: %q and tags %q", c.args, rest, tags)
		}
	}
}

func TestExplorationFlags(t *testing.T) {
	for _, c := range []struct{ args, rest, want string }{
		{"./...", "./...", "on 2s 0 1"},
		{"-race -schedules 100 ./p", "-race ./p", "on 0s 100 1"},
		{"-schedules=7 -explore-time=3s -explore-seed 5 -run X", "-run X", "on 3s 7 5"},
		{"-explore=false -v .", "-v .", "off 2s 0 1"},
		{"-fuzz FuzzX .", "-fuzz FuzzX .", "off 2s 0 1"},
		{"-c .", "-c .", "off 2s 0 1"},
		{"-list=X .", "-list=X .", "off 2s 0 1"},
		{"-fuzz= -list= -c=F .", "-fuzz= -list= -c=F .", "on 2s 0 1"},
		{"-run list .", "-run list .", "on 2s 0 1"},
		{"-exhaustive -run X", "-run X", "on 1m0s 0 1"},
		{"-exhaustive=2 -schedules 9 .", ".", "on 0s 9 1"},
		{". -args -schedules 3", ". -args -schedules 3", "on 2s 0 1"},
	} {
		x, rest, err := explorationFlags("", strings.Fields(c.args))
		if err != nil {
			t.Fatal(err)
		}
		got := map[bool]string{true: "on", false: "off"}[x.on] + " " + x.Config.Time.Round(time.Second).String()
		got += strings.Join([]string{"", itoa(x.Config.Schedules), itoa(int(x.Config.Seed))}, " ")
		if got != c.want || strings.Join(rest, " ") != c.rest {
			t.Errorf("%s: got %s and %q, want %s and %s", c.args, got, rest, c.want, c.rest)
		}
	}
	if x, _, err := explorationFlags("", []string{"-explore-total", "0s", "-explore-delay", "10000h"}); err != nil || !x.totaled || x.total != 0 ||
		x.Config.Delay != testsched.MaxDelay {
		t.Errorf("got %v in total, delays of %v, %v; want 0 and %v", x.total, x.Config.Delay, err, testsched.MaxDelay)
	}
	for _, args := range []string{"-schedules", "-schedules 0", "-schedules x", "-explore-time 0s", "-schedule /nowhere",
		"-explore=maybe", "-exhaustive=-1", "-explore-seed -1", "-explore-time 0", "-explore-total -1s", "-explore-delay 10001h", "-exhaustive 2", "-explore false", "-leaks false ."} {
		if _, _, err := explorationFlags("", strings.Fields(args)); err == nil {
			t.Errorf("%s: no error", args)
		}
	}
}

// A misspelled flag is refused before the build. Flags of go test, and those of tests that are not similar, are not.
func TestExplorationFlags_Misspelled(t *testing.T) {
	const want = "unknown flag -schedulez; did you mean -schedules or -schedule?; flags of the tests come after -args"
	for _, args := range []string{"-schedulez=5 .", ". -schedulez 5"} {
		if _, _, err := explorationFlags("", strings.Fields(args)); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", args, err, want)
		}
	}
	accepted := []string{". -args -schedulez=5", ". -exp -custom=1 -test.v -macemc.time=5m -macemc.schedule"}
	for _, topic := range []string{"testflag", "build"} {
		out, err := exec.Command("go", "help", topic).Output()
		if err != nil {
			t.Fatal(err)
		}
		flags := regexp.MustCompile(`(?m)^\t-[a-zA-Z]+`).FindAllString(string(out), -1)
		if len(flags) < 15 {
			t.Errorf("%s: %d flags", topic, len(flags))
		}
		accepted = append(accepted, flags...)
	}
	for _, args := range accepted {
		if _, _, err := explorationFlags("", strings.Fields(args)); err != nil {
			t.Errorf("%s: %v", args, err)
		}
	}
}

func TestExplorationFlags_NumberAsFile(t *testing.T) {
	t.Chdir(t.TempDir())
	_, _, err := explorationFlags("", []string{"-schedule", "100"})
	if want := "-schedule: file 100 does not exist; -schedules 100 limits the number of schedules"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// Help for a test does not take the arguments of the test binary.
func TestHelpWanted(t *testing.T) {
	for args, want := range map[string][2]bool{
		"-h": {true, false}, "./... --help": {true, false}, "-help-all": {true, true}, "--help-all": {true, true},
		"./... -args -h": {}, "-v .": {},
	} {
		if wanted, all := helpWanted(strings.Fields(args)); wanted != want[0] || all != want[1] {
			t.Errorf("%s: got %v and %v, want %v", args, wanted, all, want)
		}
	}
}

func itoa(n int) string { return strconv.Itoa(n) }

func TestSummaries(t *testing.T) {
	dir := t.TempDir()
	text := summaryLine("TestA", "complete", "", `"Schedules":100,"Elapsed":50000000,"Preemptions":9223372036854775807`) +
		summaryLine("TestH", "sampled", "", `"Schedules":10,"Elapsed":5000000`)
	for _, test := range []string{"B", "C", "D", "E", "F"} {
		text += summaryLine("Test"+test, "sampled", "not explored: it starts a process")
	}
	text += summaryLine("TestG", "sampled", "not explored: it waits for signals")
	if err := os.WriteFile(summary.File(dir, "example.org/p"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	s := &summaries{out: &out, end: &out, folder: dir}
	for _, part := range []string{"ok  \texample.org/p\t0.1", "s\nok  \texample.org/q\t0.2s\nsome", " text"} {
		if _, err := s.Write([]byte(part)); err != nil {
			t.Fatal(err)
		}
	}
	s.finish()
	want := "ok  \texample.org/p\t0.1s\t110 schedules of 2 tests (1 complete), 2000/s\nok  \texample.org/q\t0.2s\nsome text" +
		"macemc: example.org/p TestB, TestC, TestD and 2 more: not explored: each starts a process\n" +
		"macemc: example.org/p TestG: not explored: it waits for signals\n"
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}

// The bounds of complete tests stand beside their number.
func TestPackageSummary_Bounds(t *testing.T) {
	all := summary.Test{Kind: summary.Complete, Schedules: 4, Elapsed: time.Second, Preemptions: systematic.Unbounded}
	delayed, bounded, drawn := all, all, all
	delayed.Delays, drawn.Kind, bounded.Preemptions = time.Millisecond, summary.CompleteFor, 1
	for _, c := range []struct {
		tests []summary.Test
		want  string
	}{
		{[]summary.Test{all}, "4 schedules of 1 test (1 complete), 4/s"},
		{[]summary.Test{all, delayed}, "8 schedules of 2 tests (2 complete) with delays up to 1ms (-explore-delay 100ms tries longer ones), 4/s"},
		{[]summary.Test{bounded, all}, "8 schedules of 2 tests (2 complete with at most 1 preemption, early timers included), 4/s"},
		{[]summary.Test{all, drawn, bounded}, "12 schedules of 3 tests (3 complete with at most 1 preemption, early timers included, 1 of them for what they drew), 4/s"},
		{[]summary.Test{all, delayed, bounded}, "12 schedules of 3 tests (3 complete with at most 1 preemption, early timers included) with delays up to 1ms (-explore-delay 100ms tries longer ones), 4/s"},
	} {
		var sum packageSummary
		for _, t := range c.tests {
			sum.count(&t)
		}
		if got := sum.String(); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

// The symbol table is written regardless of the linker flags in the arguments.
func TestLinkerFlags(t *testing.T) {
	for _, c := range []struct{ inGoFlags, args, rest, flags string }{
		{"", "./p", "./p", "-ldflags=-s=false"},
		{"-w", "./p", "./p", "-ldflags=-w -s=false"},
		{"-w", "-ldflags=-X=p.v=1 ./p", "./p", "-ldflags=-X=p.v=1 -s=false"},
		{"", "-ldflags -s ./p -args -ldflags=x", "./p -args -ldflags=x", "-ldflags=-s -s=false"},
	} {
		rest, flags := linkerFlags(strings.Fields(c.args), nil, c.inGoFlags)
		if strings.Join(rest, " ") != c.rest || strings.Join(flags, " ") != c.flags {
			t.Errorf("%s: %q and %q, want %q and %q", c.args, rest, flags, c.rest, c.flags)
		}
	}
}

// Explorations that take long, and examinations of findings, are shown while their processes run.
func TestExploration_Progress(t *testing.T) {
	x := exploration{Options: explorer.Options{Summaries: t.TempDir()}}
	line := func(test, kind, note string, schedules, seconds int) string {
		return summaryLine(test, kind, note, fmt.Sprintf(`"Schedules":%d,"Elapsed":%d`, schedules, seconds*1e9))
	}
	file := summary.File(x.Summaries, "example.org/p")
	for name, text := range map[string]string{
		file: line("TestA", summary.SampledOnly, "", 70, 9) + line("TestB", summary.SampledOnly, summary.EndedEarly, 1234, 12),
		summary.File(x.Summaries, "example.org/q"): line("TestC", summary.SampledOnly, summary.EndedEarly, 70, 1),
		summary.File(x.Summaries, "example.org/r"): line("TestD", summary.Suspect, "DEADLOCK", 5, 0),
		filepath.Join(x.Summaries, "begun"):        "",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const examined = "example.org/r TestD  examining a finding"
	if got, want := x.progress(), "  12s  example.org/p TestB  1,234 schedules; "+examined; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if err := os.Chtimes(file, time.Time{}, time.Now().Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	if got := x.progress(); got != examined {
		t.Errorf("got %q, want %q", got, examined)
	}
}

// On a terminal, output replaces the progress. Elsewhere, the progress is a line every 10 seconds.
func TestConsole(t *testing.T) {
	for terminal, want := range map[bool]string{
		true:  strings.Repeat("\r\x1b[K\x1b[?7l12s\x1b[?7h", 20) + "\r\x1b[Kok\n",
		false: "12s\nok\n",
	} {
		var out strings.Builder
		w := &lockedWriter{&console{status: task.NewStatus(&out, terminal)}, &out}
		for range 20 {
			w.show("12s")
		}
		if _, err := w.Write([]byte("ok\n")); err != nil {
			t.Error(err)
		}
		if w.show(""); out.String() != want {
			t.Errorf("terminal %t: got %q, want %q", terminal, out.String(), want)
		}
	}
}

// The argument last selects the newest schedule.
func TestExplorationFlags_Last(t *testing.T) {
	t.Chdir(t.TempDir())
	var text strings.Builder
	if _, err := (&schedulefile.Stored{Unit: testsched.Unit{Package: "example.com/m", Test: "TestX"}, Finding: "DEADLOCK: all wait"}).WriteTo(&text); err != nil {
		t.Fatal(err)
	}
	found := filepath.Join("testdata", "macemc", "TestX", "deadlock-1.path")
	if err := os.MkdirAll(filepath.Dir(found), 0o755); err != nil {
		t.Fatal(err)
	}
	for file, content := range map[string]string{"go.mod": "module m\n", found: text.String()} {
		if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	x, _, err := explorationFlags("", []string{"-schedule", "last"})
	if err != nil || !filepath.IsAbs(x.Schedule) || !strings.HasSuffix(x.Schedule, found) {
		t.Errorf("-schedule last: got %q, %v, want %s", x.Schedule, err, found)
	}
}

func TestExploration_NamesMissingTemporaryFolder(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", dir)
	t.Setenv("HOME", dir)
	t.Setenv("TMPDIR", filepath.Join(dir, "missing"))
	x := exploration{}
	defer x.remove()
	if _, err := x.environment(nil, nil); err == nil || !strings.Contains(err.Error(), "TMPDIR") {
		t.Errorf("got error %v, want one that names TMPDIR", err)
	}
}

// The files of a command are in a folder that a later command removes if this one is killed: its lock is released.
func TestExploration_Temporary(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	x := &exploration{}
	if _, err := x.environment(nil, nil); err != nil {
		t.Fatal(err)
	}
	locks, _ := filepath.Glob(filepath.Join(temp, "*", "lock"))
	if !strings.HasPrefix(x.Summaries, temp) || len(locks) != 1 {
		t.Errorf("summaries in %s, locks %q", x.Summaries, locks)
	}
	x.remove()
	if left, _ := os.ReadDir(temp); len(left) != 0 {
		t.Errorf("%v is left", left)
	}
}

// The note of a test names what has limited its time. That of earlier subtests is in the line of the package only.
func TestShortBy_Notes(t *testing.T) {
	var earlier shortBy
	earlier.count(&summary.Short{By: byTime, Full: 2 * time.Second})
	if got, want := earlier.String(), "; earlier subtests left 1 test with less than 2s (raise -explore-time)"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if lines := earlier.lines(7, 0, "macemc test"); len(lines) > 0 {
		t.Errorf("repeated as %q", lines)
	}
	for by, want := range map[string]string{
		"-explore-time": "earlier subtests used up their time, so it had a tenth of 2s",
		"-timeout":      "-timeout left less than 2s",
	} {
		if got := shortNote(&summary.Short{By: by, Full: 2 * time.Second}); got != want {
			t.Errorf("%s: got %q, want %q", by, got, want)
		}
	}
}

// Delays with which tests of a package fail have one line, unless all notes are shown.
func TestSummaries_Delays(t *testing.T) {
	const hint = "; not a finding, as tests may rely on times: -explore-delay 1ms tries no such delays"
	s := &summaries{}
	s.noteDelay("b", "TestA", "fails there: late", 50*time.Millisecond)
	s.note("a", "TestA", "left a goroutine")
	for i, name := range []string{"TestA", "TestB", "TestC", "TestD"} {
		s.noteDelay("a", name, "fails in "+name, time.Duration(i/2+1)*100*time.Millisecond)
	}
	for all, want := range map[bool][]string{
		false: {"a TestA: left a goroutine",
			"a TestA, TestB, TestC and 1 more: each fails if a goroutine is held for 100ms to 200ms (-v tells where)" + hint,
			"b TestA: fails there: late" + hint},
		true: {"b TestA: fails there: late", "a TestA: left a goroutine",
			"a TestA: fails in TestA", "a TestB: fails in TestB", "a TestC: fails in TestC", "a TestD: fails in TestD"},
	} {
		if got := s.noteLines(all); !slices.Equal(got, want) {
			t.Errorf("all %v: got %q, want %q", all, got, want)
		}
	}
}

// The value of a flag names no package, so that the tests are those of the folder.
func TestNamedPackages_FlagValue(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.org/x\n", "x_test.go": "package x\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	args := []string{"-run", "TestA"}
	named := namedPackages(&exploration{folder: dir}, listPackages(t.Context(), os.Environ(), dir, nil, args), args)
	if len(named) != 1 || named[0].ImportPath != "example.org/x" {
		t.Errorf("got %d packages, want example.org/x", len(named))
	}
}
