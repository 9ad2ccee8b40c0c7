package table

import (
	"errors"
	"testing"

	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// The reads of a property that panicked are known, too: here the messages in flight, so none are dropped.
func TestReducedPanic(t *testing.T) {
	panics := func(v *sim.View) bool {
		if v.Service(0).(*counter).N == 0 {
			return true
		}
		for range v.InFlight() {
			return true
		}
		panic("delivered")
	}
	for _, p := range []sim.Property{{Name: "panics", Always: panics}, {Name: "panics", Eventually: panics}} {
		sys := counters(p)
		sys.Nodes, sys.Network = 2, netsim.Datagrams{}
		sys.Actions = []sim.AnyAction{sim.Action[*counter]{Name: "send", At: func(id sim.NodeID) bool { return id == 0 }, Times: 1,
			Do: func(c *counter, env sim.Env) { c.N = 1; env.Send(1, "nothing") }}}
		for _, reduce := range []options.Reduction{options.ReduceNone, options.ReduceDrop, options.ReduceFull} {
			x, err := Explore(t.Context(), sys, options.Options{Reduce: reduce})
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
