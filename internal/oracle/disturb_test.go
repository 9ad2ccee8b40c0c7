package oracle

import (
	"testing"

	"github.com/macemc/macemc/sim"
)

// Recovery that only an action that disturbs leads to is none, and a state in which nothing else can happen is stuck.
func TestDisturbingIsNoRecovery(t *testing.T) {
	for _, disturbs := range []bool{false, true} {
		s := &Script{Nodes: 1, Timing: sim.AnyOrder, Eventually: []Prop{{Kind: IsIn, B: 1}}, Programs: make([]Program, 1)}
		s.Actions[0] = Action{Phases: 1, Disturbs: disturbs}
		s.Actions[1] = Action{Phases: 1 << 2} // never
		s.Programs[0][OnAction][0] = []Op{{Do: Weighted, Weights: []int{1, 1}}}
		r := Compare(s, Options{})
		if want := map[bool]int{true: 1}[disturbs]; r.Dead != want || r.States != 2 || r.Difference != "" {
			t.Errorf("disturbs %v: %+v", disturbs, r)
		}
	}
}
