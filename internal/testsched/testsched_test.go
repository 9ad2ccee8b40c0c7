package testsched

import (
	"cmp"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/testsched/program"
)

func TestStored_RoundTrip(t *testing.T) {
	want := &Stored{Package: "example.org/p", Test: "TestX", Finding: "DEADLOCK: the test does not return", CriticalWho: 1 << 63, CriticalPlace: 7, Hash: 1<<64 - 2, Schedule: Schedule{Seed: 1<<64 - 1, Memory: true, Warm: true, Limit: 9, Delay: 5 * time.Millisecond, Unfair: true, Ends: []string{"p.(*T).f"}, Remain: []string{"p.g", "p.g"},
		Switches: []Switch{{Who: 5, Place: 7, To: 9}, {Who: 9, Place: 3<<40 | 2 | 1<<63, To: 5}, {Who: 9, Place: 8, To: pauses}}}}
	var b strings.Builder
	if _, err := want.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	got, err := Read(strings.NewReader(b.String()))
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
	for _, c := range []struct {
		critical string
		hash     uint64
	}{{"", 0}, {" passing 3 of 6 order fffffffffffffffe", want.Hash}} {
		old := strings.Replace(b.String(), " order fffffffffffffffe", c.critical, 1)
		if got, err := Read(strings.NewReader(old)); err != nil || got.CriticalPlace != 7 || got.Hash != c.hash {
			t.Errorf("an older file: got %+v, %v; want order %x", got, err, c.hash)
		}
	}
	for _, damage := range [][2]string{{"macemc schedule 1", "macemc schedule 2"}, {"end 3", "end 2"}, {"end 3\n", ""},
		{"pause 9", "pause y"}, {"switch 5", "switch x"}, {"seed ", "seeds "}, {"critical 8", "critical x"}, {"order f", "order x"}, {"delay 5ms", "delay -5ms"}, {"delay 5ms", "delay 5"}} {
		text := strings.Replace(b.String(), damage[0], damage[1], 1)
		if _, err := Read(strings.NewReader(text)); err == nil {
			t.Errorf("%q in place of %q was read", damage[1], damage[0])
		}
	}
}

func TestOutcome_BetweenProcesses(t *testing.T) {
	want := &Outcome{Kind: Failed, Message: "x \"y\"\nz", Where: "a.go:1", Points: 3, Followed: 1, Hash: 1 << 63, Details: []string{"one", "two three"}, Switches: []Switch{{1, 1 << 63, 3}},
		Untraced: 9, Trace: []Event{{1 << 63, 2, 3, 5, program.OpLock, program.OpSend, 1, 2, "s.mu #4", "a.go:1", "TestA.func1", "/m/a.go", true, 1, 7}},
		States:  []State{{1 << 63, 1, 3, Parks, "sync.Mutex.Lock", "s.mu #4", "a.go:1", "TestA.func1", 2}, {5, 1, 2, Ends, "", "", "", "", 0}},
		Origins: []Origin{{2, true, 1, 7, "a.go:3", "TestA", ""}, {3, false, 1, 8, "a.go:4", "TestA", "net/http.(*Server).Serve"}}}
	if got := Decode(encode(want)); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if Decode("nothing") != nil {
		t.Error("an outcome was read from nothing")
	}
}

// remove finds the shortest list when exactly two elements are needed.
func TestRemove(t *testing.T) {
	for _, needed := range [][2]uint64{{0, 1}, {3, 17}, {98, 99}, {0, 99}} {
		var list []Switch
		for i := range uint64(100) {
			list = append(list, Switch{Who: i})
		}
		tried := 0
		got := remove(list, func() bool { return true }, func(l []Switch) bool {
			tried++
			return slices.Contains(l, Switch{Who: needed[0]}) && slices.Contains(l, Switch{Who: needed[1]})
		})
		if want := []Switch{{Who: needed[0]}, {Who: needed[1]}}; !slices.Equal(got, want) || tried > 100 {
			t.Errorf("needed %v: got %v after %d tries", needed, got, tried)
		}
	}
	asked := 0
	left := func() bool { asked++; return asked <= 3 }
	got := remove(make([]Switch, 1000), left, func([]Switch) bool { return false })
	if len(got) != 1000 || asked != 4 {
		t.Errorf("%d elements remain after %d looks at the budget, not 1000 after 4", len(got), asked)
	}
}

