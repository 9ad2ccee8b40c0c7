package search_test

import (
	"fmt"
	"testing"

	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems"
	"github.com/macemc/macemc/systems/spec"
)

// randtree builds the corrected overlay tree.
func randtree(b testing.TB, nodes int, limits sim.Limits) sim.System {
	b.Helper()
	entry, err := systems.Find("randtree")
	if err != nil {
		b.Fatal(err)
	}
	sys, err := entry.New(spec.Config{Nodes: nodes})
	if err == nil {
		sys, err = sys.WithLimits(limits)
	}
	if err != nil {
		b.Fatal(err)
	}
	return sys
}

// BenchmarkWalk measures one event of random walks, with all properties checked after every step.
func BenchmarkWalk(b *testing.B) {
	for _, nodes := range []int{2, 5, 8} {
		b.Run(fmt.Sprintf("randtree/nodes=%d", nodes), func(b *testing.B) {
			sys := randtree(b, nodes, sim.Limits{})
			w, err := sim.NewWorld(&sys, sim.Options{})
			if err != nil {
				b.Fatal(err)
			}
			loop, walker := search.NewLoop(w), search.NewWalker(search.DefaultWeights(), 2000)
			b.ReportAllocs()
			events, walks := 0, 0
			for b.Loop() {
				// One iteration is one event; a walk is made whenever its events are used up.
				if events == 0 {
					walks++
					walker.Seed(1, uint64(walks))
					o := loop.Run(walker, search.Task{})
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
			b.ReportMetric(float64(b.N)/float64(walks), "events/walk")
		})
	}
}
