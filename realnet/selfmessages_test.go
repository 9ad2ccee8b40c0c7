package realnet_test

import (
	"context"
	"testing"

	"github.com/macemc/macemc/internal/kernel/runner"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// soliloquist sends to itself.
type soliloquist struct {
	sim.Nop
	Heard []int
}

func (s *soliloquist) Receive(_ sim.Env, _ sim.NodeID, msg any) {
	s.Heard = append(s.Heard, msg.(numbered).N)
}

// Several messages that a node sends to itself in one step are recorded one by one.
func TestMessagesToItself(t *testing.T) {
	const sent = 3
	x := custom(t, sim.System{
		Name: "soliloquy", Nodes: 1, Network: netsim.Datagrams{}, New: func(sim.NodeID) sim.Service { return &soliloquist{} },
		Actions: []sim.AnyAction{sim.Action[*soliloquist]{Name: "say", Times: 1, Do: func(_ *soliloquist, env sim.Env) {
			for n := range sent {
				env.Send(0, numbered{n + 1})
			}
		}}},
	}, numbered{})
	if ok, err := x.nodes[0].Act(context.Background(), "say"); err != nil || !ok {
		t.Fatal(ok, err)
	}
	for heard := 0; heard < sent; {
		if err := x.nodes[0].Look(context.Background(), func(r *runner.Runner) { heard = len(r.Service(0).(*soliloquist).Heard) }); err != nil {
			t.Fatal(err)
		}
	}
	agrees(t, x.merged())
}
