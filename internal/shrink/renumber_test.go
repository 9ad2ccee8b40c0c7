package shrink_test

import (
	"errors"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/shrink"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

type (
	numbered  struct{ ID int }
	sent      struct{ ID int }
	delivered struct{ ID int }
	asker     struct {
		sim.Nop
		Next int
	}
	exactlyOnce struct{ Open map[int]int }
)

func (n *asker) ask(env sim.Env) {
	env.Announce(sent{n.Next})
	env.Send(1, numbered{n.Next})
	n.Next++
}

func (n *asker) Receive(env sim.Env, _ sim.NodeID, m any) { env.Announce(delivered{m.(numbered).ID}) }

func (m *exactlyOnce) Observe(_ sim.NodeID, e any) error {
	switch e := e.(type) {
	case sent:
		m.Open[e.ID]++
	case delivered:
		if m.Open[e.ID]--; m.Open[e.ID] < 0 {
			return errors.New("delivered too often")
		}
	}
	return nil
}

// Steps that only number the messages of later ones are left out: the others then concern other messages.
func TestRun_Renumbered(t *testing.T) {
	sys := sim.System{
		Name: "once", Nodes: 2, New: func(sim.NodeID) sim.Service { return &asker{} }, Network: netsim.Datagrams{Dup: 1},
		Actions:  []sim.AnyAction{sim.Action[*asker]{Name: "ask", Times: 3, Do: (*asker).ask, At: func(id sim.NodeID) bool { return id == 0 }}},
		Monitors: []func() sim.Monitor{func() sim.Monitor { return &exactlyOnce{Open: map[int]int{}} }},
	}
	path := choose.Path{0, 0, 0, 5, 2, 2}
	cfg := shrink.Config{Path: path, Finding: sim.Finding{Kind: sim.Safety, Property: "monitor exactlyOnce", Message: "delivered too often", Node: 1}}
	cfg.Walks.System = sys
	r := run(t, cfg)
	if r.Steps != 4 || !r.Minimal {
		t.Errorf("%d steps, %q, minimal: %v", r.Steps, keys(t, &sys, r.Path), r.Minimal)
	}
}
