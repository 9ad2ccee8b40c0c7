package superstep_test

import (
	"testing"

	"github.com/macemc/macemc/internal/test/systest"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
	"github.com/macemc/macemc/systems/superstep"
)

// With all faults no violation is found and searches complete, also when two members have one part each.
func TestNothingIsFound(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	all := sim.Limits{sim.Crashes: 2, sim.Loss: 2, sim.Dup: 2}
	for _, c := range []spec.Config{
		{Nodes: 2}, {Nodes: 3}, {Nodes: 4}, {Nodes: 3, Params: map[string]string{"forgets": "1"}},
		{Nodes: 4, Params: map[string]string{"leaves": "2"}},
	} {
		sys := systest.Build(t, superstep.Entry(), c, all)
		res := systest.Search(t, search.Config{System: sys, MaxPaths: 300}, 50)
		if res.Finding != nil {
			t.Errorf("%d nodes, %v: %v", c.Nodes, c.Params, res.Finding)
		}
		for _, s := range res.Stats.Sometimes {
			if s.Runs == 0 && (s.Property != superstep.TwoWork || c.Nodes > 2) {
				t.Errorf("%d nodes, %v: never %q", c.Nodes, c.Params, s.Property)
			}
		}
	}
}

// Each defect is found by the default search with its weights.
func TestBugs(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	e := superstep.Entry()
	for _, b := range e.Bugs {
		t.Run(b.ID, func(t *testing.T) {
			sys := systest.Build(t, e, b.Apply(spec.Config{}), b.Defaults.Limits)
			res := systest.Search(t, search.Config{System: sys, Weights: systest.Weights(b.Defaults.Weights), MaxPaths: 5000}, 50)
			if res.Finding == nil || !b.Accepts(res.Finding.Kind) {
				t.Errorf("found %v after %d paths, want %v", res.Finding, res.Stats.Paths, b.Kind)
			}
		})
	}
}
