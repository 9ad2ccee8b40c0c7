package testsched

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/testsched/program"
)

// The nearest passing schedule lacks one switch if such a schedule passes. Otherwise it has none, or else a few switches of a random one.
func TestSettings_Nearest(t *testing.T) {
	a, b, c := Switch{1, 1, 2}, Switch{1, 2, 2}, Switch{2, 1, 1}
	for name, x := range map[string]struct {
		list  []Switch
		fails func(*Schedule) (Kind, []Switch)
		want  []Switch // nil means that there is no file
	}{
		"last one that lets it pass": {[]Switch{a, b, c}, func(s *Schedule) (Kind, []Switch) {
			if slices.Contains(s.Switches, a) && slices.Contains(s.Switches, b) {
				return Deadlock, nil
			}
			return Passed, nil
		}, []Switch{a, c}},
		"default order": {[]Switch{a, b}, func(s *Schedule) (Kind, []Switch) {
			if len(s.Switches) > 0 {
				return Deadlock, nil
			}
			return Passed, nil
		}, []Switch{}},
		"random": {nil, func(s *Schedule) (Kind, []Switch) {
			if s.Policy == Random || slices.Contains(s.Switches, b) {
				return Passed, []Switch{a, b, c}
			}
			return Deadlock, nil
		}, []Switch{b}},
		"none": {[]Switch{a}, func(*Schedule) (Kind, []Switch) { return Deadlock, nil }, nil},
	} {
		s := &Settings{outcome: filepath.Join(t.TempDir(), "outcome")}
		s.nearest(&Schedule{Switches: x.list}, &Outcome{Kind: Deadlock}, runner(func(s *Schedule) *Outcome {
			kind, switches := x.fails(s)
			return &Outcome{Kind: kind, Switches: switches}
		}))
		text, err := os.ReadFile(NearestFile(s.outcome))
		if x.want == nil {
			if err == nil {
				t.Errorf("%s: a schedule passes: %s", name, text)
			}
			continue
		}
		o := Decode(string(text))
		if err != nil || o == nil || o.Kind != Passed || !reflect.DeepEqual(append([]Switch{}, o.Switches...), x.want) {
			t.Errorf("%s: got %+v, %v, want the switches %v", name, o, err, x.want)
		}
	}
}

func TestStored_Critical(t *testing.T) {
	trace := []Event{{Who: 5, Place: 1}, {Who: 6, Place: 1}, {Who: 5, Place: 2}}
	for _, c := range []struct {
		who, place uint64
		want       int
	}{{5, 2, 3}, {6, 1, 2}, {6, 2, 0}, {0, 0, 0}} {
		if got := (&Stored{CriticalWho: c.who, CriticalPlace: c.place}).Critical(trace); got != c.want {
			t.Errorf("point %d of goroutine %d is step %d, want %d", c.place, c.who, got, c.want)
		}
	}
}

// The critical step of a run is the same occurrence of its operation in another process, whatever precedes it there.
func TestMinimized_Show(t *testing.T) {
	event := func(who, place uint64, at string) Event {
		return Event{Who: who, Place: place, Op: program.OpLock, At: at}
	}
	trace := []Event{event(5, 1, "a"), event(6, 1, "b"), event(5, 2, "b"), event(5, 3, "b"), event(5, 4, "c")}
	shifted := []Event{event(5, 1, "a"), event(5, 2, "init"), event(5, 3, "init"), event(6, 1, "b"), event(5, 4, "b"), event(5, 5, "b"), event(5, 6, "c")}
	for critical, want := range []int{0, 1, 4, 5, 6, 7} {
		m := &Minimized{Critical: critical, Outcome: &Outcome{Trace: trace}}
		if m.show(&Outcome{Trace: shifted}); m.Critical != want || len(m.Outcome.Trace) != len(shifted) {
			t.Errorf("step %d is step %d, want %d", critical, m.Critical, want)
		}
	}
	m := &Minimized{Critical: 4, Outcome: &Outcome{Trace: trace}}
	if m.show(&Outcome{Trace: trace[:3]}); m.Critical != 0 {
		t.Errorf("step 4 is step %d of a run without it", m.Critical)
	}
}

// A step is critical if none of many random continuations after it passes, nor the default order, and several before it do. If they rarely
// pass, or fail from the first step on, no step is known to be critical.
func TestMinimized_CriticalConvincing(t *testing.T) {
	o := &Outcome{Kind: Race, Executed: 8}
	for n := range o.Executed {
		o.Trace = append(o.Trace, Event{Count: n + 1})
	}
	for _, c := range []struct {
		random, ordered uint64 // numbers of steps before which continuations pass
		one             uint64 // one in so many random ones does
		want            int
	}{{5, 5, 1, 5}, {5, 3, 4, 5}, {5, 5, 1000, 0}, {0, 5, 1, 0}, {3, 5, 1, 0}} {
		m := &Minimized{Schedule: &Schedule{Switches: []Switch{{1, 1, 2}}}, Outcome: o}
		m.critical(func(s *Schedule) *Outcome {
			before := c.random
			if s.Policy == Default {
				before = c.ordered
			}
			if s.Until == 0 && s.Switches != nil || s.Until >= before || s.Policy == Random && s.Walk%c.one != 0 {
				return o
			}
			return &Outcome{}
		})
		if m.Critical != c.want {
			t.Errorf("%+v: step %d is critical", c, m.Critical)
		}
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
	m := Minimize(&Schedule{Switches: long}, &Outcome{Kind: Deadlock}, nil, time.Time{}, run, run)
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
	m := Minimize(&Schedule{Switches: long}, &Outcome{Kind: Deadlock}, nil, time.Time{}, run, traced)
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
	m := Minimize(&Schedule{Switches: []Switch{{Who: 1}, needed, {Who: 7}}}, finding, nil, time.Time{}, run, traced)
	if !slices.Equal(m.Schedule.Switches, []Switch{needed}) || m.Removed == nil || *m.Removed != needed || m.Critical != 6 { // the event of point 7
		t.Errorf("%+v", m)
	}
	last = 5 // the trace was full
	if m := Minimize(&Schedule{Switches: []Switch{needed}}, finding, nil, time.Time{}, run, traced); m.Critical != 0 {
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
			"  goroutine 2 takes another ready case in step 2 (selects at a_test.go:9)"}},
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
