package search_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/macemc/macemc/internal/budget"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/search/strategy"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// BenchmarkBounded measures new states per second of processor time in searches of RandTree with 3 nodes to the same
// depth in steps: run by run on the replay engine, each run from the start, and over states by bfs and dfs. Run by run
// it is stopped early, because it would take too long. So is deepening, which counts its depth in choices, about one
// per step here, and also makes walks.
func BenchmarkBounded(b *testing.B) {
	const most = 200_000 // states, run by run
	for _, depth := range []int{10, 15, 20, 25} {
		for _, name := range []search.Name{"run by run", search.Deepening, search.BFS, search.DFS} {
			b.Run(fmt.Sprintf("depth=%d/%s", depth, name), func(b *testing.B) {
				sys := bundled(b, "randtree", spec.Config{Nodes: 3})
				sys, err := sys.WithLimits(sim.Limits{})
				if err != nil {
					b.Fatal(err)
				}
				states := 0
				begin := budget.ProcessTime()
				for b.Loop() {
					if name == "run by run" {
						s, found, err := exploreStepwise(b, &sys, runloop.ReplayEngine, depth, most)
						if found != nil || err != nil {
							b.Fatal(found, err)
						}
						states += len(s.seen)
						continue
					}
					cfg := search.Config{System: sys, Strategy: name, MaxDepth: depth, Workers: 1}
					if name.Can(strategy.VisitsStates) {
						cfg.MaxBytes = 100 << 20
					} else {
						cfg.Engine, cfg.MaxPaths = runloop.ReplayEngine, 1_200_000
					}
					res, err := search.Run(context.Background(), cfg)
					if err != nil || res.Verdict != search.OK {
						b.Fatal(res, err)
					}
					states += res.Stats.States
				}
				b.ReportMetric(float64(states)/(budget.ProcessTime()-begin).Seconds(), "states/cpu-s")
				b.ReportMetric(float64(states)/float64(b.N), "states")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}
