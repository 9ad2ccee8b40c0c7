package table_test

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/search/runs"
	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/table/world"
	"github.com/macemc/macemc/internal/test/bundled"
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
				sys := bundled.System(b, "randtree", nodes, sim.Limits{})
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

// BenchmarkExplore measures the exploration of Paxos, with empty tables each time: transitions and
// states per second of processor time.
func BenchmarkExplore(b *testing.B) {
	two, three := bundled.System(b, "paxos", 6, sim.Limits{}), bundled.System(b, "paxos", 7, sim.Limits{})
	randtree := bundled.System(b, "randtree", 3, sim.Limits{sim.Crashes: 1, sim.NetErrors: 1})
	for _, bench := range []struct {
		name string
		sys  *sim.System
		opts options.Options
	}{
		{"proposers=2/exact", two, options.Options{}},
		{"proposers=2/64", two, options.Options{Visited: bits64}},
		{"proposers=3/exact", three, options.Options{MaxStates: 2_000_000}},
		{"proposers=3/64", three, options.Options{MaxStates: 2_000_000, Visited: bits64}},
		{"proposers=3/64/workers=2", three, options.Options{MaxStates: 2_000_000, Visited: bits64, Go: workers[1]}},
		{"proposers=3/128", three, options.Options{MaxStates: 2_000_000, Visited: bits128}},
		{"announced/exact", paxos(2), options.Options{}},
		{"announced/64", paxos(2), options.Options{Visited: bits64}},
		{"monitored/exact", countedPaxos(2), options.Options{}},
		{"monitored/64", countedPaxos(2), options.Options{Visited: bits64}},
		{"monitored/128", countedPaxos(2), options.Options{Visited: bits128}},
		{"randtree/exact", randtree, options.Options{MaxStates: 1_000_000}},
		{"randtree/64", randtree, options.Options{MaxStates: 1_000_000, Visited: bits64}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			var sum table.Exploration
			begin := processorTime(b)
			for b.Loop() {
				x := breadth(b, bench.sys, bench.opts)
				sum.Transitions += x.Transitions
				sum.States += x.States
				sum.Bytes += x.Bytes
			}
			seconds := (processorTime(b) - begin).Seconds()
			b.ReportMetric(float64(sum.Transitions)/seconds/1e6, "Mtransitions/cpu-s")
			b.ReportMetric(float64(sum.States)/seconds/1e6, "Mstates/cpu-s")
			b.ReportMetric(float64(sum.Bytes)/float64(sum.States), "B/state")
		})
	}
}

func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
