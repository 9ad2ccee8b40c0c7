package testsched

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/testsched/program"
)

// processes is a fake of the processes that execute a test.
type processes struct {
	n       int // number of processes
	outcome func(p process) *Outcome
}

// process describes a new process.
type process struct {
	n        int    // its number, starting at 1
	schedule string // text of the schedule's file; empty means none
	warm     bool   // another run precedes
	explores bool   // it repeats the exploration
}

func (f *processes) start(c *Config, env ...string) *Outcome {
	f.n++
	p := process{n: f.n, explores: true}
	for _, e := range env {
		name, value, _ := strings.Cut(e, "=")
		switch name {
		case VariableSchedule:
			text, _ := os.ReadFile(value)
			p.schedule, p.explores = string(text), false
			p.warm = strings.Contains(p.schedule, "warm true")
		case variableOnly:
			p.explores = false
		}
	}
	return f.outcome(p)
}

type runner func(*Schedule) *Outcome

func (r runner) Run(s *Schedule, traced bool) *Outcome { return r(s) }
func (r runner) Changed() []string                     { return nil }

func failure() *Outcome { return &Outcome{Kind: Failed, Message: "unlucky"} }
func passes() *Outcome  { return &Outcome{} }

// reportOf returns the report about a test that fails in a run of this process, counted from 1, and about which new processes have these
// outcomes. Files are stored below the working directory.
func reportOf(t *testing.T, run int, outcome func(process) *Outcome) (*Report, *processes, []string) {
	t.Helper()
	t.Chdir(t.TempDir())
	f := &processes{outcome: outcome}
	s := &Settings{only: -1, summary: map[string]string{}, fresh: f.start}
	s.config = Config{Seed: 1, Schedules: 40}
	runs := 0
	r := s.Test(Unit{Package: "example.org/t", Test: "TestX"}, false, time.Time{}, runner(func(s *Schedule) *Outcome {
		runs++
		if runs == run {
			return failure()
		}
		return &Outcome{Points: 20, Choices: 500, Hash: s.Seed}
	}))
	files, _ := filepath.Glob("testdata/macemc/TestX/*")
	return r, f, files
}

// The summary of an exhaustive exploration that ends early says so, with the reason. Without -v, users see nothing else.
func TestTest_Incomplete(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv(VariableModules, "example.org")
	for _, c := range []struct {
		exhaustive bool
		limit      int
		sampled    Sampled
		want       string
	}{
		{true, 20, sampledMaps, `"not complete: the limits of the exploration were reached"`},
		{true, 1000, sampledMaps, ` drawn 9223372036854775807 0 ""`},
		{true, 1, 0, `"complete: the only schedule with at most 0 preemptions, if there is no data race; stopped there because the limits of the exploration were reached"`},
		{false, 20, sampledMaps, `""`},
	} {
		s := &Settings{only: -1, summary: map[string]string{}, summaries: t.TempDir()}
		s.config.Schedules, s.config.Exhaustive, s.config.Preemptions = c.limit, c.exhaustive, Unbounded
		report := s.Test(Unit{Package: "example.org/t", Test: "TestX"}, false, time.Time{}, runner(func(*Schedule) *Outcome {
			o := passes()
			if o.Sampled = c.sampled; c.limit <= 20 {
				o.Decisions = []Decision{{Kind: atPoint, Options: []Option{{Who: 4}, {Who: 12}}}}
			}
			return o
		}))
		if report.Finding != "" || !strings.Contains(s.summary["TestX"], c.want) {
			t.Errorf("want %s in the summary, got %s%s", c.want, s.summary["TestX"], report.Finding)
		}
	}
}

