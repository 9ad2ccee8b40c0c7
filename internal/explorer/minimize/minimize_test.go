package minimize

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/testsched"
	"github.com/macemc/macemc/internal/testsched/program"
)

// The critical step of a run is the same occurrence of its operation in another process, whatever precedes it there.
func TestResult_Show(t *testing.T) {
	event := func(who, place uint64, at string) testsched.Event {
		return testsched.Event{Who: who, Place: place, Op: program.OpLock, At: at}
	}
	trace := []testsched.Event{event(5, 1, "a"), event(6, 1, "b"), event(5, 2, "b"), event(5, 3, "b"), event(5, 4, "c")}
	shifted := []testsched.Event{event(5, 1, "a"), event(5, 2, "init"), event(5, 3, "init"), event(6, 1, "b"), event(5, 4, "b"), event(5,
		5, "b"), event(5, 6, "c")}
	for critical, want := range []int{0, 1, 4, 5, 6, 7} {
		m := &Result{Critical: critical, Outcome: &testsched.Outcome{Trace: trace}}
		if m.Show(&testsched.Outcome{Trace: shifted}); m.Critical != want || len(m.Outcome.Trace) != len(shifted) {
			t.Errorf("step %d is step %d, want %d", critical, m.Critical, want)
		}
	}
	m := &Result{Critical: 4, Outcome: &testsched.Outcome{Trace: trace}}
	if m.Show(&testsched.Outcome{Trace: trace[:3]}); m.Critical != 0 {
		t.Errorf("step 4 is step %d of a run without it", m.Critical)
	}
}

// A step is critical if none of many random continuations after it passes, nor the default order, and several before it do. If they rarely
// pass, or fail from the first step on, no step is known to be critical.
func TestResult_CriticalConvincing(t *testing.T) {
	o := &testsched.Outcome{Kind: testsched.Race, Executed: 8}
	for n := range o.Executed {
		o.Trace = append(o.Trace, testsched.Event{Count: n + 1, Number: 1, Op: program.OpSend, At: fmt.Sprintf("a.go:%d", n+1)})
	}
	for _, c := range []struct {
		random, ordered uint64 // numbers of steps before which continuations pass
		one             uint64 // one in so many random ones does
		want            int
	}{{5, 5, 1, 5}, {5, 3, 4, 5}, {5, 5, 1000, 0}, {0, 5, 1, 0}, {3, 5, 1, 0}} {
		m := &Result{Schedule: &testsched.Schedule{Switches: []testsched.Switch{{Who: 1, Place: 1, To: 2}}}, Outcome: o}
		m.execute = func(s *testsched.Schedule, _ bool) *testsched.Outcome {
			before := c.random
			if s.Policy == testsched.Default {
				before = c.ordered
			}
			if s.Until == 0 && s.Switches != nil || s.Until >= before || s.Policy == testsched.Random && s.Walk%c.one != 0 {
				return o
			}
			return &testsched.Outcome{}
		}
		step, unknown := m.critical()
		if rare := "> step 5: goroutine 1: sends at a.go:5"; c.one == 1000 && !strings.HasSuffix(unknown, " and after it none:\n"+rare) {
			t.Errorf("the step before which continuations rarely pass is not described: %q", unknown)
		}
		if step != c.want || (unknown == "") != (step > 0) {
			t.Errorf("%+v: step %d is critical, the reason why it is unknown is %q", c, step, unknown)
		}
	}
}

// remove finds the shortest list when exactly two elements are needed.
func TestRemove(t *testing.T) {
	for _, needed := range [][2]uint64{{0, 1}, {3, 17}, {98, 99}, {0, 99}} {
		var list []testsched.Switch
		for i := range uint64(100) {
			list = append(list, testsched.Switch{Who: i})
		}
		tried := 0
		got := Remove(list, func() bool { return true }, func(l []testsched.Switch) bool {
			tried++
			return slices.Contains(l, testsched.Switch{Who: needed[0]}) && slices.Contains(l, testsched.Switch{Who: needed[1]})
		})
		if want := []testsched.Switch{{Who: needed[0]}, {Who: needed[1]}}; !slices.Equal(got, want) || tried > 100 {
			t.Errorf("needed %v: got %v after %d tries", needed, got, tried)
		}
	}
	asked := 0
	left := func() bool { asked++; return asked <= 3 }
	got := Remove(make([]testsched.Switch, 1000), left, func([]testsched.Switch) bool { return false })
	if len(got) != 1000 || asked != 4 {
		t.Errorf("%d elements remain after %d looks at the budget, not 1000 after 4", len(got), asked)
	}
}

