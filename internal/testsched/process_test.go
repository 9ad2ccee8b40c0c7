package testsched

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
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
	r := s.Test("example.org/t", "TestX", false, time.Time{}, runner(func(s *Schedule) *Outcome {
		runs++
		if runs == run {
			return failure()
		}
		return &Outcome{Points: 20, Choices: 500, Hash: s.Seed}
	}))
	files, _ := filepath.Glob("testdata/macemc/TestX/*")
	return r, f, files
}

// A failure that new processes do not determine is reported with the number of processes that failed.
func TestFound_Undetermined(t *testing.T) {
	exists := true // a file that the test of this process has left
	for name, c := range map[string]struct {
		run     int
		outcome func(process) *Outcome
		want    string
	}{
		// It writes a file and fails, or removes the file and passes.
		"toggle": {1, func(p process) *Outcome {
			if exists = exists == p.warm; exists {
				return failure()
			}
			return passes()
		}, "found by schedule 1 in a new process\nnot reproducible: failed in 11 of 21 new processes under the same schedule\n" + uncontrolled},
		// Random numbers from a file confirm the finding once, and not again.
		"lucky": {5, func(p process) *Outcome {
			if p.schedule == "" && !p.explores || p.n == 5 {
				return failure()
			}
			return passes()
		}, "in a new process\nnot reproducible: failed in 21 of 21 new processes under the same schedule\nthe recorded switches of the schedule do not lead to it"},
		// The replay of the minimized schedule passes.
		"confirmed": {1, func(p process) *Outcome {
			if p.n == 1 || p.n > 6 && p.n%3 == 0 {
				return failure()
			}
			return passes()
		}, "found by schedule 1 (the default order)\nnot reproducible: failed in 6 of 22 new processes under the same schedule\n" + uncontrolled},
		// A new process fails differently.
		"other": {1, func(p process) *Outcome {
			if p.n == 1 {
				return &Outcome{Kind: Panic, Message: "boom"}
			}
			return passes()
		}, "not reproducible: failed in 1 of 21 new processes under the same schedule\n" + uncontrolled},
	} {
		t.Run(name, func(t *testing.T) {
			r, _, files := reportOf(t, c.run, c.outcome)
			if !strings.Contains(r.Finding, c.want) || strings.Contains(r.Finding, "the test passes") || len(files) != 0 {
				t.Errorf("got %+v, files %q; want %s", r, files, c.want)
			}
		})
	}
}

// A data race that no new process shows is a finding nevertheless.
func TestFound_RaceOnce(t *testing.T) {
	t.Chdir(t.TempDir())
	s := &Settings{only: -1, summary: map[string]string{}, summaries: t.TempDir(), fresh: func(*Config, ...string) *Outcome { return passes() }}
	s.config.Schedules = 5
	r := s.Test("p", "TestX", true, time.Time{}, runner(func(*Schedule) *Outcome {
		return &Outcome{Kind: Race, Message: "two accesses", Shows: []string{"data race", "data race: write at f, write at g"}}
	}))
	if !strings.Contains(r.Finding, "DATA RACE: two accesses once; not reproducible: ") || !strings.Contains(s.summary["TestX"], " new ") {
		t.Errorf("got %+v, summary %q", r, s.summary["TestX"])
	}
}

