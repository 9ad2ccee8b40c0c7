package explorer

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/explorer/minimize"
	"github.com/macemc/macemc/internal/explorer/schedulefile"
	"github.com/macemc/macemc/internal/explorer/summary"
	"github.com/macemc/macemc/internal/explorer/systematic"
	"github.com/macemc/macemc/internal/testflags"
	"github.com/macemc/macemc/internal/testsched"
	"github.com/macemc/macemc/internal/testsched/program"
)

// knownPanic is a stored finding of TestX that is known.
func knownPanic() *schedulefile.Stored {
	return &schedulefile.Stored{Unit: testsched.Unit{Package: "p", Test: "TestX"}, Finding: "PANIC: boom", Shows: []string{"panic", "panic: boom"}, Known: "issue 12",
		File:     "panic-1.path",
		Schedule: testsched.Schedule{Switches: []testsched.Switch{{Who: 1, Place: 2, To: 3}}}}
}

func panics(shows ...string) *testsched.Outcome {
	return &testsched.Outcome{Kind: testsched.Panic, Shows: shows, Followed: 1}
}

// A known finding does not end an exploration, and another one does.
func TestExplore_Known(t *testing.T) {
	const both = "known PANIC: boom; in 2 of 9 schedules: issue 12 (panic-1.path)"
	for _, c := range []struct {
		what  string
		run   func(n int) *testsched.Outcome
		fresh *testsched.Outcome // of the known schedule in a new process
		want  string
	}{
		{"it recurs", func(n int) *testsched.Outcome {
			if n == 1 || n == 5 {
				return panics("panic", "panic: boom")
			}
			return passes()
		}, nil, both},
		{"another schedule shows it", func(n int) *testsched.Outcome {
			if n == 4 || n == 5 {
				return panics("panic", "panic: boom")
			}
			return passes()
		}, nil, both},
		{"every schedule shows it", func(n int) *testsched.Outcome { return panics("panic", "panic: boom") }, nil,
			"hidden PANIC: boom; in 9 of 9 schedules: issue 12 (panic-1.path)"},
		{"a run shows more", func(n int) *testsched.Outcome {
			if n == 7 {
				return panics("failed TestX: money lost", "panic", "panic: boom")
			}
			return panics("panic", "panic: boom")
		}, nil, "new failed TestX: money lost; PANIC: boom; in 6 of 7 schedules: issue 12 (panic-1.path)"},
		{"its schedule shows less", func(n int) *testsched.Outcome { return panics("panic") }, nil, "new "},
		{"it is gone", func(n int) *testsched.Outcome { return passes() }, &testsched.Outcome{Followed: 1}, "fixed delete panic-1.path"},
		{"its schedule does not apply", func(n int) *testsched.Outcome { return &testsched.Outcome{} }, &testsched.Outcome{},
			"fixed or changed so much that the schedule does not apply: delete panic-1.path"},
		{"only new processes show it", func(n int) *testsched.Outcome { return passes() }, panics("panic", "panic: boom"),
			"known PANIC: boom; only in a new process: issue 12 (panic-1.path)"},
		{"new processes show another one", func(n int) *testsched.Outcome { return passes() }, panics("panic", "panic: bang"),
			"new panic: bang"},
		{"no process executes it", func(n int) *testsched.Outcome { return passes() }, nil, ""},
	} {
		n := 0
		r := Explore(Config{Seed: 1, Schedules: 9, Corpus: []*schedulefile.Stored{knownPanic()}}, func(s *testsched.Schedule) *testsched.Outcome {
			n++
			o := c.run(n)
			o.Choices, o.Hash = 500, uint64(n)
			if o.Kind == testsched.Passed && c.fresh != nil {
				o.Followed = c.fresh.Followed
			}
			return o
		})
		if r.Finding == nil {
			r.repeat(func(*testsched.Schedule) *testsched.Outcome { return c.fresh })
		}
		s := &Settings{summary: map[string]*summary.Test{}, Options: Options{Summaries: t.TempDir()}}
		f := s.knownFindings(r)
		known, fixed := f.Known, f.Fixed
		got := ""
		switch {
		case r.Finding != nil:
			got = "new " + strings.ReplaceAll(strings.ReplaceAll(r.unknown(), "not known: ", ""), "\n", "; ") + strings.Join(known, "\n")
			got = strings.TrimSuffix(got, "; ")
		case len(fixed) > 0:
			got = "fixed " + strings.Join(fixed, "\n")
		case len(known) > 0:
			got = "known " + strings.Join(known, "\n")
			if rep := s.conclude(testsched.Unit{Test: "TestX"}, r, &Report{}, ""); rep.Finding != "" {
				got = "hidden " + strings.TrimSuffix(strings.TrimPrefix(rep.Finding,
					"macemc: known, and nothing else could be looked at: "), "\n")
			}
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", c.what, got, c.want)
		}
	}
}

