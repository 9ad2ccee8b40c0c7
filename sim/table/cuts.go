package table

import (
	"slices"

	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/sim/kernel"
)

// cut says where a crash inside a step strikes: effects from at on do not happen, and those from
// failed on (at most at) did not either.
type cut struct{ at, failed int32 }

type cutState struct {
	outcomes int      // numbers of unsynced writes that may survive
	next     []uint32 // by that number: the local state, plus one
}

// crashedInside returns the local states after a crash inside the step, by what survives.
func (e *engine) crashedInside(node sim.NodeID, id uint32, c cut) *cutState {
	l := &e.steps.leaves[id]
	if known, ok := l.cuts[c]; ok {
		return known
	}
	_, outcomes := e.bench.CrashInside(node, l.handled, e.effectsCut(l, c), int(c.at), 0)
	made := &cutState{outcomes: outcomes, next: make([]uint32, outcomes)}
	if l.cuts == nil {
		l.cuts = map[cut]*cutState{}
	}
	l.cuts[c] = made
	return made
}

func (e *engine) survived(node sim.NodeID, id uint32, c cut, kept int) (uint32, error) {
	s := e.crashedInside(node, id, c)
	if next := s.next[kept]; next != 0 {
		return next - 1, nil
	}
	l := &e.steps.leaves[id]
	after, _ := e.bench.CrashInside(node, l.handled, e.effectsCut(l, c), int(c.at), kept)
	next, err := e.intern(node, after, nil)
	if err == nil {
		s.next[kept] = next + 1
	}
	return next, err
}

// effectsCut are the effects of a leaf, of which those that failed are made ones without effect.
func (e *engine) effectsCut(l *leaf, c cut) []kernel.Effect {
	if c.failed >= c.at {
		return l.effects
	}
	effects := slices.Clone(l.effects)
	for i := c.failed; i < c.at; i++ {
		effects[i].Kind = kernel.LogEffect
	}
	return effects
}
