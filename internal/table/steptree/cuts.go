package steptree

import (
	"slices"

	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/sim"
)

// Cut is a crash inside a step: effects from At on do not happen, and those from Failed on (at most At) had failed
// before.
type Cut struct{ At, Failed int32 }

// cutState is the local state of a node after a crash inside a step.
type cutState struct {
	Outcomes int      // numbers of unsynced writes that may survive
	next     []uint32 // by that number: the local state, plus one
}

// CutsOf returns the ways in which a node may fail inside the step of a leaf.
func (e *Engine) CutsOf(l *Leaf, matters func(stepinfo.EffectKind) bool) []stepinfo.Cut {
	return stepinfo.AppendCuts(nil, e.Sys.CrashCut, l.Effects, matters)
}

// CutOf returns the cut of a leaf's step, without the datagrams that it loses.
func (l *Leaf) CutOf(c stepinfo.Cut) Cut { return Cut{int32(c.At), min(int32(c.At), l.Failed)} }

// OpsLeft returns the operations of a leaf that happen before a cut.
func (l *Leaf) OpsLeft(c stepinfo.Cut) []Op {
	end := len(l.Ops)
	for end > 0 && int(l.Ops[end-1].At) >= c.At {
		end--
	}
	if c.Lost == 0 {
		return l.Ops[:end]
	}
	var left []Op
	sent := 0
	for _, o := range l.Ops[:end] {
		if o.Kind == stepinfo.SendEffect {
			if sent++; c.Lost>>(sent-1)&1 == 1 {
				continue
			}
		}
		left = append(left, o)
	}
	return left
}

// CrashedInside returns the local states after a crash inside the step, by the number of surviving writes.
func (e *Engine) CrashedInside(node sim.NodeID, id uint32, c Cut) *cutState {
	l := e.Trees.Leaves.At(id)
	if known, ok := l.cuts[c]; ok {
		return known
	}
	_, outcomes := e.Bench.CrashInside(node, l.handled, e.effectsCut(l, c), int(c.At), 0)
	made := &cutState{Outcomes: outcomes, next: make([]uint32, outcomes)}
	if l.cuts == nil {
		l.cuts = map[Cut]*cutState{}
	}
	l.cuts[c] = made
	return made
}

// Survived returns the local state after a crash inside the step, if this number of unsynced writes survives.
func (e *Engine) Survived(node sim.NodeID, id uint32, c Cut, kept int) (uint32, error) {
	s := e.CrashedInside(node, id, c)
	if next := s.next[kept]; next != 0 {
		return next - 1, nil
	}
	l := e.Trees.Leaves.At(id)
	after, _ := e.Bench.CrashInside(node, l.handled, e.effectsCut(l, c), int(c.At), kept)
	next, err := e.Intern(node, after, nil)
	if err == nil {
		s.next[kept] = next + 1
	}
	return next, err
}

// effectsCut returns the effects of a leaf, with those that failed replaced by ones without effect.
func (e *Engine) effectsCut(l *Leaf, c Cut) []stepinfo.Effect {
	if c.Failed >= c.At {
		return l.Effects
	}
	effects := slices.Clone(l.Effects)
	for i := c.Failed; i < c.At; i++ {
		effects[i].Kind = stepinfo.LogEffect
	}
	return effects
}
