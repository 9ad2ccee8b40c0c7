package table_test

import (
	"context"
	"testing"

	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/sim/table"
)

type hoarder struct{ sim.Nop }

// Local states that grow count for more than their number: each of them holds all writes before it.
func TestGrowingStatesTakeMemory(t *testing.T) {
	t.Parallel()
	for _, reduce := range []table.Reduction{table.ReduceNone, table.ReduceFull} {
		sys := &sim.System{
			Name: "hoarder", Nodes: 1, New: func(sim.NodeID) sim.Service { return &hoarder{} },
			Actions: []sim.AnyAction{sim.Action[*hoarder]{Name: "put", Do: func(_ *hoarder, env sim.Env) { env.Disk().Put("key", nil) }}},
		}
		x, err := table.Explore(context.Background(), sys, table.ExploreOptions{MaxBytes: 64 << 20, Reduce: reduce})
		if err != nil {
			t.Fatal(err)
		}
		// 64 MB are what 1,000 states take whose writes take about 128 bytes each.
		if x.Stopped != "memory" || x.States > 1100 {
			t.Errorf("%s: %d states, stopped by %q", reduce, x.States, x.Stopped)
		}
	}
}
