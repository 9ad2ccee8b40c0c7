package oracle

import (
	"testing"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/sim"
)

// Recovery only by an answer of weight 0, or by a disturbing action, does not count, and a state in which nothing
// else can happen is stuck. Recovery by an answer that walks rarely get does count.
func TestWhatIsRecovery(t *testing.T) {
	for _, c := range []struct {
		weights  []int
		disturbs bool
		dead     int
	}{
		{[]int{1, 1}, false, 0},
		{[]int{1, 1}, true, 1},
		{[]int{1, 0}, false, 1},
		{[]int{100_000, 1}, false, 0},
	} {
		s := &Script{Nodes: 1, Timing: sim.AnyOrder, Eventually: []Prop{{Kind: IsIn, B: 1}}, Programs: make([]Program, 1)}
		s.Actions[0] = Action{Phases: 1, Disturbs: c.disturbs}
		s.Actions[1] = Action{Phases: 1 << 2} // never
		s.Programs[0][OnAction][0] = []Op{{Do: Weighted, Weights: c.weights}}
		if r := Compare(s, Options{}); r.Dead != c.dead || r.States != 2 || r.Difference != "" {
			t.Errorf("weights %v, disturbs %v: %+v", c.weights, c.disturbs, r)
		}
	}
}

// A node sets an alarm, or a bell, which ends the violation. Disturbing events do not count as recovery; all others
// do.
func TestDisturbing(t *testing.T) {
	for _, c := range []struct {
		bell bool
		what Disturbance
		dead int
	}{
		{false, Disturbance{eventkind.FireTimer, Alarm}, 1},
		{false, Disturbance{eventkind.FireTimer, Bell}, 0},
		{true, Disturbance{eventkind.FireTimer, Bell}, 1},
		{true, Disturbance{eventkind.FireTimer, Alarm}, 0},
		{false, Disturbance{Kind: eventkind.FireTimer}, 1},
		{false, Disturbance{Kind: eventkind.Deliver}, 0},
		{false, Disturbance{eventkind.Deliver, Word}, 0},
	} {
		s := &Script{Nodes: 1, Eventually: []Prop{{Kind: IsIn, B: 1}}, Programs: make([]Program, 1), Disturbing: []Disturbance{c.what}}
		s.Actions[0], s.Actions[1] = Action{Phases: 1 << 2}, Action{Phases: 1 << 2} // never
		s.Programs[0][OnBoot][0] = []Op{{Do: Arm, B: 1}}
		s.Programs[0][OnTimer][0] = []Op{{Do: SetPhase, A: 1}}
		if c.bell {
			s.Bells = 1
		}
		if r := Compare(s, Options{}); r.Dead != c.dead || r.States != 2 || r.Difference != "" {
			t.Errorf("bell %v, %+v: %+v", c.bell, c.what, r)
		}
	}
}