// toy is a test whose outcome depends on the seed or, in the default order, on switches.
func toy(bad func(*Schedule) bool) func(*Schedule) *Outcome {
	return func(s *Schedule) *Outcome {
		o := &Outcome{Points: 20, Choices: 10, Hash: s.Seed}
		if bad(s) {
			o.Kind = Deadlock
			o.Switches = s.Switches
			if s.Policy != Default {
				o.Switches = []Switch{{Who: 1, Place: 2, To: 3}, {Who: 4, Place: 5, To: 6}, {Who: 7, Place: 8, To: 9}}
			}
		}
		return o
	}
}

func TestExplore_StopsAtFinding(t *testing.T) {
	n := 0
	r := Explore(Config{Seed: 1, Schedules: 100}, toy(func(s *Schedule) bool { n++; return n == 40 }))
	if r.Schedules != 40 || r.Finding == nil || r.Finding.Kind != Deadlock || len(r.Found.Switches) != 3 {
		t.Errorf("%+v", r)
	}
}

func TestExplore_Limits(t *testing.T) {
	pass := toy(func(*Schedule) bool { return false })
	if r := Explore(Config{Seed: 1, Schedules: 100}, pass); r.Schedules != 100 || r.Orders != 100 || r.Finding != nil || r.Saturated {
		t.Errorf("%+v", r)
	}
	same := func(s *Schedule) *Outcome { o := pass(s); o.Hash, o.Long = s.Seed%3, s.Policy == Systematic; return o }
	if r := Explore(Config{Seed: 1, Schedules: 10000}, same); !r.Saturated || r.Orders != 3 || r.Schedules > 300 {
		t.Errorf("three orders: %+v", r)
	}
	only := func(s *Schedule) *Outcome { return &Outcome{Points: 5} }
	if r := Explore(Config{Seed: 1, Schedules: 10000}, only); r.Orders != 1 || r.Schedules > 4 || r.Complete == nil {
		t.Errorf("one order: %+v", r)
	}
}

// A test that has one order of goroutines, but draws random numbers, is explored as usual.
func TestExplore_OneOrder(t *testing.T) {
	draws := func(s *Schedule) *Outcome { return &Outcome{Points: 5, Sampled: sampledNumbers} }
	if r := Explore(Config{Seed: 1, Schedules: 10000}, draws); r.Orders != 1 || r.Schedules < minSaturated || r.Complete != nil {
		t.Errorf("%+v", r)
	}
}

// A run that reaches the limit of points is a finding if a fair schedule does not end it either.
func TestExplore_NoEnd(t *testing.T) {
	for _, c := range []struct {
		long    func(run int) bool
		endless bool
		finding bool
		tooLong int
	}{
		{func(n int) bool { return n == 5 }, false, false, 1},
		{func(n int) bool { return n == 5 }, true, true, 0},
		{func(n int) bool { return n%3 == 0 }, false, false, 6},
	} {
		n, checks := 0, 0
		r := Explore(Config{Seed: 1, Schedules: 20}, func(s *Schedule) *Outcome {
			if s.Limit != 0 {
				checks++
				if s.Limit != 10*500 || s.Until != 500 || s.Policy != Random || len(s.Switches) != 1 {
					t.Errorf("continued by %+v", s)
				}
				if c.endless {
					return &Outcome{Kind: NoEnd, Points: s.Limit}
				}
				return &Outcome{Points: 700}
			}
			n++
			o := &Outcome{Points: 5, Choices: 500, Hash: uint64(n)}
			if c.long(n) {
				o.Kind, o.Points, o.Switches = NoEnd, 500, []Switch{{Who: 1, Place: 2, To: 3}}
			}
			return o
		})
		if (r.Finding != nil) != c.finding || r.TooLong != c.tooLong || checks > 3 || strings.Contains(r.text(), "did not end") != (c.tooLong > 0) {
			t.Errorf("%+v: %+v, %d checks: %s", c, r, checks, r.text())
		}
	}
}

