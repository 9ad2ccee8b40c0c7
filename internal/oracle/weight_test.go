package oracle

import (
	"testing"

	"github.com/macemc/macemc/sim"
)

// Recovery that only an answer of weight 0 leads to is none.
func TestWeightZeroIsNoRecovery(t *testing.T) {
	s := &Script{Nodes: 1, Timing: sim.AnyOrder, Eventually: []Prop{{Kind: IsIn, B: 1}}, Programs: make([]Program, 1)}
	s.Actions[0] = Action{Phases: 1}
	s.Actions[1] = Action{Phases: 1 << 2} // never
	s.Programs[0][OnAction][0] = []Op{{Do: Weighted, Weights: []int{1, 0}}}
	r := Compare(s, Options{})
	if r.Dead != 1 || r.States != 2 || r.Difference != "" {
		t.Errorf("%+v", r)
	}
}

// Recovery by an answer that walks hardly ever get is recovery all the same.
func TestUnlikelyRecovery(t *testing.T) {
	s := &Script{Nodes: 1, Timing: sim.AnyOrder, Eventually: []Prop{{Kind: IsIn, B: 1}}, Programs: make([]Program, 1)}
	s.Actions[0] = Action{Phases: 1}
	s.Actions[1] = Action{Phases: 1 << 2} // never
	s.Programs[0][OnAction][0] = []Op{{Do: Weighted, Weights: []int{100_000, 1}}}
	r := Compare(s, Options{})
	if r.Dead != 0 || r.States != 2 || r.Difference != "" {
		t.Errorf("%+v", r)
	}
}