// A schedule that is a local minimum is replaced by one with fewer switches that a random walk finds.
func TestRun_LocalMinimum(t *testing.T) {
	var long []testsched.Switch
	for i := range uint64(8) {
		long = append(long, testsched.Switch{Who: 1, Place: i, To: 2})
	}
	short := []testsched.Switch{{Who: 3, Place: 4, To: 5}, {Who: 6, Place: 7, To: 8}}
	run := func(s *testsched.Schedule, _ bool) *testsched.Outcome {
		o := &testsched.Outcome{Points: 20, Switches: s.Switches}
		switch {
		case s.Policy == testsched.PCT && s.Until == 0 && s.Walk%4 == 0:
			o.Kind, o.Switches = testsched.Deadlock, append([]testsched.Switch{{Who: 9}}, short...)
		case s.Policy == testsched.Default && (slices.Equal(s.Switches, long) || slices.Contains(s.Switches, short[0]) &&
			slices.Contains(s.Switches, short[1])):
			o.Kind = testsched.Deadlock
		}
		return o
	}
	m := Run(&testsched.Schedule{Switches: long}, &testsched.Outcome{Kind: testsched.Deadlock}, nil, time.Time{}, run)
	if !slices.Equal(m.Schedule.Switches, short) {
		t.Errorf("%v, want %v", m.Schedule.Switches, short)
	}
}

// A schedule with many switches is replaced by one in which goroutines pause before operations of the user's code.
func TestRun_Pauses(t *testing.T) {
	var long []testsched.Switch
	for i := range uint64(8) {
		long = append(long, testsched.Switch{Who: 1, Place: i, To: 2})
	}
	needed := []testsched.Switch{{Who: 1, Place: 20, To: testsched.Pauses}, {Who: 2, Place: 40, To: testsched.Pauses}}
	run := func(s *testsched.Schedule) *testsched.Outcome {
		o := new(testsched.Outcome)
		if s.Policy == testsched.Default &&
			(slices.Equal(s.Switches, long) || slices.Contains(s.Switches, needed[0]) && slices.Contains(s.Switches, needed[1])) {
			o.Kind = testsched.Deadlock
		}
		return o
	}
	execute := func(s *testsched.Schedule, _ bool) *testsched.Outcome {
		o := run(s)
		for place := range uint64(50) {
			for who := range uint64(4) {
				o.Trace = append(o.Trace, testsched.Event{Who: who, Place: place, Direct: place%20 == 0})
			}
		}
		return o
	}
	m := Run(&testsched.Schedule{Switches: long}, &testsched.Outcome{Kind: testsched.Deadlock}, nil, time.Time{}, execute)
	slices.SortFunc(m.Schedule.Switches, func(a, b testsched.Switch) int { return int(a.Who) - int(b.Who) })
	if !slices.Equal(m.Schedule.Switches, needed) {
		t.Errorf("%v, want %v", m.Schedule.Switches, needed)
	}
}

// Minimize keeps only the switch that matters and finds the step after which no continuation passes.
func TestRun(t *testing.T) {
	needed := testsched.Switch{Who: 4, Place: 5, To: 6}
	finding := &testsched.Outcome{Kind: testsched.Deadlock, Shows: []string{"a goroutine"}}
	run := func(s *testsched.Schedule) *testsched.Outcome {
		bad := slices.Contains(s.Switches, needed)
		if s.Policy == testsched.Random && s.Until < 7 {
			bad = s.Walk%4 == 0
		}
		if s.Policy == testsched.Random && !s.Brief {
			t.Fatal("a continuation describes its outcome")
		}
		o := &testsched.Outcome{Executed: 20}
		if bad {
			o.Kind = testsched.Deadlock
		}
		if bad && !s.Brief {
			o.Shows = finding.Shows
		}
		return o
	}
	last := uint64(20)
	execute := func(s *testsched.Schedule, traced bool) *testsched.Outcome {
		o := run(s)
		for point := uint64(1); traced && point <= last; point++ {
			if point != 3 { // a call of Gosched
				o.Trace = append(o.Trace, testsched.Event{Count: point})
			}
		}
		return o
	}
	m := Run(&testsched.Schedule{Switches: []testsched.Switch{{Who: 1}, needed, {Who: 7}}}, finding, nil, time.Time{}, execute)
	if !slices.Equal(m.Schedule.Switches, []testsched.Switch{needed}) || m.Removed == nil || *m.Removed != needed || m.Critical != 6 { // the event of point 7
		t.Errorf("%+v", m)
	}
	last = 5 // the trace was full
	if m := Run(&testsched.Schedule{Switches: []testsched.Switch{needed}}, finding, nil, time.Time{}, execute); m.Critical != 0 {
		t.Errorf("the critical step is event %d, and it was not recorded", m.Critical)
	}
}

// Beyond its usual time, a phase continues only while it makes progress, up to a number of runs.
func TestResult_Budget(t *testing.T) {
	m := new(Result)
	b := m.budget()
	b.start.CPU -= phaseTime
	b.recent = b.start
	if b.left() {
		t.Error("a phase without progress continues")
	}
	if b.progress(); !b.left() {
		t.Error("a phase with recent progress ends")
	}
	if m.runs = phaseRuns; b.left() {
		t.Error("a phase with many runs continues")
	}
	if m.runs, b.start.CPU = 0, b.start.CPU-Longest; b.left() {
		t.Error("a phase that takes long continues")
	}
}

