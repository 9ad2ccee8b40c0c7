package table_test

import (
	"context"
	"testing"

	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/test/bruteforce"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

type cutter struct {
	sim.Nop
	Got int
}

func (c *cutter) Receive(_ sim.Env, _ sim.NodeID, m any) { c.Got |= 1 << m.(int) }

// A node sends three datagrams in a step. A crash leaves one, four, or eight possible sets of them. Each sent
// datagram may have been delivered, which makes 8, 15 (1+2+4+8) or 27 states of a failed node, and as many after
// its boot. In addition there are 1 and 8 before it fails, and with a boot the 2 of a node that failed before it
// sent.
func TestCrashCuts_States(t *testing.T) {
	t.Parallel()
	for cut, want := range map[sim.CrashCut][2]int{ // with halts, with a crash and a boot
		sim.CutNone: {1 + 8 + 8 + 1, 1 + 8 + 8 + 8 + 2}, sim.CutPrefix: {1 + 8 + 15, 1 + 8 + 15 + 15 + 2}, sim.CutSubset: {1 + 8 + 27, 1 + 8 + 27 + 27 + 2},
	} {
		for k, states := range want {
			sys := &sim.System{
				Name: "cutter", Nodes: 2, Network: netsim.Datagrams{}, CrashCut: cut, Halts: 1 - k, Crashes: k,
				New:      func(sim.NodeID) sim.Service { return &cutter{} },
				MayCrash: func(id sim.NodeID) bool { return id == 0 },
				Actions: []sim.AnyAction{sim.Action[*cutter]{Name: "send", Times: 1, At: func(id sim.NodeID) bool { return id == 0 }, Do: func(_ *cutter, env sim.Env) {
					for k := range 3 {
						env.Send(1, k)
					}
				}}},
			}
			g, err := bruteforce.Explore(sys)
			if err != nil {
				t.Fatal(err)
			}
			x, err := table.Explore(context.Background(), sys, options.Options{})
			if err != nil {
				t.Fatal(err)
			}
			steps := 0
			for i := range g.States {
				steps += len(g.States[i].Steps)
			}
			if x.States != states || len(g.States) != states || x.Transitions != steps {
				t.Errorf("cut %v, %d crashes: %d states and %d transitions; by brute force %d and %d; want %d states", cut, k, x.States, x.Transitions, len(g.States), steps, states)
			}
		}
	}
}