// Sleep sets leave out orders that a known panic cuts short. All ends of runs are reached nevertheless.
func TestExhaust_Known(t *testing.T) {
	p := toyProgram{{{'P', 1}}, {{'+', 0}, {'+', 0}, {'+', 0}}, {{'?', 0}, {'?', 0}, {'?', 0}}}
	want := map[string]bool{}
	p.bruteForce(toyState{}, -1, systematic.Unbounded, want)
	rt := &toyRuntime{p: p, ends: map[string]bool{}}
	known := &schedulefile.Stored{Shows: []string{"panic"}, Known: "issue 12"}
	r := Explore(Config{Exhaustive: true, Preemptions: systematic.Unbounded, Corpus: []*schedulefile.Stored{known}},
		func(s *testsched.Schedule) *testsched.Outcome {
			if s.Plan == nil {
				return &testsched.Outcome{}
			}
			earlier := maps.Clone(rt.ends)
			clear(rt.ends)
			o := rt.run(s)
			for end := range rt.ends {
				if strings.Contains(end, "panic") {
					o.Kind, o.Shows = testsched.Panic, []string{"panic"}
				}
			}
			maps.Copy(rt.ends, earlier)
			return o
		})
	if r.Finding != nil || r.Complete != nil || r.Missing != "runs end with a known finding" || !maps.Equal(rt.ends, want) {
		t.Errorf("finding %v, %v, missing %q; %d ends, want %d", r.Finding, r.Complete, r.Missing, len(rt.ends), len(want))
	}
}

// A stored schedule that is damaged, or does not say what is known, is an error.
func TestStored_Damaged(t *testing.T) {
	t.Chdir(t.TempDir())
	const file = "testdata/macemc/TestX/panic-1.path"
	var b strings.Builder
	if _, err := knownPanic().WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	text := func(old, replacement string) func() error {
		return func() error {
			return os.WriteFile(file, []byte(strings.Replace(b.String(), old, replacement, 1)), 0o600)
		}
	}
	for _, c := range []struct {
		want string
		make func() error
	}{
		{"", text("", "")},
		{"line 1: a schedule begins with", text("", "\ufeff")},
		{"line 7: unknown line", text("memory", "# memory")},
		{"line 11: the reason is missing", text("known issue 12", "known ")},
		{"line 12: a second line \"known\"", text("known issue 12", "known issue 3\nknown issue 12")},
		{`no line "shows"`, text("shows panic\nshows panic: boom\n", "")},
		{"belongs to TestY in package p", text("TestX", "TestY")},
		{"belongs to TestX in package q", text("package p", "package q")},
		{"the end is missing", text("end 1\n", "")},
		{"not a regular file", func() error { return os.Mkdir(file, 0o700) }},
		{"not a regular file", func() error { return exec.Command("mkfifo", file).Run() }},
		{"no such file", func() error { return os.Symlink("nowhere", file) }},
		{"not a directory", func() error {
			os.Remove(filepath.Dir(file))
			return os.WriteFile(filepath.Dir(file), nil, 0o600)
		}},
	} {
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := c.make(); err != nil {
			t.Logf("skipped: %s: %v", c.want, err)
			continue
		}
		s := &Settings{summary: map[string]*summary.Test{}, Options: Options{Summaries: t.TempDir()}}
		s.Config.Schedules = 5
		r := s.Test(testsched.Unit{Package: "p", Test: "TestX"}, false, time.Time{},
			runner(func(*testsched.Schedule) *testsched.Outcome { return panics("panic", "panic: boom") }))
		damaged := s.summary["TestX"].Kind == summary.Damaged
		if c.want == "" && (damaged || !strings.Contains(r.Finding, "known, and nothing else")) || c.want != "" && (!damaged ||
			!strings.Contains(r.Finding, c.want)) {
			t.Errorf("want %q, got %+v, summary %+v", c.want, r, s.summary["TestX"])
		}
		os.RemoveAll("testdata")
	}
}

