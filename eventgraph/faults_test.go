package eventgraph_test

import (
	"testing"

	"github.com/macemc/macemc/eventgraph"
	"github.com/macemc/macemc/internal/test/golden"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// hello is sent round by gossips, also to themselves.
type hello struct{ From sim.NodeID }

type gossip struct {
	sim.Nop
	Heard int
}

func (g *gossip) greet(env sim.Env) {
	for id := range sim.NodeID(env.Nodes()) {
		env.Send(id, hello{env.Self()})
	}
	env.Log().Info("greeted", "nodes", env.Nodes())
}

func (g *gossip) Receive(sim.Env, sim.NodeID, any) { g.Heard++ }

// gossips is a system in which every fault of datagrams can happen. Node 2 boots late.
func gossips() *sim.System {
	return &sim.System{
		Name: "gossips", Nodes: 3, New: func(sim.NodeID) sim.Service { return &gossip{} },
		Network: netsim.Datagrams{Loss: 1, Dup: 1, Partitions: 1}, Crashes: 2, Halts: 1,
		Late:    func(id sim.NodeID) bool { return id == 2 },
		Actions: []sim.AnyAction{sim.Action[*gossip]{Name: "greet", Do: (*gossip).greet}},
		Properties: []sim.Property{
			{Name: "all heard", Eventually: sim.Each(func(_ sim.NodeID, g *gossip) bool { return g.Heard > 0 })},
		},
	}
}

// Every kind of fault of datagrams, a message to itself, and a node that boots late.
func TestDatagramFaults(t *testing.T) {
	keys := []string{
		"action n0 greet",
		"duplicate n1<-n0 hello{From:0}",
		"deliver n1<-n0 hello{From:0}",
		"deliver n0<-n0 hello{From:0}",
		"boot n2",
		"lose n1<-n0 hello{From:0}",
		"partition n0<-n1",
		"action n0 greet",
		"heal n0<-n1",
		"deliver n2<-n0 hello{From:0}",
		"crash n1",
		"halt n2",
	}
	g := scripted(t, gossips(), keys...)
	golden.Compare(t, "faults.txt", render(t, g.Text, eventgraph.Options{Notes: true, Fold: -1}))
	golden.Compare(t, "faults.mmd", render(t, g.Mermaid, eventgraph.Options{Fold: -1}))
	golden.Compare(t, "faults.svg", render(t, g.SVG, eventgraph.Options{Fold: -1}))
	if !g.Nodes[2].Late || g.Nodes[0].Late {
		t.Error("the node that boots late is not marked")
	}
	// The first greeting to n1 was duplicated in 2, delivered in 3 and its copy lost in 6.
	m := g.Messages[1]
	if m.To != 1 || len(m.Deliveries) != 1 || m.Deliveries[0] != 3 || m.End != 0 || m.Fate != "delivered" {
		t.Errorf("the duplicated message: %+v", m)
	}
	if m := g.Messages[3]; m.To != 1 || m.Sent != 2 || len(m.Deliveries) != 0 || m.End != 6 || m.Fate != "lost" {
		t.Errorf("its copy: %+v", m)
	}
	// A message to n2 while it is down is lost at once.
	if m := g.Messages[2]; m.To != 2 || m.End != 1 {
		t.Errorf("the message to the node that is down: %+v", m)
	}
}

// shop keeps its stock, and no orders, when it crashes.
type shop struct {
	sim.Nop
	Stock, Orders map[string]int
}

func (s *shop) Boot(env sim.Env) {
	s.Stock, s.Orders = map[string]int{}, map[string]int{}
	if data, ok := env.Disk().Get("stock"); ok {
		s.Stock[string(data)] = 1
	}
}

func (s *shop) Fill(env sim.Env) {
	s.Orders["pear"] = 1
	env.Disk().Put("stock", []byte("pear"))
	env.Disk().Sync()
}

// A boot that fills an empty map from the disk has not lost it.
func TestAftermath_FilledMap(t *testing.T) {
	sys := &sim.System{
		Name: "shops", Nodes: 1, New: func(sim.NodeID) sim.Service { return &shop{} }, Crashes: 1,
		Actions: []sim.AnyAction{sim.Action[*shop]{Name: "fill", Do: (*shop).Fill}},
	}
	g := scripted(t, sys, "action n0 fill", "crash n0", "boot n0")
	if got, want := g.Events[3].Aftermath, "lost or changed: Orders[pear] removed"; len(got) != 1 || got[0] != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
