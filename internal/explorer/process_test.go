package explorer

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/explorer/minimize"
	"github.com/macemc/macemc/internal/explorer/schedulefile"
	"github.com/macemc/macemc/internal/explorer/summary"
	"github.com/macemc/macemc/internal/explorer/systematic"
	"github.com/macemc/macemc/internal/testsched"
	"github.com/macemc/macemc/internal/testsched/program"
)

// processes is a fake of the processes that execute a test.
type processes struct {
	n       int // number of processes
	outcome func(p process) *testsched.Outcome
}

// process describes a new process.
type process struct {
	n        int                 // its number, starting at 1
	schedule *testsched.Schedule // nil means that it replays none
	warm     bool                // another run precedes
	explores bool                // it repeats the exploration
}

func (f *processes) start(_ *Config, e execution) *testsched.Outcome {
	f.n++
	p := process{n: f.n, schedule: e.replayed, explores: e.schedules > 0}
	p.warm = e.replayed != nil && e.replayed.Warm
	return f.outcome(p)
}

type runner func(*testsched.Schedule) *testsched.Outcome

func (r runner) Run(s *testsched.Schedule, traced bool) *testsched.Outcome { return r(s) }
func (r runner) Changed() []string                                         { return nil }
func (r runner) Subtests() []testsched.Subtest                             { return nil }
func (r runner) Specs() string                                             { return "" }
func (r runner) Select(string, []string, bool)                             {}
func (r runner) Part(string) testsched.Runner                              { return r }

func failure() *testsched.Outcome {
	return &testsched.Outcome{Kind: testsched.Failed, Message: "unlucky"}
}
func passes() *testsched.Outcome { return &testsched.Outcome{} }

// reportOf returns the report about a test that fails in a run of this process, counted from 1, and about which new processes have these
// outcomes. Files are stored below the working directory.
func reportOf(t *testing.T, run int, outcome func(process) *testsched.Outcome) (*Report, *processes, []string) {
	t.Helper()
	t.Chdir(t.TempDir())
	f := &processes{outcome: outcome}
	s := &Settings{summary: map[string]*summary.Test{}, fresh: f.start}
	s.Config = Config{Seed: 1, Schedules: 40}
	runs := 0
	r := s.Test(testsched.Unit{Package: "example.org/t", Test: "TestX"}, false, time.Time{},
		runner(func(s *testsched.Schedule) *testsched.Outcome {
			runs++
			if runs == run {
				return failure()
			}
			return &testsched.Outcome{Points: 20, Choices: 500, Hash: s.Seed}
		}))
	files, _ := filepath.Glob("testdata/macemc/TestX/*")
	return r, f, files
}

