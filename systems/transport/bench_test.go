package transport_test

import (
	"testing"

	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/search/runs"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/systems/spec"
	"github.com/macemc/macemc/systems/transport"
)

// BenchmarkWalk measures random walks of the default system to their first live state, with events/s.
func BenchmarkWalk(b *testing.B) {
	e := transport.Entry()
	sys, err := e.New(spec.Config{})
	if err != nil {
		b.Fatal(err)
	}
	world, err := kernel.NewWorld(&sys, kernel.Options{})
	if err != nil {
		b.Fatal(err)
	}
	loop, walker, events := runloop.New(world), runs.NewWalker(search.DefaultWeights().Scale(), 2000), 0
	b.ReportAllocs()
	for i := range b.N {
		walker.Seed(1, uint64(i))
		o := loop.Run(walker, runloop.Task{})
		if !o.Live {
			b.Fatalf("walk %d ended %v, not live", i, o.End)
		}
		events += o.Steps
	}
	b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
}
