package mdb_test

import (
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/mdb"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// greeter sends a message in its first boot.
type greeter struct {
	sim.Nop
	Heard int
}

func (g *greeter) Boot(env sim.Env) {
	if env.Self() == 0 {
		env.Send(1, "hello")
	}
}

func (g *greeter) Receive(sim.Env, sim.NodeID, any) { g.Heard++ }

// The graph of the first steps shows the messages of the first boots, also after the session has moved on.
func TestGraph_MessageOfFirstBoots(t *testing.T) {
	s := opened(t, mdb.Config{Path: make(choose.Path, 1), Name: "error.path", System: &sim.System{
		Name: "greeter", Nodes: 2, Network: netsim.Datagrams{},
		New: func(sim.NodeID) sim.Service { return &greeter{} },
	}})
	want := do(t, s, "graph 1 1")
	wants(t, want, `"hello"`)
	do(t, s, "next")
	if got := do(t, s, "graph 1 1"); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}
