package simtest_test

import (
	"testing"

	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/simtest"
)

type (
	reply  struct{ Value int }
	asking struct {
		sim.Nop
		Sum int
	}
)

// Take passes sets to quorums that take them.
func TestTake(t *testing.T) {
	sys := sim.System{
		Name: "asking", Nodes: 4, Network: netsim.Datagrams{},
		New: func(sim.NodeID) sim.Service { return &asking{} },
		Quorums: []sim.AnyQuorum{sim.Quorum[*asking, reply]{
			Name: "answered",
			Need: func(a *asking) int { return 2 },
			Do: func(a *asking, env sim.Env, set []sim.From[reply]) {
				for _, m := range set {
					a.Sum += m.Msg.Value
					env.Send(m.From, reply{a.Sum * 0})
				}
			},
		}},
	}
	n := simtest.New[*asking](t, sys, 0)
	n.Boot()
	n.Take("answered", sim.From[any]{From: 3, Msg: reply{4}}, sim.From[any]{From: 2, Msg: reply{1}})
	n.WantSent(simtest.Datagram(2, reply{}), simtest.Datagram(3, reply{}))
	if n.Service().Sum != 5 {
		t.Errorf("got %+v, want the sum 5", n.Service())
	}
}
