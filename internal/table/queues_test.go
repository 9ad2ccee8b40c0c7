package table_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/test/lockstep"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// gossiper forwards rumours. Of two that arrive it forwards the second in an internal step.
type gossiper struct {
	sim.Nop
	Heard []int
	Later int
}

func (g *gossiper) Begin(env sim.Env) {
	for i := range 2 {
		env.Send(sim.NodeID(1+i)%sim.NodeID(env.Nodes()), 10*int(env.Self())+i)
	}
	env.Send(env.Self(), 7)
}

func (g *gossiper) Receive(env sim.Env, from sim.NodeID, msg any) {
	g.Heard = append(g.Heard, msg.(int))
	if len(g.Heard) == 2 {
		g.Later = 1 + env.Choose("to", 2)
	}
}

func (g *gossiper) Ready() bool { return g.Later > 0 }

func (g *gossiper) Step(env sim.Env) {
	env.Send(sim.NodeID(g.Later-1), 99)
	g.Later = 0
}

func gossip(q netsim.Queues, crashes int) *sim.System {
	return &sim.System{Name: "rumours", Nodes: 3, Network: q, Crashes: crashes,
		New: func(sim.NodeID) sim.Service { return &gossiper{} },
		Actions: []sim.AnyAction{sim.Action[*gossiper]{Name: "begin", Times: 1, Do: (*gossiper).Begin,
			At: func(id sim.NodeID) bool { return id < 2 }}},
		Properties: []sim.Property{{Name: "all is heard", Eventually: func(v *sim.View) bool {
			for range v.InFlight() {
				return false
			}
			return true
		}}},
	}
}

// Queues in all orders, with steps of nodes' own and crashes: the engines show the same, step by step, and explore the
// same states.
func TestQueues_AllOrders(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	for order := netsim.PerPair; order <= netsim.Any; order++ {
		for crashes, depth := range []int{0, 6} {
			t.Run(fmt.Sprint(order, crashes), func(t *testing.T) {
				sys := gossip(netsim.Queues{Order: order}, crashes)
				for seed := range uint64(20) {
					lockstep.New(t, sys, seed).Walk(60, 40)
				}
				states, transitions, live, found := oracle(t, sys, depth)
				x := breadth(t, sys, options.Options{MaxDepth: depth})
				if x.States != states || x.Transitions != transitions || x.Live != live || found != nil || x.Finding != nil {
					t.Errorf("%d states, %d transitions, %d live, %v; the replay engine: %d, %d, %d, %v",
						x.States, x.Transitions, x.Live, x.Finding, states, transitions, live, found)
				}
				t.Logf("%d states, %d transitions", states, transitions)
			})
		}
	}
}

// A queue that outgrows its bound is the same finding in both engines, and in an exploration.
func TestQueues_Bound(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	for order := netsim.PerPair; order <= netsim.Any; order++ {
		for _, bound := range []int{1, 9} {
			sys := gossip(netsim.Queues{Order: order, Bound: bound}, 0)
			for seed := range uint64(20) {
				lockstep.New(t, sys, seed).Walk(60, 40)
			}
			_, _, _, want := oracle(t, sys, 0)
			x := breadth(t, sys, options.Options{})
			if (x.Finding != nil) != (want != nil) || (want != nil) != (bound == 1) {
				t.Fatalf("%v, bound %d: %v, want %v", order, bound, x.Finding, want)
			}
			f := new(sim.Finding)
			if want != nil && (!errors.As(x.Finding, &f) || f.Property != netsim.QueueProperty) {
				t.Errorf("%v, bound %d: %v", order, bound, x.Finding)
			}
		}
	}
}
