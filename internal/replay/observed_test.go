package replay_test

import (
	"fmt"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/sim"
)

// granted reports that a node holds a lease. Its keys are a map, which each monitor may change in its own copy.
type granted struct{ Lease map[string]bool }

// granter grants leases a, b, c and d, one with each action.
type granter struct {
	sim.Nop
	Left string
}

func (g *granter) Boot(sim.Env) { g.Left = "abcd" }

func (g *granter) grant(env sim.Env) {
	env.Announce(granted{map[string]bool{g.Left[:1]: true}})
	env.Announce(granted{}) // also after the violation
	g.Left = g.Left[1:]
}

// leases is violated when a lease is granted a second time.
type leases struct{ Held map[string]sim.NodeID }

func (l *leases) Observe(from sim.NodeID, event any) error {
	for k := range event.(granted).Lease {
		if other, ok := l.Held[k]; ok {
			return fmt.Errorf("n%d and n%d hold %s", other, from, k)
		}
		l.Held[k] = from
	}
	clear(event.(granted).Lease)
	return nil
}

// Of four announcements, two violate the monitor: both grant lease a, although n0 has granted another one in between.
func TestDecisive(t *testing.T) {
	sys := &sim.System{
		Name: "leases", Nodes: 2, New: func(sim.NodeID) sim.Service { return &granter{} },
		Actions:  []sim.AnyAction{sim.Action[*granter]{Name: "grant", Times: 4, Do: (*granter).grant}},
		Monitors: []func() sim.Monitor{func() sim.Monitor { return &leases{map[string]sim.NodeID{}} }},
	}
	path := choose.Path{0, 0, 0, 1}
	trace, err := replay.Record(sys, path, kernel.Options{})
	if err != nil || trace.Finding == nil {
		t.Fatalf("%v, finding %v", err, trace)
	}
	got := fmt.Sprintf("%s: ", trace.Finding.Message)
	for _, o := range trace.Observed {
		got += fmt.Sprintf("step %d n%d %s; ", o.Step, o.Node, o.Text)
	}
	if want := "n0 and n1 hold a: step 1 n0 granted{map[a:true]}; step 4 n1 granted{map[a:true]}; "; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