// A finding that shows something more often than a known one is new, except a leak of many goroutines.
func TestIdentify_Multiplicity(t *testing.T) {
	waiting := func(kind testsched.Kind, n int) *testsched.Outcome {
		o := &testsched.Outcome{Kind: kind, Waiting: slices.Repeat([]testsched.Goroutine{{Waits: "select"}}, n)}
		o.Identify()
		return o
	}
	stuck := func(n int) *testsched.Outcome { return waiting(testsched.Deadlock, n) }
	if a, b := waiting(testsched.Leak, 990), waiting(testsched.Leak, 1000); !slices.Equal(a.Shows, b.Shows) || len(a.Shows) != 11 ||
		len(waiting(testsched.Leak, 2).Shows) != 3 {
		t.Errorf("a leak of 990 goroutines shows %q, and one of 1,000 alike shows %q", a.Shows, b.Shows)
	}
	one, two := stuck(1), stuck(2)
	r := &Result{known: []*accepted{{Stored: &schedulefile.Stored{Shows: one.Shows}}}, Finding: two}
	const want = "not known: goroutine waits in select at the standard library (2 times)\n"
	if !r.accept(stuck(1), 1) || r.accept(two, 1) || r.unknown() != want || r.known[0].runs != 1 {
		t.Errorf("shows %q and %q, not known %q", one.Shows, two.Shows, r.unknown())
	}
}

// A failure is identified by the user code that is not a helper.
func TestShowFailure(t *testing.T) {
	frame := func(fn, file string) runtime.Frame { return runtime.Frame{Function: fn, File: file, Line: 3} }
	fail, helper := frame("testing.(*common).Fail", program.Root+"testing/testing.go"), frame("p.equal", "/p/helper.go")
	test := frame("p.TestX", "/p/x_test.go")
	for _, c := range []struct {
		message string
		at      testsched.Stack
		want    []string
	}{
		{"got 5", testsched.Stack{fail, helper, test}, []string{"failed TestX: got N at p.TestX x_test.go:3"}},
		{"", testsched.Stack{fail, test}, []string{"failed TestX:  at p.TestX x_test.go:3"}},
		{"bad", testsched.Stack{fail, helper}, []string{"failed TestX: bad at p.equal helper.go:3"}},
		{"the output is wrong", testsched.Stack{fail}, []string{"failed TestX: the output is wrong"}},
		{"race detected during execution of test", testsched.Stack{fail}, nil},
		{"race detected during execution of test", testsched.Stack{fail, test},
			[]string{"failed TestX: race detected during execution of test at p.TestX x_test.go:3"}},
	} {
		o := &testsched.Outcome{}
		if o.ShowFailure("TestX", c.message, c.at, []string{"p.equal"}); !slices.Equal(o.Shows, c.want) {
			t.Errorf("got %q, want %q", o.Shows, c.want)
		}
	}
}

// A finding is fixed only if the command could show it.
func TestKnownLines_Unsought(t *testing.T) {
	const fixed, changed = "fixed: delete p-1.path", "fixed: or changed so much that the schedule does not apply: delete p-1.path"
	for _, c := range []struct {
		what          string
		flags         testflags.Flags
		stored        schedulefile.Stored
		race, noLeaks bool
		unapplied     bool
		want          string
	}{
		{what: "the same", want: fixed},
		{what: "a race", stored: schedulefile.Stored{Shows: []string{"data race", "data race: write"}}, want: "p-1.path needs -race"},
		{what: "memory", stored: schedulefile.Stored{Schedule: testsched.Schedule{Memory: true}}, want: "p-1.path needs -race"},
		{what: "a race build", stored: schedulefile.Stored{Race: true}, want: "p-1.path needs -race"},
		{what: "both race builds", stored: schedulefile.Stored{Race: true}, race: true, unapplied: true, want: changed},
		{what: "more points", race: true, unapplied: true, want: "p-1.path does not apply with -race"},
		{what: "one race build", race: true, want: fixed},
		{what: "a leak", stored: schedulefile.Stored{Shows: []string{"leak"}}, want: fixed},
		{what: "no leaks", stored: schedulefile.Stored{Shows: []string{"leak"}}, noLeaks: true, want: "p-1.path is a leak"},
		{what: "tags", stored: schedulefile.Stored{Flags: "-tags=x"}, want: "p-1.path needs -tags=x"},
		{what: "the same tags", flags: testflags.Flags{Tags: "x"}, stored: schedulefile.Stored{Flags: "-tags=x"}, want: fixed},
		{what: "a subtest", flags: testflags.Flags{Run: "X/a"}, stored: schedulefile.Stored{Unit: testsched.Unit{Test: "TestX"}},
			want: "p-1.path needs a command without '-run=^TestX$/a'"},
		{what: "short", flags: testflags.Flags{Short: true}, want: "p-1.path needs a command without -short"},
	} {
		s := &Settings{flags: c.flags}
		c.stored.File = "p-1.path"
		r := &Result{race: c.race, noLeaks: c.noLeaks, known: []*accepted{{Stored: &c.stored, executed: true, applied: !c.unapplied}}}
		f := s.knownFindings(r)
		fixes, unsought := f.Fixed, f.Unsought
		for i := range fixes {
			fixes[i] = "fixed: " + fixes[i]
		}
		if got := append(fixes, unsought...); !slices.Equal(got, []string{c.want}) {
			t.Errorf("%s: got %q, want %q", c.what, got, c.want)
		}
	}
}

