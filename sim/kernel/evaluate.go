package kernel

import (
	"errors"
	"slices"

	"github.com/macemc/macemc/sim"
)

// Evaluate asks all properties in the present state of a world, each once: failing are the numbers of those that do not hold or
// whose functions panic; found is what [World.Check] finds or, where that is nothing, the first panic, but not of an Eventually property
// behind one that fails: [World.Live] does not ask that one.
func Evaluate(w World) (failing []int, found *sim.Finding) {
	props := w.System().Properties
	e := evaluation{w: w, props: props}
	always := func(i int) bool { return props[i].Always != nil }
	eventually := func(i int) bool { return props[i].Eventually != nil }
	var panicked *sim.Finding
	for ; e.next < len(props); e.next++ { // past one that panicked
		r := e.goOn()
		if r == nil {
			break
		}
		if panicked == nil && !(eventually(e.next) && slices.ContainsFunc(e.failing, eventually)) {
			panicked = propertyPanic(&props[e.next], r)
		}
		e.failing = append(e.failing, e.next)
	}
	if slices.ContainsFunc(e.failing, always) && errors.As(w.Check(), &found) {
		return e.failing, found
	}
	return e.failing, panicked
}

// evaluation asks properties in turn.
type evaluation struct {
	w       World
	props   []sim.Property
	next    int // all before it were asked
	failing []int
}

// goOn asks the next properties, until the function of one panics, with what it returns; nil: all were asked. Where functions are
// contained and nobody gives them up, they are called on one goroutine, unless what ends it may be no finding, see [machine.evaluateShown].
func (e *evaluation) goOn() any {
	if w, ok := e.w.(*machine); ok && w.opts.Contain && w.watch == nil && !w.check.mayBeStale {
		return e.askApart(w)
	}
	return e.ask()
}

func (e *evaluation) askApart(w *machine) (r any) {
	w.contained = true
	defer func() {
		w.contained = false
		if end := recover(); end != nil { // of the goroutine
			r = end
		}
	}()
	contained(nil, func() { r = e.ask() })
	return r
}

func (e *evaluation) ask() (r any) {
	defer func() { r = recover() }()
	for ; e.next < len(e.props); e.next++ {
		if !e.w.Holds(&e.props[e.next]) {
			e.failing = append(e.failing, e.next)
		}
	}
	return nil
}
