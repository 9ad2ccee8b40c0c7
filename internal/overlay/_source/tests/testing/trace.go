// The trace of a run: its events, the states of its goroutines, and the places where they started.

package testing

import (
	program "internal/types"
	"slices"
	testsched "testing/internal"
)

// macemcTracedOp is the operation of an event, for the labels of objects.
type macemcTracedOp struct {
	at   uintptr // of the object
	text string
	op   program.Op
}

// traced adds the events of the run of t to an outcome, except those of package testing, and the changes of goroutine states between them.
// It also adds the list of waiting goroutines, whose objects have the labels of the events.
func (x *macemcExplorer) traced(o *testsched.Outcome, t *T) {
	recorded, states, skipped := x.recorded()
	o.Untraced, o.Later = skipped, int(x.r.ntrace)-skipped-len(recorded)
	var objects testsched.Objects
	var operations []macemcTracedOp
	numbers := map[uint64]int{}
	after := macemcEventsAfter{skipped, make([]int, len(recorded)+1)}
	for i := range recorded {
		e := &recorded[i]
		after.kept[i+1] = after.kept[i]
		numbers[e.who] = int(e.number) - macemcOwn
		f := macemcFrames(e.stack[:])
		if f.Testing() {
			continue
		}
		after.kept[i+1]++
		event, operation := e.in(f)
		objects.Add(operation.op, operation.at, operation.text)
		o.Trace, operations = append(o.Trace, event), append(operations, operation)
	}
	x.showing.printed(o, x.r, t, after)
	x.startedBy(o)
	o.Label(&objects)
	for i := range o.Trace {
		o.Trace[i].Object = objects.Label(operations[i].op, operations[i].at, operations[i].text)
	}
	macemcAddStates(o, states, after, operations, &objects, numbers)
}

// in returns the event and its operation. f is its stack.
func (e *macemcEvent) in(f testsched.Stack) (testsched.Event, macemcTracedOp) {
	op, takes := program.Op(e.op), program.Op(e.takes)
	text := f.Object(op)
	if takes != 0 && !op.Tries() {
		text = f.Case(takes, int(e.nth))
	}
	operation := macemcTracedOp{testsched.Address(e.obj), text, op}
	if f.Inner() {
		op = op.Inner()
	}
	event := testsched.Event{Count: e.count, Who: e.who, Number: int(e.number) - macemcOwn, Place: e.place, Op: op,
		Execution: testsched.Execution{Takes: takes, Case: int(e.nth), Ready: int(e.ready), Call: f.Call(op), Returned: testsched.Result(e.result)},
		At:        f.Where(), Func: f.Func(), File: f.File(), Direct: f.Direct()}
	if e.by != 0 {
		event.By, event.ByPlace = int(e.by)-macemcOwn, e.byAt
	}
	return event, operation
}

// macemcAddStates adds the changes of goroutine states to an outcome. operations are those of its events, numbers those of goroutines.
func macemcAddStates(o *testsched.Outcome, states []macemcGState, after macemcEventsAfter, operations []macemcTracedOp,
	objects *testsched.Objects, numbers map[uint64]int) {
	last, events := map[uint64]macemcTracedOp{}, 0 // the former by goroutine
	for i := range states {
		s := &states[i]
		state := testsched.State{Who: s.who, After: after.event(int(s.after)), Number: int(s.number) - macemcOwn,
			Kind: testsched.StateKind(s.kind)}
		for ; events < state.After; events++ {
			last[o.Trace[events].Who] = operations[events]
		}
		switch state.Kind {
		case testsched.Parks:
			f := macemcFrames(s.stack[:])
			state.Waits, state.At, state.Func, state.Other = f.Waiting(macemcWaits(s.why)), f.Where(), f.Func(), numbers[s.other]
			l := last[s.who]
			state.Object = f.Awaits(macemcWaits(s.why), objects, l.op, l.at)
		case testsched.Ready:
			state.Other = max(0, int(s.other)-macemcOwn)
		case testsched.Holder:
			state.Number, state.Other = numbers[s.who], numbers[s.other]
		}
		if state.Number > 0 {
			o.States = append(o.States, state)
		}
	}
}

// recorded returns the events and states of the run that were recorded, and the number of events before these.
func (x *macemcExplorer) recorded() (events []macemcEvent, states []macemcGState, skipped int) {
	states, forgotten := macemcLast(x.r.states, x.r.nstates)
	n := x.r.ntrace
	if x.windowEnd > 0 {
		n = min(n, x.windowEnd)
	}
	events, skipped = macemcLast(x.r.trace, n)
	if forgotten > 0 { // states between the first events are missing
		from := max(skipped, int(states[0].after))
		events, skipped = events[from-skipped:], from
	}
	return events, states, skipped
}

// keep returns the number of events after which the repetition of a long run records no others, so that it shows the first difference from
// the default order. 0 means that the record ends with the run: it shows that difference, or its finding is an operation at the end.
func (x *macemcExplorer) keep(o *testsched.Outcome) uint32 {
	most, n, first := uint32(len(x.trace)), x.r.ntrace, x.r.window.unchanged
	if n <= most || x.r.followed == 0 || first+most >= n || x.windowEnd > 0 || o.HasRace() {
		return 0
	}
	switch o.Kind {
	case testsched.Failed, testsched.Deadlock, testsched.Leak:
		return max(most, first+most/2)
	}
	return 0
}

// macemcLast returns the last entries of a list to which n entries were written, in turn, and the number of those that others replaced.
func macemcLast[T any](list []T, n uint32) (last []T, replaced int) {
	if int(n) <= len(list) {
		return list[:n], 0
	}
	at := int(n) % len(list)
	return slices.Concat(list[at:], list[:at]), int(n) - len(list)
}

// macemcEventsAfter has the number of an outcome's events among the first recorded ones, from 0 on. Others were skipped before these.
type macemcEventsAfter struct {
	skipped int
	kept    []int
}

// event returns the number of the outcome's events among the first n of the run.
func (a macemcEventsAfter) event(n int) int { return a.kept[min(max(n-a.skipped, 0), len(a.kept)-1)] }

// startedBy adds the origins of goroutines to an outcome.
func (x *macemcExplorer) startedBy(o *testsched.Outcome) {
	if n := macemcTest.number; n > 0 {
		o.Origins = append(o.Origins, testsched.Origin{Number: n, Test: true})
	}
	timers := map[uint64]*macemcOrigin{}
	for i := range x.r.origins[:x.r.norigins] {
		e := &x.origins[i]
		if e.number == 0 {
			timers[e.timer] = e
			continue
		}
		origin := testsched.Origin{Number: int(e.number) - macemcOwn, Timer: e.timer != 0}
		if e.timer != 0 {
			if e = timers[e.timer]; e == nil {
				continue
			}
		}
		if origin.Number <= 1 || int(e.by) <= macemcOwn || origin.Number == macemcTest.number {
			continue
		}
		f := macemcFrames(e.stack[:])
		origin.By, origin.ByPlace, origin.At, origin.Func = int(e.by)-macemcOwn, e.byAt, f.Where(), f.Func()
		origin.Package = f.Package()
		if !origin.Timer {
			origin.Starter = f.Starter()
		}
		o.Origins = append(o.Origins, origin)
	}
}

// macemcFrames returns the stack of program counters, which the first 0 terminates.
func macemcFrames(stack []uintptr) testsched.Stack {
	if n := slices.Index(stack, 0); n >= 0 {
		stack = stack[:n]
	}
	return testsched.Frames(stack)
}
