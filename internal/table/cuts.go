package table

import (
	"slices"

	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/sim"
)

// cut says where a crash inside a step strikes: effects from at on do not happen, and those from
// failed on (at most at) did not either.
type cut struct{ at, failed int32 }

type cutState struct {
	outcomes int      // numbers of unsynced writes that may survive
	next     []uint32 // by that number: the local state, plus one
}

// cutsOf are the ways in which a node may fail inside the step of a leaf.
func (e *engine) cutsOf(l *leaf, matters func(kernel.EffectKind) bool) []kernel.Cut {
	return kernel.AppendCuts(nil, e.sys.CrashCut, l.effects, matters)
}

func (l *leaf) cut(c kernel.Cut) cut { return cut{int32(c.At), min(int32(c.At), l.failed)} }

// left are the operations that a cut leaves of a leaf.
func (l *leaf) left(c kernel.Cut) []op {
	end := len(l.ops)
	for end > 0 && int(l.ops[end-1].at) >= c.At {
		end--
	}
	if c.Lost == 0 {
		return l.ops[:end]
	}
	var left []op
	sent := 0
	for _, o := range l.ops[:end] {
		if o.kind == kernel.SendEffect {
			if sent++; c.Lost>>(sent-1)&1 == 1 {
				continue
			}
		}
		left = append(left, o)
	}
	return left
}

// crashedInside returns the local states after a crash inside the step, by what survives.
func (e *engine) crashedInside(node sim.NodeID, id uint32, c cut) *cutState {
	l := e.steps.leaves.at(id)
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
	l := e.steps.leaves.at(id)
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