// If the first run exceeds the limit of points, all runs of the test have a higher limit.
func TestExplore_Long(t *testing.T) {
	limits := map[uint64]int{}
	test := func(points uint64) *Result {
		clear(limits)
		return Explore(Config{Seed: 1, Schedules: 20}, func(s *Schedule) *Outcome {
			limits[s.Limit]++
			if limit := cmp.Or(s.Limit, 500); points > limit {
				return &Outcome{Kind: NoEnd, Points: limit, Choices: 500}
			}
			return &Outcome{Points: points, Choices: 500, Hash: s.Seed}
		})
	}
	if r := test(3000); r.Finding != nil || r.Schedules != 20 || r.TooLong != 0 || limits[0] != 1 || limits[5000] != 20 {
		t.Errorf("%+v, limits %v", r, limits)
	}
	if r := test(6000); r.Finding == nil || r.Finding.Kind != NoEnd || r.Schedules != 1 || r.Found.Limit != 5000 {
		t.Errorf("%+v, limits %v", r, limits)
	}
}

// The first run is not repeated with a higher limit of points if it exceeded another limit, or if there is no time. Long runs are
// announced.
func TestExplore_LongOnce(t *testing.T) {
	for _, c := range []struct {
		advances int
		end      time.Duration
		runs     int
		text     string
	}{
		{0, time.Hour, 2, "the first run passes more than 3000 scheduling points; it is repeated with 10 times as many"},
		{0, 20 * time.Millisecond, 1, ""},
		{100, time.Hour, 1, ""},
	} {
		runs, text := 0, ""
		r := Explore(Config{Seed: 1, End: time.Now().Add(c.end), Long: func(s string) { text += s }}, func(*Schedule) *Outcome {
			runs++
			time.Sleep(10 * time.Millisecond)
			return &Outcome{Kind: NoEnd, Points: 3001, Advances: c.advances}
		})
		if runs != c.runs || text != c.text || r.Finding == nil {
			t.Errorf("%+v: %d runs, %q, %v", c, runs, text, r.Finding)
		}
	}
}

// The progress of an exploration is shown between runs.
func TestExplore_Progress(t *testing.T) {
	var shown []int
	Explore(Config{Seed: 1, Schedules: 4, Progress: func(r *Result) {
		if shown = append(shown, r.Schedules); r.Elapsed < time.Second {
			t.Errorf("after %v", r.Elapsed)
		}
	}}, func(s *Schedule) *Outcome {
		time.Sleep(600 * time.Millisecond)
		return &Outcome{Points: 5, Choices: 500, Hash: s.Seed}
	})
	if !slices.Equal(shown, []int{2}) {
		t.Errorf("shown after %v schedules", shown)
	}
}

// With NoLeaks, leaks are only noted.
func TestExplore_NoLeaks(t *testing.T) {
	r := Explore(Config{Seed: 1, Schedules: 20, NoLeaks: true}, func(s *Schedule) *Outcome {
		return &Outcome{Kind: Leak, Points: 5, Choices: 500, Hash: s.Seed, Details: []string{"goroutine 2 waits"}}
	})
	if r.Finding != nil || r.Schedules != 20 || !slices.Equal(r.Left, []string{"goroutine 2 waits"}) {
		t.Errorf("%+v", r)
	}
}