// A replay that passes although not all switches applied says so, and the schedule of another test is not executed.
func TestReplay_Fit(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range []struct {
		pkg, test string
		followed  int
		want      string
	}{
		{"example.org/t", "TestX", 2, "macemc: passes under x.path: delete the file"},
		{"example.org/t", "TestX", 1, "macemc: passes, but x.path does not fit: 1 of 2 switches applied; the code may have changed"},
		{"example.org/t", "TestY", 2, ""},
		{"example.org/u", "TestX", 2, ""},
	} {
		f := &Stored{Package: c.pkg, Test: c.test, Schedule: Schedule{Switches: []Switch{{Who: 4, Place: 1, To: 5}, {Who: 5, Place: 1, To: 4}}}}
		var b strings.Builder
		f.WriteTo(&b)
		if err := os.WriteFile("x.path", []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		s := &Settings{only: -1, schedule: "x.path", summaries: t.TempDir(), summary: map[string]string{}}
		r := s.Test(Unit{Package: "example.org/t", Test: "TestX"}, false, time.Time{}, runner(func(*Schedule) *Outcome { return &Outcome{Followed: c.followed} }))
		if got := s.summary["TestX"]; c.want == "" && (r != nil || got != "") ||
			c.want != "" && (r == nil || !strings.HasPrefix(r.Note, c.want) || !strings.Contains(got, strings.TrimPrefix(c.want, "macemc: "))) {
			t.Errorf("%+v: %+v, summary %s", c, r, got)
		}
	}
}

// A replay has the stored critical step if it executes the same run.
func TestReplay_Critical(t *testing.T) {
	t.Chdir(t.TempDir())
	o := &Outcome{Kind: Deadlock, Hash: 9, Trace: []Event{{Who: 4, Place: 1, Number: 1, Op: program.OpUnlock, Object: "mu", At: "x.go:2"}, {Who: 5, Place: 1, Number: 2, Op: program.OpLock, Object: "mu", At: "x.go:1"}}}
	m := &Minimized{Schedule: &Schedule{}, Outcome: o, Critical: 2}
	s := &Settings{only: -1, summary: map[string]string{}}
	s.schedule = s.store(&Config{Unit: Unit{Package: "p", Test: "TestX"}}, m)
	for hash, want := range map[uint64]bool{9: true, 8: false} {
		r := s.Test(Unit{Package: "p", Test: "TestX"}, false, time.Time{}, runner(func(*Schedule) *Outcome { return &Outcome{Kind: Deadlock, Hash: hash, Trace: o.Trace} }))
		const text = "\ncritical step: 2 of 2; before it the test could still pass, after it 0 of 200 random continuations passed\n  step 1: goroutine 1: unlocks mu at x.go:2\n> step 2: goroutine 2: locks mu at x.go:1\n"
		if strings.Contains(r.Finding, text) != want {
			t.Errorf("order %d: got %s", hash, r.Finding)
		}
	}
	again := *m
	again.Critical = 1
	if file := s.store(&Config{Unit: Unit{Package: "p", Test: "TestX"}}, &again); file != s.schedule {
		t.Errorf("the same schedule is stored in %s, too", file)
	}
	if f, err := Load(s.schedule); err != nil || f.CriticalWho != 4 {
		t.Errorf("stored %+v, %v", f, err)
	}
}

// outcomes is a Runner with the given outcomes.
type outcomes struct {
	of  []*Outcome
	ran int
}

func (o *outcomes) Run(*Schedule, bool) *Outcome {
	o.ran++
	return o.of[o.ran-1]
}

func (o *outcomes) Changed() []string { return nil }

// A schedule whose switches do not all apply is executed again after other runs, because these may have initialized something.
func TestAlone(t *testing.T) {
	first, unfit, fit := &Outcome{Kind: Passed}, &Outcome{Kind: Passed, Followed: 1}, &Outcome{Kind: Passed, Followed: 2}
	fails := &Outcome{Kind: Deadlock, Followed: 2}
	for _, c := range []struct {
		warm bool
		of   []*Outcome // the last is the result
	}{
		{true, []*Outcome{first, fails}},
		{true, []*Outcome{first, fit}},
		{true, []*Outcome{first, unfit, fit}},
		{true, []*Outcome{first, unfit, unfit, fails}},
		{true, []*Outcome{first, unfit, unfit, unfit}},
		{false, []*Outcome{unfit}},
	} {
		r := &outcomes{of: append(slices.Clone(c.of), fails)}
		if o := alone(&Schedule{Switches: make([]Switch, 2), Warm: c.warm}, r); o != c.of[len(c.of)-1] || r.ran != len(c.of) {
			t.Errorf("after %d runs: %v, want %v after %d", r.ran, o.Kind, c.of[len(c.of)-1].Kind, len(c.of))
		}
	}
}

// A finding that cannot be confirmed because no temporary file can be written names the folder, and its schedule is kept.
func TestProcesses_TemporaryFolder(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "missing"))
	t.Chdir(t.TempDir())
	s := &Settings{only: -1, summary: map[string]string{}}
	s.fresh = s.process
	s.config = Config{Seed: 1, Schedules: 40}
	r := s.Test(Unit{Package: "example.org/t", Test: "TestX"}, false, time.Time{}, runner(func(*Schedule) *Outcome { return failure() }))
	want := "missing, or set TMPDIR to another folder\nreplay: "
	if !strings.Contains(r.Finding, "not confirmed: open ") || !strings.Contains(r.Finding, want) {
		t.Errorf("want %q in\n%s", want, r.Finding)
	}
}

// Changed package variables need not be the cause, which may be outside of them.
func TestLeftIn(t *testing.T) {
	const outside = "outside of package variables, for example in files, in the standard library, or in a goroutine that a package has started"
	for _, c := range []struct {
		changed []string
		want    string
	}{
		{nil, outside},
		{[]string{"a.b"}, "in a.b, or " + outside},
		{[]string{"a.b", "c", "d", "e", "f"}, "in a.b, c, d and 2 more package variables, or " + outside},
	} {
		if got := leftIn(c.changed); got != c.want {
			t.Errorf("%v: %q, want %q", c.changed, got, c.want)
		}
	}
}

// A test whose first run exceeds a limit is executed without exploration. It is a finding only if that does not end.
func TestTest_Long(t *testing.T) {
	for _, c := range []struct {
		outcome Outcome
		why     string
	}{
		{Outcome{Kind: NoEnd, Message: "loops", Spins: true}, "computes for more than 10 s without a scheduling point"},
		{Outcome{Kind: NoEnd, Message: "loops", Points: 500_000}, "passes more than 500000 scheduling points"},
		{Outcome{Kind: NoEnd, Message: "loops", Advances: 9}, "advances the clock more than 9 times"},
	} {
		t.Chdir(t.TempDir())
		s := &Settings{only: -1, summary: map[string]string{}, summaries: t.TempDir()}
		u := Unit{Package: "example.org/t", Test: "TestX"}
		report := s.Test(u, false, time.Time{}, runner(func(*Schedule) *Outcome { o := c.outcome; return &o }))
		if !report.Unexplored() || !strings.Contains(s.summary["TestX"], `"not explored: it `+c.why) {
			t.Fatalf("got %+v, %q, want that it %s", report, s.summary["TestX"], c.why)
		}
		if files, _ := filepath.Glob("testdata/macemc/TestX/*"); len(files) > 0 {
			t.Errorf("stored before -timeout: %q", files)
		}
		text := report.TimedOut()
		files, _ := filepath.Glob("testdata/macemc/TestX/no-end-*.path")
		if !strings.Contains(text, "NO END: loops") || len(files) != 1 || !strings.Contains(s.summary["TestX"], " "+New+" ") {
			t.Errorf("got %q, files %q, %q", text, files, s.summary["TestX"])
		}
	}
}