// Without leaks, a new process that shows one neither confirms a known finding nor has a new one.
func TestRepeat_NoLeaks(t *testing.T) {
	for _, known := range []string{"leak", "panic"} {
		r := &Result{noLeaks: true, known: []*accepted{{Stored: &schedulefile.Stored{Shows: []string{known}}, executed: true}}}
		r.repeat(func(*testsched.Schedule) *testsched.Outcome {
			return &testsched.Outcome{Kind: testsched.Leak, Shows: []string{"leak"}}
		})
		if r.Finding != nil || r.recurred() {
			t.Errorf("known %s: finding %+v, recurred %t", known, r.Finding, r.recurred())
		}
	}
}

// With -count, a later execution of a test does not excuse the new finding of an earlier one.
func TestSummarize_Count(t *testing.T) {
	s := &Settings{summary: map[string]*summary.Test{}, Options: Options{Summaries: t.TempDir()}}
	for _, c := range []struct{ kind, want string }{{summary.Suspect, summary.Suspect}, {summary.Hidden, summary.Hidden}, {summary.New, summary.New}, {summary.Hidden, summary.New}, {summary.Damaged, summary.New},
		{summary.Suspect, summary.Suspect}} {
		if s.summarizeAs(c.kind, testsched.Unit{Package: "p", Test: "TestX"}, &Result{}, ""); s.summary["TestX"].Kind != c.want {
			t.Errorf("%s: got %+v, want %s", c.kind, s.summary["TestX"], c.want)
		}
		if got, want := summary.Read(summary.File(s.Summaries, "p")), []*summary.Test{s.summary["TestX"]}; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: read %+v, want %+v", c.kind, got, want)
		}
	}
}

// Long texts differ by a hash of the rest.
func TestBrief(t *testing.T) {
	long := strings.Repeat("a", 1000)
	if a, b := testsched.Brief(long+"b"), testsched.Brief(long+"c"); a == b || len(a) > 450 || strings.Contains(a, "\n") {
		t.Errorf("got %q and %q", a, b)
	}
}

// A message of any length is stored in part.
func TestIdentify_LongMessage(t *testing.T) {
	text := strings.Repeat("0123456789 ", 500_000)
	o := &testsched.Outcome{Kind: testsched.Panic, Message: text, Details: testsched.Logs("short\n"+text+"\n", "")}
	o.Show("panic", text, nil)
	o.Identify()
	for _, got := range append(slices.Clone(o.Shows), o.Details...) {
		if len(got) > 4200 {
			t.Errorf("%d bytes: %s...", len(got), got[:100])
		}
	}
	if !strings.HasSuffix(o.Message, "... (5500000 bytes)") || len(o.Message) > 4200 {
		t.Errorf("message of %d bytes: %s", len(o.Message), o.Message[max(0, len(o.Message)-100):])
	}
}

