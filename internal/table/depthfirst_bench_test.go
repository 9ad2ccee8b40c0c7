package table_test

import (
	"fmt"
	"testing"

	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/test/bundled"
	"github.com/macemc/macemc/sim"
)

// BenchmarkCurve measures what a state costs as states become many: the set of them outgrows one cache after the other.
// Its iterations are explorations up to a number of states; evaluation/performance.md has its output.
func BenchmarkCurve(b *testing.B) {
	explorers := map[string]func(*testing.B, *sim.System, options.Options) *table.Exploration{
		"bfs": func(b *testing.B, s *sim.System, o options.Options) *table.Exploration { return breadth(b, s, o) },
		"dfs": func(b *testing.B, s *sim.System, o options.Options) *table.Exploration { return dive(b, s, o) },
	}
	for _, system := range []struct {
		name  string
		nodes int
	}{{"paxos", 7}, {"randtree", 3}} {
		for _, order := range []string{"bfs", "dfs"} {
			for _, visited := range visitedSets[:2] {
				for states := 10_000; states <= 10_000_000; states *= 10 {
					b.Run(fmt.Sprintf("%s/%s/%s/states=%d", system.name, order, visited.Name, states), func(b *testing.B) {
						sys := bundled.System(b, system.name, system.nodes, sim.Limits{})
						opts := options.Options{MaxStates: states, Visited: visited}
						if order == "dfs" && system.name == "randtree" {
							opts.MaxDepth = 25 // otherwise it is infinite
						}
						sum, begin := table.Exploration{}, processorTime(b)
						for b.Loop() {
							x := explorers[order](b, sys, opts)
							sum.States += x.States
							sum.Transitions += x.Transitions
							sum.Bytes += x.Bytes
							sum.Frontier += x.Frontier
							sum.Stats.Handlers += x.Stats.Handlers
						}
						seconds := (processorTime(b) - begin).Seconds()
						b.ReportMetric(float64(sum.States)/seconds, "states/cpu-s")
						b.ReportMetric(float64(sum.Transitions)/seconds, "transitions/cpu-s")
						b.ReportMetric(float64(sum.Bytes)/float64(sum.States), "B/state")
						b.ReportMetric(float64(sum.Frontier)/float64(sum.States), "frontier-B/state")
						b.ReportMetric(float64(sum.Stats.Handlers)/float64(b.N), "handlers")
						b.ReportMetric(0, "ns/op")
					})
				}
			}
		}
	}
}