// A failure that no new process shows is noted. State of earlier runs is its cause only if the same runs lead to it again.
func TestFound_Once(t *testing.T) {
	for name, c := range map[string]struct {
		outcome func(process) *Outcome
		want    string
		not     string
	}{
		"random": {func(process) *Outcome { return passes() },
			"schedule 3 ended with FAILED TEST: unlucky once; not reproducible: it passes under the same schedule, and 40 new processes passed; " +
				uncontrolled, "earlier runs"},
		"warm": {func(p process) *Outcome {
			if p.warm {
				return failure()
			}
			return passes()
		}, "which depends on state that earlier runs left outside of package variables, for example in files, in the standard library, or in a goroutine that a package has started; 40 schedules in new processes passed",
			"draws from"},
		"third run": {func(p process) *Outcome {
			if p.explores {
				return failure()
			}
			return passes()
		}, "which depends on state that earlier runs left", "draws from"},
		"unknown": {func(p process) *Outcome {
			if p.explores {
				return nil
			}
			return passes()
		}, "the test depends on earlier runs, or on something that the schedule does not control", uncontrolled},
		"some processes": {func(p process) *Outcome {
			if p.schedule == "" && p.n%2 == 1 {
				return nil
			}
			return passes()
		}, "20 new processes passed", "40"},
	} {
		t.Run(name, func(t *testing.T) {
			r, _, files := reportOf(t, 3, c.outcome)
			if r.Finding != "" || !strings.Contains(r.Note, c.want) || strings.Contains(r.Note, c.not) || len(files) != 0 {
				t.Errorf("got %+v, files %q; want %s", r, files, c.want)
			}
		})
	}
}

// A note about a finding that depends on earlier runs describes its goroutines.
func TestFound_NoteDetails(t *testing.T) {
	t.Chdir(t.TempDir())
	s := &Settings{only: -1, summary: map[string]string{}, fresh: func(*Config, ...string) *Outcome { return passes() }}
	s.config.Schedules = 5
	runs := 0
	r := s.Test("p", "TestX", false, time.Time{}, runner(func(*Schedule) *Outcome {
		if runs++; runs == 3 {
			return &Outcome{Kind: Deadlock, Message: "1 goroutine is blocked", Details: []string{"goroutine 1 waits for a WaitGroup at x_test.go:7"}}
		}
		return &Outcome{Points: 20, Choices: 500, Hash: uint64(runs)}
	}))
	if r.Finding != "" || !strings.HasPrefix(r.Note, "macemc: schedule 3 ended with DEADLOCK: 1 goroutine is blocked once; ") ||
		!strings.HasSuffix(r.Note, "\n  goroutine 1 waits for a WaitGroup at x_test.go:7") {
		t.Errorf("got %+v", r)
	}
}

// A later execution that passes does not replace a confirmed finding.
func TestFound_KeepsFinding(t *testing.T) {
	drawn, minimized := false, 0
	r, _, files := reportOf(t, 3, func(p process) *Outcome {
		switch {
		case p.warm || p.explores:
			return passes()
		case p.schedule == "":
			drawn = true
			return &Outcome{Kind: Failed, Message: "unlucky", Switches: []Switch{{Who: 4, Place: 1, To: 5}}}
		case strings.Contains(p.schedule, "end 1"):
			return failure()
		case !drawn:
			return passes()
		}
		if minimized++; minimized == 1 { // only once does it fail without the switch
			return failure()
		}
		return passes()
	})
	want := filepath.Join("testdata", "macemc", "TestX", "failed-test-1.path")
	if fmt.Sprint(files) != fmt.Sprint([]string{want}) ||
		!strings.Contains(r.Finding, "macemc: FAILED TEST: unlucky\nfound by schedule 1 in a new process; 1 switch") {
		t.Fatalf("got %+v, files %q", r, files)
	}
	if f, err := Load(want); err != nil || f.Finding != "FAILED TEST: unlucky" || len(f.Schedule.Switches) != 1 {
		t.Errorf("stored %+v, %v", f, err)
	}
}