// Explorations with the same seed draw the same schedules, and those with different seeds draw different ones.
func TestExplore_SeedDecides(t *testing.T) {
	drawn := func(seed uint64) (all []Schedule) {
		Explore(Config{Seed: seed, Schedules: 50, Race: true}, func(s *Schedule) *Outcome {
			all = append(all, *s)
			return &Outcome{Points: 100, Choices: 1, Hash: s.Seed}
		})
		return all
	}
	if a, b := drawn(1), drawn(1); !reflect.DeepEqual(a, b) {
		t.Error("one seed, two explorations")
	}
	if a, b := drawn(1), drawn(2); reflect.DeepEqual(a, b) {
		t.Error("two seeds, one exploration")
	}
	policies := map[Policy]int{}
	for _, s := range drawn(1) {
		policies[s.Policy]++
	}
	for _, p := range []Policy{Random, PCT, POS, SURW} {
		if policies[p] < 5 {
			t.Errorf("%v orders %d of 50 runs", p, policies[p])
		}
	}
	// Each policy comes with passing time and without it.
	for _, p := range []Policy{Random, PCT, POS, SURW} {
		for _, passes := range []uint32{0, 16} {
			if !slices.ContainsFunc(drawn(1)[:20], func(s Schedule) bool { return s.Policy == p && s.Passes == passes }) {
				t.Errorf("none of the first schedules has policy %v and time that passes with 1/%d", p, passes)
			}
		}
	}
	if s := drawn(1)[1]; s.Policy != Local || !s.Unfair {
		t.Errorf("%+v, want the local order", s)
	}
}

// A schedule that is a local minimum is replaced by one with fewer switches that a random walk finds.
func TestMinimize_LocalMinimum(t *testing.T) {
	var long []Switch
	for i := range uint64(8) {
		long = append(long, Switch{Who: 1, Place: i, To: 2})
	}
	short := []Switch{{Who: 3, Place: 4, To: 5}, {Who: 6, Place: 7, To: 8}}
	run := func(s *Schedule) *Outcome {
		o := &Outcome{Points: 20, Switches: s.Switches}
		switch {
		case s.Policy == PCT && s.Until == 0 && s.Walk%4 == 0:
			o.Kind, o.Switches = Deadlock, append([]Switch{{Who: 9}}, short...)
		case s.Policy == Default && (slices.Equal(s.Switches, long) || slices.Contains(s.Switches, short[0]) && slices.Contains(s.Switches, short[1])):
			o.Kind = Deadlock
		}
		return o
	}
	m := Minimize(&Schedule{Switches: long}, &Outcome{Kind: Deadlock}, time.Time{}, run, run)
	if !slices.Equal(m.Schedule.Switches, short) {
		t.Errorf("%v, want %v", m.Schedule.Switches, short)
	}
}

// A schedule with many switches is replaced by one in which goroutines pause before operations of the user's code.
func TestMinimize_Pauses(t *testing.T) {
	var long []Switch
	for i := range uint64(8) {
		long = append(long, Switch{Who: 1, Place: i, To: 2})
	}
	needed := []Switch{{Who: 1, Place: 20, To: pauses}, {Who: 2, Place: 40, To: pauses}}
	run := func(s *Schedule) *Outcome {
		o := new(Outcome)
		if s.Policy == Default &&
			(slices.Equal(s.Switches, long) || slices.Contains(s.Switches, needed[0]) && slices.Contains(s.Switches, needed[1])) {
			o.Kind = Deadlock
		}
		return o
	}
	traced := func(s *Schedule) *Outcome {
		o := run(s)
		for place := range uint64(50) {
			for who := range uint64(4) {
				o.Trace = append(o.Trace, Event{Who: who, Place: place, Direct: place%20 == 0})
			}
		}
		return o
	}
	m := Minimize(&Schedule{Switches: long}, &Outcome{Kind: Deadlock}, time.Time{}, run, traced)
	slices.SortFunc(m.Schedule.Switches, func(a, b Switch) int { return int(a.Who) - int(b.Who) })
	if !slices.Equal(m.Schedule.Switches, needed) {
		t.Errorf("%v, want %v", m.Schedule.Switches, needed)
	}
}