// Minimization does not turn a finding into one that shows less, which may be known.
func TestMinimize_KeepsIdentity(t *testing.T) {
	a, b := testsched.Switch{Who: 1, Place: 2, To: 3}, testsched.Switch{Who: 4, Place: 5, To: 6}
	run := func(s *testsched.Schedule, _ bool) *testsched.Outcome {
		switch both := slices.Contains(s.Switches, b); {
		case slices.Contains(s.Switches, a) && both:
			return panics("failed TestX: money lost", "panic")
		case slices.Contains(s.Switches, a):
			return panics("panic")
		}
		return passes()
	}
	found := &testsched.Schedule{Switches: []testsched.Switch{a, {Who: 7, Place: 8, To: 9}, b}}
	if m := minimize.Run(found, run(found, false), nil, time.Time{}, run); !slices.Equal(m.Schedule.Switches, []testsched.Switch{a, b}) ||
		len(m.Outcome.Shows) != 2 {
		t.Errorf("got %+v, %q", m.Schedule.Switches, m.Outcome.Shows)
	}
	// New processes minimize it, too.
	s := &Settings{summary: map[string]*summary.Test{}, fresh: func(c *Config, e execution) *testsched.Outcome {
		return run(e.replayed, false)
	}}
	t.Chdir(t.TempDir())
	s.confirm(&Config{Unit: testsched.Unit{Package: "p", Test: "TestX"}}, found, run(found, false), "", nil)
	if f, err := schedulefile.Load("testdata/macemc/TestX/panic-1.path"); err != nil || !slices.Equal(f.Schedule.Switches, []testsched.Switch{a, b}) ||
		len(f.Shows) != 2 {
		t.Errorf("stored %+v, %v", f, err)
	}
}

// New processes that show a known finding do not end the search for an unconfirmed one.
func TestFound_KnownInProcesses(t *testing.T) {
	n := 0
	s := &Settings{summary: map[string]*summary.Test{}, fresh: func(c *Config, e execution) *testsched.Outcome {
		if e.drawn == nil {
			return passes()
		}
		if n++; n < 5 {
			return panics("panic", "panic: boom")
		}
		return panics("panic", "panic: bang")
	}}
	t.Chdir(t.TempDir())
	r := &Result{known: []*accepted{{Stored: knownPanic()}}, First: passes(), first: &testsched.Schedule{}, Finding: failure(),
		Found: &testsched.Schedule{Warm: true}}
	if got := s.found(&Config{Unit: testsched.Unit{Test: "TestX"}, Schedules: 9}, r,
		runner(func(*testsched.Schedule) *testsched.Outcome { return passes() })); !r.known[0].recurred || r.known[0].runs != 0 ||
		!strings.Contains(got.Finding, "found by schedule 5 in a new process") {
		t.Errorf("%d processes, %+v, %+v", n, *r.known[0], got)
	}
}

// A known leak does not hide another one of the same go statement.
func TestLeftovers_Known(t *testing.T) {
	at := reflect.ValueOf(one).Pointer() + 1
	known := &schedulefile.Stored{Known: "issue 12", Shows: []string{"goroutine sleeps at the standard library", "leak"}}
	for _, c := range []struct {
		left []string // wait reasons of the goroutine that the runs leave behind; empty means that it ends
		want string
	}{
		{[]string{"", "", "sleep", "sleep", ""}, ""},
		{[]string{"", "", "sleep", "select", ""}, "goroutine waits in select at the standard library"},
		{[]string{"", "", "select", "sleep", ""}, "goroutine waits in select at the standard library"},
	} {
		runs, waits := 0, map[uint64]string{}
		r := Explore(Config{Seed: 1, Schedules: len(c.left), Corpus: []*schedulefile.Stored{known}}, func(s *testsched.Schedule) *testsched.Outcome {
			if s.Ends == nil { // it is not a repetition
				waits[s.Seed] = c.left[runs]
				runs++
			}
			o := &testsched.Outcome{Choices: 500, Hash: uint64(runs)}
			if why := waits[s.Seed]; why == "" {
				o.Ended = []uintptr{at}
			} else {
				o.Left = []testsched.LeftGoroutine{testsched.Leaves(testsched.Goroutine{Waits: why, Go: at})}
			}
			if o.Compare(s); o.Kind != testsched.Passed {
				o.Identify()
			}
			return o
		})
		if c.want == "" && (r.Finding != nil || r.known[0].runs != 1) || c.want != "" && (r.Finding == nil ||
			!slices.Contains(r.Finding.Shows, c.want)) {
			t.Errorf("%q: finding %+v, known %d times", c.left, r.Finding, r.known[0].runs)
		}
	}
}

// A replay line has the flags with which the finding was found.
func TestSettings_Command(t *testing.T) {
	s := &Settings{flags: testflags.Flags{Tags: "x,y", Short: true, Run: "TestX/a b", Skip: "X/c'd", Args: []string{"-slow", "$HOME"}}}
	before, after := s.command(&Config{Unit: testsched.Unit{Test: "TestX"}, Race: true})
	if want := `-race -run '^TestX$/a b' -tags=x,y -short '-skip=X/c'"'"'d'`; before != want || after != " -args -slow '$HOME'" {
		t.Errorf("got %s and %s, want %s", before, after, want)
	}
}
