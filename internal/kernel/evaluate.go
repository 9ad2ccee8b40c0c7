package kernel

import (
	"cmp"
	"errors"
	"slices"

	"github.com/macemc/macemc/internal/kernel/contain"
	"github.com/macemc/macemc/internal/kernel/properties"
	"github.com/macemc/macemc/sim"
)

// Evaluate asks all properties in the present state of a world, Always ones twice where one does not hold: failing are the numbers of those that do not hold or
// whose functions panic; found is what [World.Check] finds or, where that is nothing, a property that does not return, what [World.Live] panics
// with, or the first panic of another property.
func Evaluate(w World) (failing []int, found *sim.Finding) {
	props := w.System().Properties
	e := evaluation{w: w, props: props}
	var stuck, liveness, other *sim.Finding
	for ; e.next < len(props); e.next++ { // past one that panicked
		r := e.goOn()
		if r == nil {
			break
		}
		e.failing = append(e.failing, e.next)
		switch f := properties.Panic(&props[e.next], r); {
		case contain.Overdue(f):
			stuck = cmp.Or(stuck, f)
		case props[e.next].Eventually != nil:
			liveness = cmp.Or(liveness, f)
		default:
			other = cmp.Or(other, f)
		}
	}
	if slices.ContainsFunc(e.failing, func(i int) bool { return props[i].Always != nil }) && errors.As(w.Check(), &found) {
		return e.failing, found
	}
	if e.notLive {
		liveness = nil // see Together
	}
	return e.failing, cmp.Or(stuck, liveness, other)
}

// evaluation asks properties in turn.
type evaluation struct {
	w       World
	props   []sim.Property
	next    int // all before it were asked
	failing []int
	notLive bool // an Eventually property does not hold
}

// goOn asks the next properties, until the function of one panics, with what it returns; nil: all were asked. Where functions are
// contained and nobody gives them up, they are called on one goroutine, unless what ends it may be no finding, see [machine.evaluateShown].
func (e *evaluation) goOn() any {
	if w, ok := e.w.(*Machine); ok && w.Opts.Contain && w.watch == nil && !w.Properties.MayBeStale {
		return e.askApart(w)
	}
	return e.ask()
}

func (e *evaluation) askApart(w *Machine) (r any) {
	w.Properties.Contained = true
	defer func() {
		w.Properties.Contained = false
		if end := recover(); end != nil { // of the goroutine
			r = end
		}
	}()
	contain.Call(nil, func() { r = e.ask() })
	return r
}

func (e *evaluation) ask() (r any) {
	defer func() { r = recover() }()
	for ; e.next < len(e.props); e.next++ {
		if p := &e.props[e.next]; !e.w.Holds(p) {
			e.failing = append(e.failing, e.next)
			e.notLive = e.notLive || p.Eventually != nil
		}
	}
	return nil
}