// The summary of an exhaustive exploration that ends early says so, with the reason. Without -v, users see nothing else.
func TestTest_Incomplete(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range []struct {
		exhaustive bool
		limit      int
		sampled    testsched.Sampled
		kind, note string
	}{
		{true, 20, testsched.SampledMaps, summary.SampledOnly, "not complete: the limits of the exploration were reached"},
		{true, 1000, testsched.SampledMaps, summary.CompleteFor, ""},
		{true, 1, 0, summary.SampledOnly, "complete: the only schedule with at most 0 preemptions, if there is no data race; stopped there because the limits of the exploration were reached"},
		{false, 20, testsched.SampledMaps, summary.SampledOnly, ""},
	} {
		s := &Settings{summary: map[string]*summary.Test{}, Options: Options{Summaries: t.TempDir()}, modules: "example.org"}
		s.Config.Schedules, s.Config.Exhaustive, s.Config.Preemptions = c.limit, c.exhaustive, systematic.Unbounded
		report := s.Test(testsched.Unit{Package: "example.org/t", Test: "TestX"}, false, time.Time{},
			runner(func(*testsched.Schedule) *testsched.Outcome {
				o := passes()
				if o.Sampled = c.sampled; c.limit <= 20 {
					o.Decisions = []testsched.Decision{{Kind: testsched.AtPoint, Options: []testsched.Option{{Who: 4}, {Who: 12}}}}
				}
				return o
			}))
		if got := s.summary["TestX"]; report.Finding != "" || got.Kind != c.kind || got.Note != c.note || got.Preemptions != systematic.Unbounded {
			t.Errorf("want %s: %s, got %+v%s", c.kind, c.note, got, report.Finding)
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
		f := &schedulefile.Stored{Unit: testsched.Unit{Package: c.pkg, Test: c.test}, Schedule: testsched.Schedule{Switches: []testsched.Switch{{Who: 4, Place: 1, To: 5},
			{Who: 5, Place: 1, To: 4}}}}
		var b strings.Builder
		f.WriteTo(&b)
		if err := os.WriteFile("x.path", []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		s := &Settings{Options: Options{Schedule: "x.path", Summaries: t.TempDir()}, summary: map[string]*summary.Test{}}
		r := s.Test(testsched.Unit{Package: "example.org/t", Test: "TestX"}, false, time.Time{},
			runner(func(*testsched.Schedule) *testsched.Outcome { return &testsched.Outcome{Followed: c.followed} }))
		if got := s.summary["TestX"]; c.want == "" && (r != nil || got != nil) ||
			c.want != "" && (r == nil || !strings.HasPrefix(r.Note, c.want) || !strings.HasPrefix(got.Note, strings.TrimPrefix(c.want,
				"macemc: "))) {
			t.Errorf("%+v: %+v, summary %+v", c, r, got)
		}
	}
}

// A replay has the stored critical step if it executes the same run.
func TestReplay_Critical(t *testing.T) {
	t.Chdir(t.TempDir())
	o := &testsched.Outcome{Kind: testsched.Deadlock, Hash: 9, Trace: []testsched.Event{{Who: 4, Place: 1, Number: 1, Op: program.OpClose,
		Object: "c", At: "x.go:2"}, {Who: 5, Place: 1, Number: 2, Op: program.OpReceive, Object: "c", At: "x.go:1"}}}
	m := &minimize.Result{Schedule: &testsched.Schedule{}, Outcome: o, Critical: 2}
	s := &Settings{summary: map[string]*summary.Test{}}
	s.Options.Schedule = s.store(&Config{Unit: testsched.Unit{Package: "p", Test: "TestX"}}, m, true)
	for hash, want := range map[uint64]bool{9: true, 8: false} {
		r := s.Test(testsched.Unit{Package: "p", Test: "TestX"}, false, time.Time{}, runner(func(*testsched.Schedule) *testsched.Outcome {
			return &testsched.Outcome{Kind: testsched.Deadlock, Hash: hash, Trace: o.Trace}
		}))
		const text = "\ncritical step: 2 of 2; before it the test could still pass, after it 0 of 200 random continuations passed\n  step 1: goroutine 1: closes c at x.go:2\n> step 2: goroutine 2: receives from c at x.go:1\n"
		if strings.Contains(r.Finding, text) != want {
			t.Errorf("order %d: got %s", hash, r.Finding)
		}
	}
	locks := *m
	locks.Outcome = &testsched.Outcome{Trace: []testsched.Event{{Who: 4, Number: 1, Op: program.OpUnlock, Object: "mu"}, {Who: 5, Number: 2, Op: program.OpLock,
		Object: "mu"}}}
	if text := s.explain(&Config{}, &locks, "", ""); strings.Contains(text, "step 1:") || !strings.Contains(text, "> step 2:") {
		t.Errorf("who has used a lock before is no cause:\n%s", text)
	}
	again := *m
	again.Critical = 1
	if file := s.store(&Config{Unit: testsched.Unit{Package: "p", Test: "TestX"}}, &again, true); file != s.Options.Schedule {
		t.Errorf("the same schedule is stored in %s, too", file)
	}
	if f, err := schedulefile.Load(s.Options.Schedule); err != nil || f.CriticalWho != 4 {
		t.Errorf("stored %+v, %v", f, err)
	}
}

// outcomes is a Runner with the given outcomes.
type outcomes struct {
	testsched.Runner
	of  []*testsched.Outcome
	ran int
}

func (o *outcomes) Run(*testsched.Schedule, bool) *testsched.Outcome {
	o.ran++
	return o.of[o.ran-1]
}

// A schedule whose switches do not all apply is executed again after other runs, because these may have initialized something.
func TestAlone(t *testing.T) {
	first, unfit, fit := &testsched.Outcome{Kind: testsched.Passed}, &testsched.Outcome{Kind: testsched.Passed, Followed: 1},
		&testsched.Outcome{Kind: testsched.Passed, Followed: 2}
	fails := &testsched.Outcome{Kind: testsched.Deadlock, Followed: 2}
	for _, c := range []struct {
		warm bool
		of   []*testsched.Outcome // the last is the result
	}{
		{true, []*testsched.Outcome{first, fails}},
		{true, []*testsched.Outcome{first, fit}},
		{true, []*testsched.Outcome{first, unfit, fit}},
		{true, []*testsched.Outcome{first, unfit, unfit, fails}},
		{true, []*testsched.Outcome{first, unfit, unfit, unfit}},
		{false, []*testsched.Outcome{unfit}},
	} {
		r := &outcomes{of: append(slices.Clone(c.of), fails)}
		if o := alone(&Settings{}, &testsched.Schedule{Switches: make([]testsched.Switch, 2), Warm: c.warm}, r); o != c.of[len(c.of)-1] ||
			r.ran != len(c.of) {
			t.Errorf("after %d runs: %v, want %v after %d", r.ran, o.Kind, c.of[len(c.of)-1].Kind, len(c.of))
		}
	}
}

// A finding that cannot be confirmed because no process can be started says why, and its schedule is kept.
func TestProcesses_NotStarted(t *testing.T) {
	t.Chdir(t.TempDir())
	s := &Settings{summary: map[string]*summary.Test{}}
	s.fresh = func(*Config, execution) *testsched.Outcome {
		s.unstarted = errors.New("no room for processes")
		return nil
	}
	s.Config = Config{Seed: 1, Schedules: 40}
	r := s.Test(testsched.Unit{Package: "example.org/t", Test: "TestX"}, false, time.Time{},
		runner(func(*testsched.Schedule) *testsched.Outcome { return failure() }))
	if want := "not confirmed: no room for processes\nreplay: "; !strings.Contains(r.Finding, want) {
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

// A test whose first run exceeds a limit is executed without exploration. It is a finding only if that does not end in much of -timeout.
func TestTest_Long(t *testing.T) {
	for _, c := range []struct {
		outcome testsched.Outcome
		why     string
	}{
		{testsched.Outcome{Kind: testsched.NoEnd, Message: "loops", Exceeded: testsched.Exceeded{Spins: true}}, "computes for more than 10 s without a scheduling point"},
		{testsched.Outcome{Kind: testsched.NoEnd, Message: "loops", Points: 500_000}, "passes more than 500000 scheduling points"},
		{testsched.Outcome{Kind: testsched.NoEnd, Message: "loops", Exceeded: testsched.Exceeded{Advances: 9}}, "advances the clock more than 9 times"},
	} {
		t.Chdir(t.TempDir())
		s := &Settings{summary: map[string]*summary.Test{}, Options: Options{Summaries: t.TempDir()}}
		u := testsched.Unit{Package: "example.org/t", Test: "TestX"}
		report := s.Test(u, false, time.Time{}, runner(func(*testsched.Schedule) *testsched.Outcome { o := c.outcome; return &o }))
		if !report.unexplored() || !strings.HasPrefix(s.summary["TestX"].Note, "not explored: it "+c.why) {
			t.Fatalf("got %+v, %+v, want that it %s", report, s.summary["TestX"], c.why)
		}
		if files, _ := filepath.Glob("testdata/macemc/TestX/*"); len(files) > 0 {
			t.Errorf("stored before -timeout: %q", files)
		}
		s.flags.Timeout = time.Hour
		text := report.TimedOut()
		if !strings.Contains(text, "not explored: it "+c.why) || !strings.Contains(s.summary["TestX"].Note, "had only 0s of -timeout") {
			t.Errorf("got %q, %+v", text, s.summary["TestX"])
		}
		s.flags.Timeout = time.Nanosecond
		text = report.TimedOut()
		files, _ := filepath.Glob("testdata/macemc/TestX/no-end-*.path")
		if !strings.Contains(text, "NO END: loops") || len(files) != 1 || s.summary["TestX"].Kind != summary.New {
			t.Errorf("got %q, files %q, %+v", text, files, s.summary["TestX"])
		}
	}
}