// Minimize keeps only the switch that matters and finds the step after which no continuation passes.
func TestMinimize(t *testing.T) {
	needed := Switch{Who: 4, Place: 5, To: 6}
	finding := &Outcome{Kind: Deadlock, Shows: []string{"a goroutine"}}
	run := func(s *Schedule) *Outcome {
		bad := slices.Contains(s.Switches, needed)
		if s.Policy == Random && s.Until < 7 {
			bad = s.Walk%4 == 0
		}
		if s.Policy == Random && !s.Brief {
			t.Fatal("a continuation describes its outcome")
		}
		o := &Outcome{Executed: 20}
		if bad {
			o.Kind = Deadlock
		}
		if bad && !s.Brief {
			o.Shows = finding.Shows
		}
		return o
	}
	last := uint64(20)
	traced := func(s *Schedule) *Outcome {
		o := run(s)
		for point := uint64(1); point <= last; point++ {
			if point != 3 { // a call of Gosched
				o.Trace = append(o.Trace, Event{Count: point})
			}
		}
		return o
	}
	m := Minimize(&Schedule{Switches: []Switch{{Who: 1}, needed, {Who: 7}}}, finding, time.Time{}, run, traced)
	if !slices.Equal(m.Schedule.Switches, []Switch{needed}) || m.Removed == nil || *m.Removed != needed || m.Critical != 6 { // the event of point 7
		t.Errorf("%+v", m)
	}
	last = 5 // the trace was full
	if m := Minimize(&Schedule{Switches: []Switch{needed}}, finding, time.Time{}, run, traced); m.Critical != 0 {
		t.Errorf("the critical step is event %d, and it was not recorded", m.Critical)
	}
}

// Beyond its usual time, a phase continues only while it makes progress, up to a number of runs.
func TestMinimized_Budget(t *testing.T) {
	m := new(Minimized)
	b := m.budget()
	b.start.cpu -= minimizeTime
	b.recent = b.start
	if b.left() {
		t.Error("a phase without progress continues")
	}
	if b.progress(); !b.left() {
		t.Error("a phase with recent progress ends")
	}
	if m.Runs = minimizeRuns; b.left() {
		t.Error("a phase with many runs continues")
	}
	if m.Runs, b.start.cpu = 0, b.start.cpu-minimizeMost; b.left() {
		t.Error("a phase that takes long continues")
	}
}

// Each switch is found in the table by the runtime's lookup.
func TestTable(t *testing.T) {
	var list []Switch
	for i := range uint64(1000) {
		list = append(list, Switch{Who: mix(i) | 4, Place: i, To: i + 1})
	}
	table := Table(nil, list)
	mask := uint64(len(table) - 1)
	for _, s := range list {
		i := mix(s.Who^s.Place<<24) & mask
		for table[i].Who != s.Who || table[i].Place != s.Place {
			if table[i].Who == 0 {
				t.Fatalf("%v is missing", s)
			}
			i = (i + 1) & mask
		}
		if table[i] != s {
			t.Fatalf("%v, want %v", table[i], s)
		}
	}
}

// The goroutines of a cycle of locks come first, and those without user code last.
func TestWaitList_Order(t *testing.T) {
	details := WaitList([]Goroutine{{Number: 1, Func: "Test", At: "a"}, {Number: 2, At: "b"}, {Number: 3, Func: "f", Holder: 4, At: "c"}, {Number: 4, Func: "g", At: "d"}})
	var order []string
	for _, d := range details {
		order = append(order, strings.Fields(d)[1])
	}
	if got := strings.Join(order, " "); got != "3 4 1 2" {
		t.Errorf("goroutines in the order %s", got)
	}
}

// The details of a failed test repeat neither its title nor what package testing prints at the end.
func TestLogs(t *testing.T) {
	for title, want := range map[string][]string{
		"x_test.go:4: wrong":            {"x_test.go:3: begins", "in two lines"},
		"TestX/sub: x_test.go:4: wrong": {"x_test.go:3: begins", "in two lines"},
		"the test failed":               {"x_test.go:3: begins", "x_test.go:4: wrong", "in two lines"},
	} {
		got := Logs("    x_test.go:3: begins\n    --- FAIL: TestX/sub (0.00s)\n        x_test.go:4: wrong\n            in two lines\n", title)
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", title, got, want)
		}
	}
}

