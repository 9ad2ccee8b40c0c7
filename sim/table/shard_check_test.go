package table_test

import (
	"context"
	"testing"

	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/sim/table"
)

// climber counts to three.
type climber struct {
	sim.Nop
	N int
}

// climbers are nodes of which not all are to be at the top. The property reads a node only if all before it are there, so what it reads in a
// state hangs on the state.
func climbers() *sim.System {
	return &sim.System{
		Name: "climbers", Nodes: 4, New: func(sim.NodeID) sim.Service { return &climber{} },
		Actions: []sim.AnyAction{
			sim.Action[*climber]{Name: "up", When: func(c *climber) bool { return c.N < 3 }, Do: func(c *climber, _ sim.Env) { c.N++ }},
		},
		Properties: []sim.Property{{Name: "not all", Always: func(v *sim.View) bool {
			for id := range sim.NodeID(4) {
				if v.Service(id).(*climber).N < 3 {
					return true
				}
			}
			return false
		}}},
	}
}

// A shard asks a property about a state that was found from one of another shard, though it has not seen yet that the property reads the node that
// the step changed.
func TestShardsCheckWhatOthersFound(t *testing.T) {
	x, err := table.Explore(context.Background(), climbers(), table.ExploreOptions{})
	if err != nil || x.Finding == nil {
		t.Fatalf("%+v, %v: one exploration finds nothing", x, err)
	}
	for _, at := range []struct {
		workers, parts int
		cut            []int
	}{{1, 1, nil}, {2, 4, nil}, {3, 12, nil}, {4, 12, nil}, {5, 12, nil}, {2, 4, []int{0}}, {4, 12, []int{1, 3}}, {4, 12, []int{0, 1, 2}}} {
		s := newShards(t, climbers(), at.workers, at.parts, at.cut)
		more, err := true, error(nil)
		for more && err == nil {
			more, err = s.level()
		}
		if err == nil {
			t.Errorf("%+v: %d states, and nothing is found", at, s.states())
		}
	}
}
