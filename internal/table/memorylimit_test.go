package table_test

import (
	"context"
	"testing"

	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/sim"
)

type hoarder struct{ sim.Nop }

// Growing local states use more memory than their number suggests: each holds all earlier writes.
func TestMemoryLimit_GrowingStates(t *testing.T) {
	t.Parallel()
	for _, reduce := range []options.Reduction{options.ReduceNone, options.ReduceFull} {
		sys := &sim.System{
			Name: "hoarder", Nodes: 1, New: func(sim.NodeID) sim.Service { return &hoarder{} },
			Actions: []sim.AnyAction{sim.Action[*hoarder]{Name: "put", Do: func(_ *hoarder, env sim.Env) { env.Disk().Put("key", nil) }}},
		}
		x, err := table.Explore(context.Background(), sys, options.Options{MaxBytes: 64 << 20, Reduce: reduce})
		if err != nil {
			t.Fatal(err)
		}
		// 1,000 states with writes of about 128 bytes each take 64 MB.
		if x.Stopped != "memory" || x.States > 1100 {
			t.Errorf("%s: %d states, stopped by %q", reduce, x.States, x.Stopped)
		}
	}
}

type drawing struct {
	sim.Nop
	S int
}

func (d *drawing) Boot(env sim.Env) { d.S = env.Choose("S", 10) }

// Where an exploration stops that counts states does not depend on the number of workers.
func TestMaxStates_TwoWorkers(t *testing.T) {
	t.Parallel()
	sys := &sim.System{
		Name: "drawing", Nodes: 4, New: func(sim.NodeID) sim.Service { return &drawing{} },
		Actions: []sim.AnyAction{sim.Action[*drawing]{Name: "add", Times: 3, When: func(d *drawing) bool { return d.S == 0 }, Do: func(d *drawing, _ sim.Env) { d.S = 1 }}},
	}
	want := 0
	for i := range 8 {
		opts := options.Options{MaxStates: 10_500}
		if i > 0 {
			opts.Go = workers[1]
		}
		x, err := table.Explore(t.Context(), sys, opts)
		if err != nil {
			t.Fatal(err)
		}
		if want = max(want, x.States); i == 0 && x.Stopped != "states" || x.States != want {
			t.Errorf("two workers: %d states, stopped by %q; one: %d", x.States, x.Stopped, want)
		}
	}
}