// A finding is not lost if no new process can execute the test, or if its schedule cannot be stored.
func TestFound_Unconfirmed(t *testing.T) {
	unknown := func(process) *Outcome { return nil }
	r, _, files := reportOf(t, 1, unknown)
	if !strings.Contains(r.Finding, "not confirmed: no new process could execute the test\nreplay: ") || len(files) != 1 {
		t.Errorf("got %+v, files %q", r, files)
	}
	s := &Settings{only: -1, summary: map[string]string{}, fresh: func(*Config, ...string) *Outcome { return failure() }}
	s.config = Config{Seed: 1, Schedules: 40}
	t.Chdir(t.TempDir())
	if err := os.Symlink(filepath.Join("no", "folder"), "testdata"); err != nil {
		t.Fatal(err)
	}
	fails := runner(func(*Schedule) *Outcome { return failure() })
	if r := s.Test("example.org/t", "TestX", false, time.Time{}, fails); !strings.Contains(r.Finding, "the schedule could not be stored: ") {
		t.Errorf("got %+v", r)
	}
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
		report := s.Test("example.org/t", "TestX", false, time.Time{}, runner(func(*Schedule) *Outcome {
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

// A process that ends before a finding is confirmed leaves a summary with it, although the disk is full since the exploration began.
func TestFound_FullDisk(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Symlink(filepath.Join("no", "folder"), "testdata"); err != nil {
		t.Fatal(err)
	}
	file, size, text := "", int64(0), ""
	s := &Settings{only: -1, summary: map[string]string{}, summaries: t.TempDir(), fresh: func(*Config, ...string) *Outcome {
		if text == "" {
			b, err := os.ReadFile(file)
			if text = string(b); err != nil || int64(len(b)) != size {
				t.Errorf("the summary has %d bytes, want %d as before the finding (%v)", len(b), size, err)
			}
		}
		return failure()
	}}
	file = SummaryFile(s.summaries, "example.org/t")
	s.Test("example.org/t", "TestX", false, time.Time{}, runner(func(*Schedule) *Outcome {
		if info, err := os.Stat(file); err == nil && size == 0 {
			size = info.Size()
		}
		return failure()
	}))
	for _, want := range []string{" " + Suspect + " ", "the schedule could not be stored: "} {
		if !strings.Contains(text, want) {
			t.Errorf("want %q in the summary, got %q", want, strings.TrimSpace(text))
		}
	}
}

// The examination of a finding ends before the deadline of package testing.
func TestFound_Deadline(t *testing.T) {
	t.Chdir(t.TempDir())
	synctest.Test(t, func(t *testing.T) {
		deadline, runs := time.Now().Add(4*time.Second), 0
		s := &Settings{only: -1, summary: map[string]string{}, fresh: func(*Config, ...string) *Outcome {
			time.Sleep(50 * time.Millisecond)
			return passes()
		}}
		s.config.Schedules = 200
		r := s.Test("p", "TestX", false, deadline, runner(func(s *Schedule) *Outcome {
			if runs++; runs == 1 {
				return failure()
			}
			return passes()
		}))
		if !strings.Contains(r.Note, "not reproducible") || time.Now().After(deadline) {
			t.Errorf("got %+v, %v after the deadline", r, time.Since(deadline))
		}
	})
}

// A new process that fails at another place does not confirm a failure. One of several data races is enough.
func TestOutcome_SameFailure(t *testing.T) {
	at := func(message, place string) *Outcome {
		return &Outcome{Kind: Failed, Shows: []string{"failed test", "failed TestX: " + message + " at p.TestX " + place}}
	}
	races := func(pairs ...string) *Outcome {
		return &Outcome{Kind: Race, Shows: append([]string{"data race"}, pairs...), Where: pairs[0]}
	}
	for _, c := range []struct {
		name string
		a, b *Outcome
		want bool
	}{
		{"message", at("lost a", "if got != 1 {"), at("lost b", "if got != 1 {"), true},
		{"place", at("lost a", "if got != 1 {"), at("lost a", "if err != nil {"), false},
		{"unknown", at("lost a", "if got != 1 {"), failure(), true},
		{"some races", races("data race: a, b", "data race: c, d"), races("data race: c, d"), true},
		{"other race", races("data race: a, b"), races("data race: c, d"), false},
		{"exit", &Outcome{Kind: Exit, Where: "a.go:1"}, &Outcome{Kind: Exit, Where: "a.go:2"}, false},
	} {
		if c.a.Same(c.b) != c.want || c.b.Same(c.a) != c.want {
			t.Errorf("%s: not %v", c.name, c.want)
		}
	}
}

// Minimization in new processes ends after some of them, however many switches there are.
func TestFound_ManySwitches(t *testing.T) {
	switches := make([]Switch, 2000)
	for i := range switches {
		switches[i] = Switch{Who: 4, Place: uint64(i) + 1, To: 5}
	}
	drawn := false
	r, f, _ := reportOf(t, 3, func(p process) *Outcome {
		switch {
		case p.warm || p.explores:
			return passes()
		case p.schedule == "":
			drawn = true
			return &Outcome{Kind: Failed, Message: "unlucky", Switches: switches}
		case drawn && strings.Count(p.schedule, "\n") > len(switches):
			return failure()
		}
		return passes()
	})
	if !strings.Contains(r.Finding, "FAILED TEST: unlucky") || f.n > 80 {
		t.Errorf("%d processes, %+v", f.n, r)
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
		r := s.Test("example.org/t", "TestX", false, time.Time{}, runner(func(*Schedule) *Outcome { return &Outcome{Followed: c.followed} }))
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
	s.schedule = s.store(&Config{Package: "p", Test: "TestX"}, m)
	for hash, want := range map[uint64]bool{9: true, 8: false} {
		r := s.Test("p", "TestX", false, time.Time{}, runner(func(*Schedule) *Outcome { return &Outcome{Kind: Deadlock, Hash: hash, Trace: o.Trace} }))
		const text = "\ncritical step: 2 of 2; before it the test could still pass, after it 0 of 200 random continuations passed\n  step 1: goroutine 1: unlocks mu at x.go:2\n> step 2: goroutine 2: locks mu at x.go:1\n"
		if strings.Contains(r.Finding, text) != want {
			t.Errorf("order %d: got %s", hash, r.Finding)
		}
	}
	again := *m
	again.Critical = 1
	if file := s.store(&Config{Package: "p", Test: "TestX"}, &again); file != s.schedule {
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
	r := s.Test("example.org/t", "TestX", false, time.Time{}, runner(func(*Schedule) *Outcome { return failure() }))
	want := "missing, or set TMPDIR to another folder\nreplay: "
	if !strings.Contains(r.Finding, "not confirmed: open ") || !strings.Contains(r.Finding, want) {
		t.Errorf("want %q in\n%s", want, r.Finding)
	}
}

// A finding of a patient run is not reported with a smaller schedule that a patient run passes. Runs of this process are not patient, and
// find it with fewer switches.
func TestFound_HastyMinimization(t *testing.T) {
	t.Chdir(t.TempDir())
	needed := Switch{Who: 4, Place: 1, To: 12}
	s := &Settings{only: -1, summary: map[string]string{}}
	s.fresh = func(_ *Config, env ...string) *Outcome {
		for _, e := range env {
			if file, ok := strings.CutPrefix(e, VariableSchedule+"="); ok {
				if f, err := Load(file); err != nil || !s.Hasty && !slices.Contains(f.Schedule.Switches, needed) {
					return passes()
				}
				return failure()
			}
		}
		return passes()
	}
	s.config = Config{Seed: 1, Schedules: 40}
	report := s.Test("example.org/t", "TestX", false, time.Time{}, runner(func(sch *Schedule) *Outcome {
		o := failure()
		if o.Patient = true; sch.Policy != Default {
			o.Switches = []Switch{needed}
		} else if len(sch.Switches) == 0 && !s.Hasty {
			o = passes()
		}
		return o
	}))
	files, _ := filepath.Glob("testdata/macemc/TestX/*")
	if len(files) != 1 {
		t.Fatalf("got %+v, files %q", report, files)
	}
	if f, err := Load(files[0]); err != nil || !slices.Contains(f.Schedule.Switches, needed) {
		t.Errorf("got %+v, %v", f, err)
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