// A finding is stored once it is suspected. Its file is later replaced by the minimized one, or removed.
func TestSuspect(t *testing.T) {
	t.Chdir(t.TempDir())
	c := &Config{Package: "p", Test: "TestX"}
	found := &Schedule{Seed: 1, Switches: []Switch{{1, 2, 3}, {4, 5, 6}}}
	r := &Result{Found: found}
	finding := &Outcome{Kind: Deadlock, Message: "blocked"}
	s := &Settings{summaries: t.TempDir(), summary: map[string]string{}}
	files := func(want ...string) {
		t.Helper()
		got, _ := filepath.Glob("testdata/macemc/TestX/*")
		if !slices.Equal(got, want) {
			t.Errorf("files %q, want %q", got, want)
		}
	}
	const first, second = "testdata/macemc/TestX/deadlock-1.path", "testdata/macemc/TestX/deadlock-2.path"

	s.suspect(c, r, finding, "confirmed")
	files(first)
	if note := s.summary["TestX"]; !strings.Contains(note, "DEADLOCK: blocked (the process ended before this was confirmed)") || !strings.Contains(note, first) {
		t.Errorf("note %s", note)
	}
	s.discard("")
	files()
	if list, _ := os.ReadDir("."); len(list) > 0 {
		t.Errorf("%s is left", list[0].Name())
	}

	s.suspect(c, r, finding, "confirmed")
	s.suspect(c, r, &Outcome{Kind: Deadlock, Message: "blocked otherwise"}, "minimized")
	files(first)
	minimized := &Minimized{Schedule: &Schedule{Seed: 1, Switches: found.Switches[:1]}, Outcome: finding}
	if file := s.store(c, minimized); file != first {
		t.Errorf("stored in %s", file)
	}
	files(first)
	if list, err := stored("p", "TestX"); err != nil || len(list) != 1 || len(list[0].Schedule.Switches) != 1 {
		t.Errorf("stored %+v", list)
	}

	s.suspect(c, r, finding, "confirmed") // another schedule
	files(first, second)
	if file := s.store(c, minimized); file != first { // is minimized to the stored one
		t.Errorf("stored in %s", file)
	}
	files(first)

	if err := os.WriteFile(first, []byte("garbage\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("testdata/macemc/TestX/error.path", []byte("macemc path 1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if list, err := stored("p", "TestX"); err == nil || !strings.Contains(err.Error(), first+": line 1: a schedule begins with") {
		t.Errorf("a damaged file: %v, %v", list, err)
	}

	for _, file := range []string{first, filepath.Dir(first) + "/error.path"} {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := stored("p", "TestX"); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir("testdata"); err != nil || len(left) > 0 {
		t.Errorf("the folder, which is the user's, has %v: %v", left, err)
	}
	s = &Settings{}
	s.suspect(c, r, finding, "confirmed")
	s.discard("")
	if left, err := os.ReadDir("testdata"); err != nil || len(left) > 0 {
		t.Errorf("the folder, which is the user's, has %v: %v", left, err)
	}
}

func TestOrigin_String(t *testing.T) {
	for want, g := range map[string]Origin{
		"started by the timer set at batch.go:21 in (*Batcher).Add":         {Timer: true, At: "batch.go:21", Func: "(*Batcher).Add"},
		"started by the timer set in the standard library (net/http.serve)": {Timer: true, At: "the standard library (net/http.serve)"},
		"started at x_test.go:3":                                     {At: "x_test.go:3", Func: "TestX"},
		"started by net/http.(*Server).Serve, called at x_test.go:4": {At: "x_test.go:4", Func: "TestX", Starter: "net/http.(*Server).Serve"},
		"started by net/http.(*conn).serve":                          {At: "the standard library (net/http.(*conn).serve)", Starter: "net/http.(*conn).serve"},
	} {
		if got := g.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// The function of the distribution with a go statement starts a goroutine, except WaitGroup.Go.
func TestStack_Starter(t *testing.T) {
	frame := func(name string) runtime.Frame {
		f := runtime.Frame{Function: name, File: "/m/x_test.go"}
		if !strings.Contains(name, "TestX") {
			f.File = program.Root + "x.go"
		}
		return f
	}
	for want, names := range map[string][]string{
		"":                         {"runtime.newproc", "sync.(*WaitGroup).Go", "example.org/x.TestX"},
		"net/http.(*Server).Serve": {"runtime.newproc", "net/http.(*Server).Serve", "example.org/x.TestX"},
	} {
		var s Stack
		for _, name := range names {
			s = append(s, frame(name))
		}
		if got := s.Starter(); got != want {
			t.Errorf("%v: %q, want %q", names, got, want)
		}
	}
	if got := (Stack{frame("runtime.newproc"), frame("example.org/x.TestX"), frame("testing.tRunner")}).Starter(); got != "" {
		t.Errorf("the test itself: %q", got)
	}
}

// A report describes each goroutine that it names once, unless the headline does.
func TestExplain_Identities(t *testing.T) {
	o := &Outcome{Kind: Failed, Message: "wrong", Details: []string{"goroutine 3 sleeps at x.go:1, started at x.go:2", "goroutine 4 sleeps at x.go:5"},
		Origins: []Origin{{Number: 3, At: "x.go:2"}, {Number: 4, Timer: true, At: "x.go:4"}, {Number: 5, At: "x.go:6"}, {Number: 7, At: "x.go:6"}, {Number: 10, At: "x.go:6"}}}
	got := o.identities("TestX", headline(o), []string{"goroutine 1 pauses", "goroutine 4 continues in place of goroutine 9", "goroutine 10, goroutine 7, goroutine 5"})
	if want := []string{"  goroutine 4: started by the timer set at x.go:4", "  goroutine 1: TestX", "  goroutines 5, 7 and 10: started at x.go:6"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The file of a program that wrote no comment is the same finding.
func TestStored_Comment(t *testing.T) {
	t.Chdir(t.TempDir())
	s, c := new(Settings), &Config{Package: "p", Test: "TestX"}
	m := &Minimized{Schedule: &Schedule{Seed: 3}, Outcome: &Outcome{Kind: Panic, Message: "boom"}}
	file := s.store(c, m)
	text, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(text), "edit nothing but a line") {
		t.Fatalf("%v: %q", err, text)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(string(text), comment+"\n", "", 1)), 0o666); err != nil {
		t.Fatal(err)
	}
	if again := s.store(c, m); again != file {
		t.Errorf("the finding is kept a second time, in %s", again)
	}
	if f, err := Load(file); err != nil || f.Schedule.Seed != 3 {
		t.Errorf("%v, %v", f, err)
	}
	if f, err := Read(strings.NewReader(strings.Replace(string(text), "\n", "\nknown issue 12\n", 1))); err != nil || f.Known != "issue 12" {
		t.Errorf("known above the comment: %v, %v", f, err)
	}
}

// Saved schedules that pass are counted, with those that do not apply.
func TestExplore_Saved(t *testing.T) {
	list := []*Stored{{Schedule: Schedule{Switches: []Switch{{Who: 4, Place: 1, To: 8}}}}, {}, {Known: "issue 12"}}
	r := Explore(Config{Corpus: list, Schedules: 4}, func(*Schedule) *Outcome { return &Outcome{} })
	if want := (Saved{Passing: 2, Unfit: 1}); r.Saved != want {
		t.Errorf("got %+v, want %+v", r.Saved, want)
	}
	for want, saved := range map[string]Saved{"": {}, "1 saved schedule passes": {Passing: 1}, "2 saved schedules pass, but the code may have changed for 1": r.Saved,
		"1 saved schedule passes, but the code may have changed": {1, 1}} {
		if got := saved.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if text := r.text(); !strings.Contains(text, "; 2 saved schedules pass") {
		t.Error(text)
	}
}

func TestDiffers(t *testing.T) {
	preempted, blocked, choice, timer := Switch{Who: 5, Place: 3, To: 9}, Switch{Who: 5, Place: 3 | blockedBit | 1<<40, To: 9}, Switch{Who: 5, Place: 4 | caseBit, To: 3}, Switch{Who: 5, Place: 7, To: timePasses}
	for _, c := range []struct {
		list []Switch
		want string
	}{
		{nil, ""},
		{[]Switch{preempted}, "; 1 switch more than the default order, a preemption"},
		{[]Switch{preempted, blocked}, "; 2 switches differ from the default order, 1 preemption among the switches"},
		{[]Switch{preempted, preempted}, "; 2 switches more than the default order, all preemptions"},
		{[]Switch{blocked}, "; 1 switch differs from the default order"},
		{[]Switch{preempted, choice}, "; 1 switch more than the default order, a preemption; 1 case of a select differs from it"},
		{[]Switch{choice}, "; 1 case of a select differs from the default order"},
		{[]Switch{{Who: 5, Place: 3, To: pauses}, {Who: 6, Place: 3, To: pauses}}, "; 2 pauses more than the default order"},
		{[]Switch{preempted, blocked, timer}, "; 2 switches and 1 timer differ from the default order, 1 preemption among the switches"},
		{[]Switch{choice, timer, blocked}, "; 1 switch and 1 case of a select and 1 timer differ from the default order"},
	} {
		if got := differs(c.list); got != c.want {
			t.Errorf("%v: %q, want %q", c.list, got, c.want)
		}
	}
}

func TestMinimized_Differences(t *testing.T) {
	trace := []Event{{Who: 5, Number: 1, Place: 3, Op: 5, At: "a_test.go:7", Func: "TestA"},
		{Who: 9, Number: 2, Place: 1, Op: 4, At: "a_test.go:9"}}
	preempted, pause, absent := Switch{Who: 5, Place: 3, To: 9}, Switch{Who: 5, Place: 3, To: pauses}, Switch{Who: 5, Place: 8, To: pauses}
	const at = "step 1 (locks at a_test.go:7 in TestA)"
	for _, c := range []struct {
		list    []Switch
		removed *Switch
		want    []string
	}{
		{nil, nil, nil},
		{[]Switch{preempted, absent}, nil, []string{"  goroutine 2 continues in place of goroutine 1 before " + at}},
		{[]Switch{preempted, pause, {Who: 5, Place: 3 | blockedBit | 1<<40, To: 9}}, &pause, []string{
			"  goroutine 2 continues in place of goroutine 1 before " + at,
			"  goroutine 1 pauses before " + at + " until all others wait; the test passes without that",
			"  goroutine 2 continues in place of goroutine 1 after " + at}},
		{[]Switch{{Who: 9, Place: 1 | caseBit, To: 3}, {Who: 5, Place: 3, To: timePasses}}, nil, []string{
			"  a timer fires before " + at + ", while goroutine 1 can run",
			"  goroutine 2 takes case 2 in step 2 (selects at a_test.go:9)"}},
		{[]Switch{{Who: 5, Place: 3 | blockedBit, To: timePasses}}, nil, []string{
			"  after " + at + ", a timer fires before any goroutine continues"}},
		{[]Switch{absent, absent, absent, preempted}, &preempted, []string{
			"  goroutine 2 continues in place of goroutine 1 before " + at + "; the test passes without that"}},
		{[]Switch{absent, absent, absent, preempted}, nil, nil},
	} {
		m := &Minimized{Schedule: &Schedule{Switches: c.list}, Outcome: &Outcome{Trace: trace}, Removed: c.removed}
		if got := m.differences(); !slices.Equal(got, c.want) {
			t.Errorf("%v: %q, want %q", c.list, got, c.want)
		}
	}
}

// The step that closed a channel is named for panics of closed channels only: nil channels of one place are not the same.
func TestOutcome_Closed(t *testing.T) {
	closes := Event{Op: program.OpClose, Object: "c", At: "a_test.go:7"}
	for message, want := range map[string]int{"close of closed channel": 1, "close of nil channel": 0} {
		o := &Outcome{Kind: Panic, Message: message, Where: closes.At, Trace: []Event{closes, closes}}
		if got := o.closed(); got != want {
			t.Errorf("%s: step %d, want %d", message, got, want)
		}
	}
}

// The text of sampled schedules states that timers were too far away to fire.
func TestExplore_Delays(t *testing.T) {
	for _, delays := range []bool{false, true} {
		r := Explore(Config{Seed: 1, Schedules: 20}, func(s *Schedule) *Outcome {
			return &Outcome{Points: 5, Choices: 500, Hash: s.Seed, Delays: delays && s.Passes > 0}
		})
		if text := r.text(); strings.Contains(text, "; delays above 1ms are not tried") != delays {
			t.Errorf("delays %v: %s", delays, text)
		}
	}
}
