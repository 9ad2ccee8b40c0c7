package kernel

import (
	"errors"
	"slices"

	"github.com/macemc/macemc/sim"
)

// Judge evaluates all properties in the present state of a world, each once: failing are the numbers of those that do not hold or
// whose functions panic; found is what [World.Check] finds or, where that is nothing, the first panic.
func Judge(w World) (failing []int, found *sim.Finding) {
	props := w.System().Properties
	j := judge{w: w, props: props}
	var panicked *sim.Finding
	for ; j.next < len(props); j.next++ { // past one that panicked
		r := j.goOn()
		if r == nil {
			break
		}
		if panicked == nil {
			panicked = propertyPanic(&props[j.next], r)
		}
		j.failing = append(j.failing, j.next)
	}
	if slices.ContainsFunc(j.failing, func(i int) bool { return props[i].Always != nil }) && errors.As(w.Check(), &found) {
		return j.failing, found
	}
	return j.failing, panicked
}

// judge asks properties in turn.
type judge struct {
	w       World
	props   []sim.Property
	next    int // all before it were asked
	failing []int
}

// goOn asks the next properties, until the function of one panics, with what it returns; nil: all were asked. Where functions are
// contained and nobody gives them up, they are called on one goroutine, unless what ends it may be no finding, see [machine.evaluateShown].
func (j *judge) goOn() any {
	if w, ok := j.w.(*machine); ok && w.opts.Contain && w.watch == nil && !w.check.mayBeStale {
		return j.askApart(w)
	}
	return j.ask()
}

func (j *judge) askApart(w *machine) (r any) {
	w.contained = true
	defer func() {
		w.contained = false
		if end := recover(); end != nil { // of the goroutine
			r = end
		}
	}()
	contained(nil, func() { r = j.ask() })
	return r
}

func (j *judge) ask() (r any) {
	defer func() { r = recover() }()
	for ; j.next < len(j.props); j.next++ {
		if !j.w.Holds(&j.props[j.next]) {
			j.failing = append(j.failing, j.next)
		}
	}
	return nil
}
