package search_test

import (
	"fmt"
	"testing"

	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/search/runs"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/systems/spec"
)

// BenchmarkWalk measures one event of random walks over RandTree on the replay engine, with all properties checked
// after every step. An iteration is an event. Systems are built and booted again for each walk, which counts, too.
func BenchmarkWalk(b *testing.B) {
	for _, nodes := range []int{2, 5, 8} {
		b.Run(fmt.Sprintf("nodes=%d", nodes), func(b *testing.B) {
			sys := bundled(b, "randtree", spec.Config{Nodes: nodes})
			w, err := kernel.NewWorld(&sys, kernel.Options{})
			if err != nil {
				b.Fatal(err)
			}
			loop, walker := runloop.New(w), runs.NewWalker(search.DefaultWeights().Scale(), 2000)
			b.ReportAllocs()
			left, walks := 0, 0
			for b.Loop() {
				if left == 0 {
					walks++
					walker.Seed(1, uint64(walks))
					o := loop.Run(walker, runloop.Task{})
					if !o.Live {
						b.Fatalf("walk %d did not get live: %+v", walks, o)
					}
					left = o.Steps
				}
				left--
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
			b.ReportMetric(float64(b.N)/float64(walks), "events/walk")
		})
	}
}
