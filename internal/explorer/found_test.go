package explorer

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/macemc/macemc/internal/explorer/schedulefile"
	"github.com/macemc/macemc/internal/explorer/summary"
	"github.com/macemc/macemc/internal/testsched"
)

// A failure that new processes do not determine is reported with the number of processes that failed.
func TestFound_Undetermined(t *testing.T) {
	exists := true // a file that the test of this process has left
	for name, c := range map[string]struct {
		run     int
		outcome func(process) *testsched.Outcome
		want    string
	}{
		// It writes a file and fails, or removes the file and passes.
		"toggle": {1, func(p process) *testsched.Outcome {
			if exists = exists == p.warm; exists {
				return failure()
			}
			return passes()
		}, "found by schedule 1 in a new process\nnot reproducible: failed in 11 of 21 new processes under the same schedule\n" + uncontrolled},
		// Random numbers from a file confirm the finding once, and not again.
		"lucky": {5, func(p process) *testsched.Outcome {
			if p.schedule == nil && !p.explores || p.n == 5 {
				return failure()
			}
			return passes()
		}, "in a new process\nnot reproducible: failed in 21 of 21 new processes under the same schedule\nthe recorded switches of the schedule do not lead to it"},
		// The replay of the minimized schedule passes.
		"confirmed": {1, func(p process) *testsched.Outcome {
			if p.n == 1 || p.n > 6 && p.n%3 == 0 {
				return failure()
			}
			return passes()
		}, "found by schedule 1 (the default order)\nnot reproducible: failed in 6 of 22 new processes under the same schedule\n" + uncontrolled},
		// A new process fails differently.
		"other": {1, func(p process) *testsched.Outcome {
			if p.n == 1 {
				return &testsched.Outcome{Kind: testsched.Panic, Message: "boom"}
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
	s := &Settings{summary: map[string]*summary.Test{}, Options: Options{Summaries: t.TempDir()}, fresh: func(*Config,
		execution) *testsched.Outcome {
		return passes()
	}}
	s.Config.Schedules = 5
	r := s.Test(testsched.Unit{Package: "p", Test: "TestX"}, true, time.Time{}, runner(func(*testsched.Schedule) *testsched.Outcome {
		return &testsched.Outcome{Kind: testsched.Race, Message: "two accesses", Shows: []string{"data race",
			"data race: write at f, write at g"}}
	}))
	if !strings.Contains(r.Finding, "DATA RACE: two accesses once; not reproducible: ") || s.summary["TestX"].Kind != summary.New {
		t.Errorf("got %+v, summary %+v", r, s.summary["TestX"])
	}
}

// A failure that no new process shows is noted. State of earlier runs is its cause only if the same runs lead to it again.
func TestFound_Once(t *testing.T) {
	for name, c := range map[string]struct {
		outcome func(process) *testsched.Outcome
		want    string
		not     string
	}{
		"random": {func(process) *testsched.Outcome { return passes() },
			"schedule 3 ended with FAILED TEST: unlucky once; not reproducible: it does not recur under the same schedule, and 40 new processes passed; " +
				uncontrolled, "earlier runs"},
		"warm": {func(p process) *testsched.Outcome {
			if p.warm {
				return failure()
			}
			return passes()
		}, "which depends on state that earlier runs left outside of package variables, for example in files, in the standard library, or in a goroutine that a package has started; 40 schedules in new processes passed",
			"draws from"},
		"third run": {func(p process) *testsched.Outcome {
			if p.explores {
				return failure()
			}
			return passes()
		}, "which depends on state that earlier runs left", "draws from"},
		"unknown": {func(p process) *testsched.Outcome {
			if p.explores {
				return nil
			}
			return passes()
		}, "the test depends on earlier runs, or on something that the schedule does not control", uncontrolled},
		"some processes": {func(p process) *testsched.Outcome {
			if p.schedule == nil && p.n%2 == 1 {
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
	s := &Settings{summary: map[string]*summary.Test{}, fresh: func(*Config, execution) *testsched.Outcome { return passes() }}
	s.Config.Schedules = 5
	runs := 0
	r := s.Test(testsched.Unit{Package: "p", Test: "TestX"}, false, time.Time{}, runner(func(*testsched.Schedule) *testsched.Outcome {
		if runs++; runs == 3 {
			return &testsched.Outcome{Kind: testsched.Deadlock, Message: "1 goroutine is blocked",
				Details: []string{"goroutine 1 waits for a WaitGroup at x_test.go:7"}}
		}
		return &testsched.Outcome{Points: 20, Choices: 500, Hash: uint64(runs)}
	}))
	if r.Finding != "" || !strings.HasPrefix(r.Note, "macemc: schedule 3 ended with DEADLOCK: 1 goroutine is blocked once; ") ||
		!strings.HasSuffix(r.Note, "\n  goroutine 1 waits for a WaitGroup at x_test.go:7") {
		t.Errorf("got %+v", r)
	}
}

// A later execution that passes does not replace a confirmed finding.
func TestFound_KeepsFinding(t *testing.T) {
	drawn, minimized := false, 0
	r, _, files := reportOf(t, 3, func(p process) *testsched.Outcome {
		switch {
		case p.warm || p.explores:
			return passes()
		case p.schedule == nil:
			drawn = true
			return &testsched.Outcome{Kind: testsched.Failed, Message: "unlucky", Switches: []testsched.Switch{{Who: 4, Place: 1, To: 5}}}
		case len(p.schedule.Switches) == 1:
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
		!strings.Contains(r.Finding, "macemc: FAILED TEST: unlucky\nfound by schedule 1 in a new process; 1 switch") ||
		!strings.Contains(r.Finding, "\nno critical step is known: each schedule needs a new process\n") {
		t.Fatalf("got %+v, files %q", r, files)
	}
	if f, err := schedulefile.Load(want); err != nil || f.Finding != "FAILED TEST: unlucky" || len(f.Schedule.Switches) != 1 {
		t.Errorf("stored %+v, %v", f, err)
	}
}

// A finding is not lost if no new process can execute the test, or if its schedule cannot be stored.
func TestFound_Unconfirmed(t *testing.T) {
	unknown := func(process) *testsched.Outcome { return nil }
	r, _, files := reportOf(t, 1, unknown)
	if !strings.Contains(r.Finding, "not confirmed: no new process could execute the test\nreplay: ") || len(files) != 1 {
		t.Errorf("got %+v, files %q", r, files)
	}
	s := &Settings{summary: map[string]*summary.Test{}, fresh: func(*Config, execution) *testsched.Outcome { return failure() }}
	s.Config = Config{Seed: 1, Schedules: 40}
	t.Chdir(t.TempDir())
	if err := os.Symlink(filepath.Join("no", "folder"), "testdata"); err != nil {
		t.Fatal(err)
	}
	fails := runner(func(*testsched.Schedule) *testsched.Outcome { return failure() })
	if r := s.Test(testsched.Unit{Package: "example.org/t", Test: "TestX"}, false, time.Time{}, fails); !strings.Contains(r.Finding,
		"the schedule could not be stored: ") {
		t.Errorf("got %+v", r)
	}
}

// A process that ends before a finding is confirmed leaves a summary with it, although the disk is full since the exploration began.
func TestFound_FullDisk(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Symlink(filepath.Join("no", "folder"), "testdata"); err != nil {
		t.Fatal(err)
	}
	file, size, text := "", int64(0), ""
	s := &Settings{summary: map[string]*summary.Test{}, Options: Options{Summaries: t.TempDir()}, fresh: func(*Config, execution) *testsched.Outcome {
		if text == "" {
			b, err := os.ReadFile(file)
			if text = string(b); err != nil || int64(len(b)) != size {
				t.Errorf("the summary has %d bytes, want %d as before the finding (%v)", len(b), size, err)
			}
		}
		return failure()
	}}
	file = summary.File(s.Summaries, "example.org/t")
	s.Test(testsched.Unit{Package: "example.org/t", Test: "TestX"}, false, time.Time{},
		runner(func(*testsched.Schedule) *testsched.Outcome {
			if info, err := os.Stat(file); err == nil && size == 0 {
				size = info.Size()
			}
			return failure()
		}))
	for _, want := range []string{`"Kind":"` + summary.Suspect + `"`, "the schedule could not be stored: "} {
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
		s := &Settings{summary: map[string]*summary.Test{}, fresh: func(*Config, execution) *testsched.Outcome {
			time.Sleep(50 * time.Millisecond)
			return passes()
		}}
		s.Config.Schedules = 200
		r := s.Test(testsched.Unit{Package: "p", Test: "TestX"}, false, deadline, runner(func(s *testsched.Schedule) *testsched.Outcome {
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
	at := func(message, place string) *testsched.Outcome {
		return &testsched.Outcome{Kind: testsched.Failed, Shows: []string{"failed test",
			"failed TestX: " + message + " at p.TestX " + place}}
	}
	races := func(pairs ...string) *testsched.Outcome {
		return &testsched.Outcome{Kind: testsched.Race, Shows: append([]string{"data race"}, pairs...), Where: pairs[0]}
	}
	for _, c := range []struct {
		name string
		a, b *testsched.Outcome
		want bool
	}{
		{"message", at("lost a", "if got != 1 {"), at("lost b", "if got != 1 {"), true},
		{"place", at("lost a", "if got != 1 {"), at("lost a", "if err != nil {"), false},
		{"unknown", at("lost a", "if got != 1 {"), failure(), true},
		{"some races", races("data race: a, b", "data race: c, d"), races("data race: c, d"), true},
		{"other race", races("data race: a, b"), races("data race: c, d"), false},
		{"exit", &testsched.Outcome{Kind: testsched.Exit, Where: "a.go:1"}, &testsched.Outcome{Kind: testsched.Exit, Where: "a.go:2"},
			false},
	} {
		if c.a.SameFinding(c.b) != c.want || c.b.SameFinding(c.a) != c.want {
			t.Errorf("%s: not %v", c.name, c.want)
		}
	}
}

// Two runs show the same if fewer of several like goroutines are blocked in the first one.
func TestOutcome_Equal(t *testing.T) {
	of := func(shows ...string) *testsched.Outcome {
		return &testsched.Outcome{Kind: testsched.Deadlock, Shows: shows}
	}
	found := of("deadlock", "main waits", "reader waits", "reader waits")
	for _, c := range []struct {
		o    *testsched.Outcome
		want bool
	}{
		{found, true},
		{of("deadlock", "main waits", "reader waits"), true},
		{of("deadlock", "main waits", "reader waits", "reader waits", "reader waits"), false},
		{of("deadlock", "main waits"), false},
		{of("deadlock", "main waits", "writer waits"), false},
		{&testsched.Outcome{Kind: testsched.Leak, Shows: found.Shows}, false},
	} {
		if got := c.o.Equal(found); got != c.want {
			t.Errorf("%v: got %v, want %v", c.o.Shows, got, c.want)
		}
	}
}

// Minimization in new processes ends after some of them, however many switches there are.
func TestFound_ManySwitches(t *testing.T) {
	switches := make([]testsched.Switch, 2000)
	for i := range switches {
		switches[i] = testsched.Switch{Who: 4, Place: uint64(i) + 1, To: 5}
	}
	drawn := false
	r, f, _ := reportOf(t, 3, func(p process) *testsched.Outcome {
		switch {
		case p.warm || p.explores:
			return passes()
		case p.schedule == nil:
			drawn = true
			return &testsched.Outcome{Kind: testsched.Failed, Message: "unlucky", Switches: switches}
		case drawn && len(p.schedule.Switches) == len(switches):
			return failure()
		}
		return passes()
	})
	if !strings.Contains(r.Finding, "FAILED TEST: unlucky") || f.n > 80 {
		t.Errorf("%d processes, %+v", f.n, r)
	}
}

// A finding of a patient run is not reported with a smaller schedule that a patient run passes. Runs of this process are not patient, and
// find it with fewer switches.
func TestFound_HastyMinimization(t *testing.T) {
	t.Chdir(t.TempDir())
	needed := testsched.Switch{Who: 4, Place: 1, To: 12}
	s := &Settings{summary: map[string]*summary.Test{}}
	s.fresh = func(_ *Config, e execution) *testsched.Outcome {
		if e.replayed == nil || !s.runs.Hasty && !slices.Contains(e.replayed.Switches, needed) {
			return passes()
		}
		return failure()
	}
	s.Config = Config{Seed: 1, Schedules: 40}
	report := s.Test(testsched.Unit{Package: "example.org/t", Test: "TestX"}, false, time.Time{},
		runner(func(sch *testsched.Schedule) *testsched.Outcome {
			o := failure()
			if o.Patient = true; sch.Policy != testsched.Default {
				o.Switches = []testsched.Switch{needed}
			} else if len(sch.Switches) == 0 && !s.runs.Hasty {
				o = passes()
			}
			return o
		}))
	files, _ := filepath.Glob("testdata/macemc/TestX/*")
	if len(files) != 1 {
		t.Fatalf("got %+v, files %q", report, files)
	}
	if f, err := schedulefile.Load(files[0]); err != nil || !slices.Contains(f.Schedule.Switches, needed) {
		t.Errorf("got %+v, %v", f, err)
	}
}

// A test is not blamed if it passes without exploration and fails in each schedule, whatever the other messages. It is blamed if a schedule
// passes or fails elsewhere, if it fails without exploration, or after a data race.
func TestFound_PlainlyPasses(t *testing.T) {
	fails := func(text, place string) *testsched.Outcome {
		return &testsched.Outcome{Kind: testsched.Failed, Message: text, Shows: []string{"failed test: " + text + " at " + place}}
	}
	for name, c := range map[string]struct {
		run   func(n int) *testsched.Outcome
		plain int // executions without exploration that pass before one fails
		blame bool
	}{
		"each":      {func(n int) *testsched.Outcome { return fails(fmt.Sprint(n), "x_test.go:7") }, 3, false},
		"fails":     {func(n int) *testsched.Outcome { return fails(fmt.Sprint(n), "x_test.go:7") }, 0, true},
		"at times":  {func(n int) *testsched.Outcome { return fails(fmt.Sprint(n), "x_test.go:7") }, 2, true},
		"last":      {func(n int) *testsched.Outcome { return cmp.Or(map[int]*testsched.Outcome{21: passes()}[n], failure()) }, 3, true},
		"elsewhere": {func(n int) *testsched.Outcome { return fails("late", fmt.Sprint("x_test.go:", n)) }, 3, true},
		"second":    {func(n int) *testsched.Outcome { return cmp.Or(map[int]*testsched.Outcome{1: passes()}[n], failure()) }, 3, true},
		"panic": {func(n int) *testsched.Outcome {
			return &testsched.Outcome{Kind: testsched.Panic, InTest: true, Message: fmt.Sprint(n)}
		}, 3, false},
		"behind": {func(int) *testsched.Outcome { return &testsched.Outcome{Kind: testsched.Panic} }, 3, true},
		"at last": {func(n int) *testsched.Outcome {
			return &testsched.Outcome{Kind: testsched.Panic, InTest: n < 21}
		}, 3, true},
		"leak":     {func(int) *testsched.Outcome { return &testsched.Outcome{Kind: testsched.Leak} }, 3, true},
		"deadlock": {func(int) *testsched.Outcome { return &testsched.Outcome{Kind: testsched.Deadlock} }, 3, true},
		"race": {func(int) *testsched.Outcome {
			return &testsched.Outcome{Kind: testsched.Failed, Shows: []string{"data race: write at f, read at g"}}
		}, 3, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			n := 0
			s := &Settings{summary: map[string]*summary.Test{}, Options: Options{Summaries: t.TempDir()}, fresh: func(_ *Config,
				e execution) *testsched.Outcome {
				if e.plain {
					if c.plain--; c.plain < 0 {
						return nil
					}
					return passes()
				}
				return c.run(1)
			}}
			s.Config = Config{Seed: 1, Schedules: 40}
			report := s.Test(testsched.Unit{Package: "example.org/t", Test: "TestX"}, false, time.Time{},
				runner(func(*testsched.Schedule) *testsched.Outcome { n++; return c.run(n) }))
			files, _ := filepath.Glob("testdata/macemc/TestX/*")
			if blamed := report != nil; blamed != c.blame || !blamed && (len(files) > 0 || n != 21 ||
				s.summary["TestX"].Note != "not explored: it fails in each schedule, but not without exploration: 1") {
				t.Errorf("report %+v, want blame %v; %d runs, files %q, summary %+v", report, c.blame, n, files, s.summary["TestX"])
			}
		})
	}
}
