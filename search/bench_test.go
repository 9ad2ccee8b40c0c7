package search_test

import (
	"context"
	"testing"

	"github.com/macemc/macemc/internal/search/schedules"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// BenchmarkSearch measures whole searches over RandTree, in time per executed event. Some cases use only weighted
// draws. The cases named so use all schedules, with longer walks, choices of schedules and comparisons.
func BenchmarkSearch(b *testing.B) {
	weighted := []string{schedules.Weighted}
	for _, c := range []struct {
		name      string
		strategy  search.Name
		schedules []string
		nodes     int
		limits    sim.Limits
	}{
		{"walk/3-schedules", search.Walk, nil, 3, sim.Limits{}},
		{"walk/3", search.Walk, weighted, 3, sim.Limits{}},
		{"walk/5-schedules", search.Walk, nil, 5, sim.Limits{}},
		{"walk/5", search.Walk, weighted, 5, sim.Limits{}},
		{"faulty/5-schedules", search.Faulty, nil, 5, sim.Limits{sim.Crashes: 2, sim.NetErrors: 2}},
		{"faulty/5", search.Faulty, weighted, 5, sim.Limits{sim.Crashes: 2, sim.NetErrors: 2}},
		{"deepening/3", search.Deepening, nil, 3, sim.Limits{}},
	} {
		b.Run(c.name, func(b *testing.B) {
			sys, err := bundled(b, "randtree", spec.Config{Nodes: c.nodes}).WithLimits(c.limits)
			if err != nil {
				b.Fatal(err)
			}
			cfg := search.Config{System: sys, Strategy: c.strategy, Workers: 1, MaxPaths: 20_000, Schedules: c.schedules}
			b.ReportAllocs()
			events, paths, states := 0, 0, 0
			for b.Loop() {
				cfg.Seed++
				res, err := search.Run(context.Background(), cfg)
				if err != nil {
					b.Fatal(err)
				}
				if res.Verdict != search.OK {
					b.Fatalf("got %+v, want ok", res.Finding)
				}
				events += res.Stats.Events
				paths += res.Stats.Paths
				states += res.Stats.States
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(events), "ns/event")
			b.ReportMetric(float64(events)/float64(paths), "events/path")
			b.ReportMetric(float64(paths)/b.Elapsed().Seconds(), "paths/s")
			b.ReportMetric(float64(states)/float64(b.N), "states")
		})
	}
}