func TestDiffers(t *testing.T) {
	preempted, blocked, choice, timer := testsched.Switch{Who: 5, Place: 3, To: 9}, testsched.Switch{Who: 5,
		Place: 3 | testsched.BlockedBit | 1<<40, To: 9}, testsched.Switch{Who: 5, Place: 4 | testsched.CaseBit, To: 3},
		testsched.Switch{Who: 5, Place: 7, To: testsched.TimePasses}
	for _, c := range []struct {
		list []testsched.Switch
		want string
	}{
		{nil, ""},
		{[]testsched.Switch{preempted}, "; 1 switch more than the default order, a preemption"},
		{[]testsched.Switch{preempted, blocked}, "; 2 switches differ from the default order, 1 preemption among the switches"},
		{[]testsched.Switch{preempted, preempted}, "; 2 switches more than the default order, all preemptions"},
		{[]testsched.Switch{blocked}, "; 1 switch differs from the default order"},
		{[]testsched.Switch{preempted, choice}, "; 1 switch more than the default order, a preemption; 1 case of a select differs from it"},
		{[]testsched.Switch{choice}, "; 1 case of a select differs from the default order"},
		{[]testsched.Switch{{Who: 5, Place: 3, To: testsched.Pauses}, {Who: 6, Place: 3, To: testsched.Pauses}},
			"; 2 pauses more than the default order"},
		{[]testsched.Switch{preempted, blocked, timer},
			"; 2 switches and 1 timer differ from the default order, 1 preemption among the switches"},
		{[]testsched.Switch{choice, timer, blocked}, "; 1 switch and 1 case of a select and 1 timer differ from the default order"},
	} {
		if got := Differs(c.list); got != c.want {
			t.Errorf("%v: %q, want %q", c.list, got, c.want)
		}
	}
}

func TestResult_Differences(t *testing.T) {
	trace := []testsched.Event{{Who: 5, Number: 1, Place: 3, Op: 5, At: "a_test.go:7", Func: "TestA"},
		{Who: 9, Number: 2, Place: 1, Op: 4, At: "a_test.go:9"}}
	preempted, pause, absent := testsched.Switch{Who: 5, Place: 3, To: 9}, testsched.Switch{Who: 5, Place: 3, To: testsched.Pauses},
		testsched.Switch{Who: 5, Place: 8, To: testsched.Pauses}
	const at = "step 1 (locks at a_test.go:7 in TestA)"
	for _, c := range []struct {
		list    []testsched.Switch
		removed *testsched.Switch
		want    []string
	}{
		{nil, nil, nil},
		{[]testsched.Switch{preempted, absent}, nil, []string{"  goroutine 2 runs before goroutine 1's " + at}},
		{[]testsched.Switch{preempted, pause, {Who: 5, Place: 3 | testsched.BlockedBit | 1<<40, To: 9}}, &pause, []string{
			"  goroutine 2 runs before goroutine 1's " + at,
			"  goroutine 1 pauses before " + at + " until all others wait; the test passes without that",
			"  goroutine 2 runs next after goroutine 1's " + at}},
		{[]testsched.Switch{pause, {Who: 5, Place: 3 | testsched.BlockedBit, To: 9}}, nil, []string{
			"  goroutine 1 pauses before " + at + " until all others wait",
			"  goroutine 2 continues first after the pause of goroutine 1 before " + at}},
		{[]testsched.Switch{{Who: 9, Place: 1 | testsched.CaseBit, To: 3}, {Who: 5, Place: 3, To: testsched.TimePasses}}, nil, []string{
			"  a timer fires before " + at + ", while goroutine 1 can run",
			"  goroutine 2 takes another ready case in step 2 (selects at a_test.go:9)"}},
		{[]testsched.Switch{{Who: 5, Place: 3 | testsched.BlockedBit, To: testsched.TimePasses}}, nil, []string{
			"  after " + at + ", a timer fires before any goroutine continues"}},
		{[]testsched.Switch{absent, absent, absent, preempted}, &preempted, []string{
			"  goroutine 2 runs before goroutine 1's " + at + "; the test passes without that"}},
		{[]testsched.Switch{absent, absent, absent, preempted}, nil, nil},
	} {
		m := &Result{Schedule: &testsched.Schedule{Switches: c.list}, Outcome: &testsched.Outcome{Trace: trace}, Removed: c.removed}
		if got := m.Differences(); !slices.Equal(got, c.want) {
			t.Errorf("%v: %q, want %q", c.list, got, c.want)
		}
	}
	m := &Result{Schedule: &testsched.Schedule{Switches: []testsched.Switch{absent}}, Outcome: &testsched.Outcome{Trace: trace}}
	m.Outcome.Untraced, m.Outcome.Later = 1000, 500
	want := fmt.Sprintf("  1 difference lies elsewhere: the steps are operations 1001 to %d of %d ", 1000+len(trace), 1500+len(trace))
	if got := m.Differences(); len(got) != 1 || !strings.HasPrefix(got[0], want) {
		t.Errorf("a switch outside the recorded operations: got %q, want %q", got, want)
	}
}
