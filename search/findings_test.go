package search_test

import (
	"slices"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// node is a service made of functions.
type node struct {
	sim.Nop
	State int
}

func oneAction(do func(*node, sim.Env)) sim.System {
	return sim.System{
		Name: "one action", Nodes: 1, New: func(sim.NodeID) sim.Service { return &node{} },
		Actions: []sim.AnyAction{
			sim.Action[*node]{Name: "idle", When: func(n *node) bool { return n.State == 0 }, Do: func(n *node, _ sim.Env) { n.State = 1 }},
			sim.Action[*node]{Name: "act", When: func(n *node) bool { return n.State < 3 }, Do: do},
		},
	}
}

func TestPanic(t *testing.T) {
	res := run(t, search.Config{System: oneAction(func(n *node, _ sim.Env) {
		if n.State++; n.State == 2 {
			panic("two")
		}
	})})
	f := res.Finding
	// The shortest path: idle, act. In state 1 act is forced.
	if f == nil || f.Kind != sim.Panic || f.Message != "two" || f.Node != 0 || f.Stack == "" || !slices.Equal(f.Path, choose.Path{0, 0}) {
		t.Fatalf("got %+v", f)
	}
}

type list struct{ Items []int }

// sender changes a message after sending it.
type sender struct {
	sim.Nop
	Kept []int
	Sent bool
}

func TestChangedMessage_Deepening(t *testing.T) {
	res := run(t, search.Config{Workers: 1, System: sim.System{
		Name: "sender", Nodes: 2, New: func(sim.NodeID) sim.Service { return &sender{} }, Network: netsim.Datagrams{},
		Actions: []sim.AnyAction{sim.Action[*sender]{
			Name: "send", When: func(s *sender) bool { return !s.Sent }, At: func(id sim.NodeID) bool { return id == 0 },
			Do: func(s *sender, env sim.Env) {
				s.Kept, s.Sent = []int{1, 2}, true
				env.Send(1, list{s.Kept})
				s.Kept[0] = 7
			},
		}},
	}})
	if f := res.Finding; f == nil || f.Kind != sim.Safety || f.Property != "messages are values" || f.Node != 0 || f.Steps != 1 {
		t.Fatalf("got %+v", f)
	}
}
