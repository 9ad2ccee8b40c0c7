package realnet_test

import (
	"context"
	"testing"

	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// caller sends to both other nodes in one step, and is notified when they are down.
type caller struct {
	sim.Nop
	Got, Errors int
}

func (c *caller) call(env sim.Env) {
	for peer := sim.NodeID(1); peer <= 2; peer++ {
		_ = env.Stream(peer).Send(numbered{int(peer)})
	}
}

func (c *caller) Receive(sim.Env, sim.NodeID, any) { c.Got++ }

func (c *caller) PeerError(sim.Env, sim.NodeID, error) { c.Errors++ }

// One node of a process receives what a step has sent to both, and the other does not before the process is killed: the first message of a connection, so
// that it is refused.
func TestContainers_ReceiveBeforeKill(t *testing.T) {
	for _, again := range []bool{false, true} {
		x := custom(t, sim.System{
			Name: "call", Nodes: 3, New: func(sim.NodeID) sim.Service { return &caller{} }, Network: netsim.Streams{},
			Containers: [][]sim.NodeID{{1, 2}},
			Actions:    []sim.AnyAction{sim.Action[*caller]{Name: "call", Do: (*caller).call, At: func(id sim.NodeID) bool { return id == 0 }}},
		}, numbered{})
		if err := x.nodes[2].Freeze(context.Background()); err != nil {
			t.Fatal(err)
		}
		if _, err := x.nodes[0].Act(context.Background(), "call"); err != nil {
			t.Fatal(err)
		}
		x.until("one has received", func(s []sim.Service) bool { return s[1].(*caller).Got == 1 })
		for id := 1; id <= 2; id++ {
			if err := x.nodes[id].end(); err != nil {
				t.Error(err)
			}
			x.nodes[id] = nil
		}
		x.until("the others are lost", func(s []sim.Service) bool { return s[0].(*caller).Errors == 2 })
		if again {
			x.start(1)
			x.start(2)
			x.until("they are up", func(s []sim.Service) bool { return s[1] != nil && s[2] != nil })
		}
		m := x.merged()
		agrees(t, m)
		refused := 0
		for _, s := range fileOf(t, m).Steps {
			if s.Key == "break n0<-n2 attempt" {
				refused++
			}
		}
		if m.System.Crashes != 1 || refused != 1 || !m.Header.AsLive {
			t.Errorf("again: %t: %d crashes, %d attempts refused, %+v", again, m.System.Crashes, refused, m.Header)
		}
	}
}
