package table_test

import (
	"fmt"
	"testing"

	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/search/runs"
	"github.com/macemc/macemc/internal/table/world"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// BenchmarkTableWalk measures one event of random walks, with all properties checked after every
// step, by both engines.
func BenchmarkTableWalk(b *testing.B) {
	engines := []struct {
		name string
		make func(*sim.System, kernel.Options) (kernel.World, error)
	}{{"replay", kernel.NewWorld}, {"table", world.New}}
	for _, nodes := range []int{2, 5, 8} {
		for _, engine := range engines {
			b.Run(fmt.Sprintf("randtree/nodes=%d/%s", nodes, engine.name), func(b *testing.B) {
				sys := bundled(b, "randtree", nodes, sim.Limits{})
				w, err := engine.make(sys, kernel.Options{})
				if err != nil {
					b.Fatal(err)
				}
				loop, walker := runloop.New(w), runs.NewWalker(search.DefaultWeights().Scale(), 2000)
				b.ReportAllocs()
				events, walks := 0, 0
				for b.Loop() {
					// One iteration is one event; a walk is made whenever its events are used up.
					if events == 0 {
						walks++
						walker.Seed(1, uint64(walks))
						o := loop.Run(walker, runloop.Task{})
						if o.Finding != nil {
							b.Fatal(o.Finding)
						}
						if !o.Live {
							b.Fatalf("walk %d did not get live: %+v", walks, o)
						}
						events = o.Steps
					}
					events--
				}
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
				if t, ok := w.(*world.World); ok {
					b.ReportMetric(100*t.Stats().HitRate(), "%hit")
				}
			})
		}
	}
}
