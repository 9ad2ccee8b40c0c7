package por_test

import (
	"errors"
	"testing"

	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// poster has N 1 after it sent a message.
type poster struct {
	sim.Nop
	N int
}

// The reads of a property that panicked are known, too: here the messages in flight, so none are dropped.
func TestReduction_PropertyPanics(t *testing.T) {
	panics := func(v *sim.View) bool {
		if v.Service(0).(*poster).N == 0 {
			return true
		}
		for range v.InFlight() {
			return true
		}
		panic("delivered")
	}
	for _, p := range []sim.Property{{Name: "panics", Always: panics}, {Name: "panics", Eventually: panics}} {
		sys := &sim.System{
			Nodes: 2, Network: netsim.Datagrams{}, New: func(sim.NodeID) sim.Service { return &poster{} },
			Actions: []sim.AnyAction{sim.Action[*poster]{Name: "send", At: func(id sim.NodeID) bool { return id == 0 }, Times: 1,
				Do: func(c *poster, env sim.Env) { c.N = 1; env.Send(1, "nothing") }}},
			Properties: []sim.Property{p},
		}
		for _, reduce := range []options.Reduction{options.ReduceNone, options.ReduceDrop, options.ReduceFull} {
			x, err := table.Explore(t.Context(), sys, options.Options{Reduce: reduce})
			if err != nil {
				t.Fatal(err)
			}
			var f *sim.Finding
			if !errors.As(x.Finding, &f) || f.Kind != sim.Panic || len(x.Path) != 2 {
				t.Errorf("%v: %v after %v, want a panic after the message was sent and delivered", reduce, x.Finding, x.Path)
			}
		}
	}
}
