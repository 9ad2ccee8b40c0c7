package replay

import (
	"cmp"
	"errors"
	"slices"

	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/contain"
	"github.com/macemc/macemc/internal/kernel/properties"
	"github.com/macemc/macemc/sim"
)

// Evaluate evaluates all properties in the current state of a world, and Always properties twice if one does not hold.
// failing lists the properties that do not hold or panic. found is the finding of [kernel.World.Check]. If there is none, it
// is a property that does not return, the panic of [kernel.World.Live], or the first panic of another property.
func Evaluate(w kernel.World) (failing []int, found *sim.Finding) {
	props := w.System().Properties
	e := evaluation{w: w, props: props}
	var stuck, liveness, other *sim.Finding
	for ; e.next < len(props); e.next++ { // continue after a property that panicked
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

// evaluation evaluates properties in order.
type evaluation struct {
	w       kernel.World
	props   []sim.Property
	next    int // all before it are evaluated
	failing []int
	notLive bool // an Eventually property does not hold
}

// goOn evaluates the next properties until one panics, and returns the panic value. Nil means that all are evaluated.
// If functions are contained and not watched, one goroutine evaluates them all, unless its end may not be a finding,
// see evaluateShown of package properties.
func (e *evaluation) goOn() any {
	if w, ok := e.w.(*kernel.Machine); ok && w.Properties.Apart && w.Properties.Watch == nil && !w.Properties.MayBeStale {
		return e.askApart(w)
	}
	return e.ask()
}

func (e *evaluation) askApart(w *kernel.Machine) (r any) {
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
