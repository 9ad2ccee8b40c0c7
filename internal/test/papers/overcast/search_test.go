package overcast_test

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/internal/test/papers/overcast"
	"github.com/macemc/macemc/internal/test/systest"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// explore searches a configuration. With all properties it also checks the reason for the absence of loops.
func explore(t *testing.T, c spec.Config, l sim.Limits, cfg search.Config) *search.Result {
	t.Helper()
	cfg.System = systest.Build(t, overcast.Entry(), c, l, cfg.Property)
	if cfg.Property == "" {
		cfg.System.Properties = append(cfg.System.Properties, roundsFallDownTheTree)
	}
	return systest.Search(t, cfg, 20)
}

// roundsFallDownTheTree is the reason for the absence of loops: no node knows a later round than its parent.
var roundsFallDownTheTree = sim.Property{
	Name: "rounds fall down the tree",
	Always: func(v *sim.View) bool {
		for _, n := range sim.Nodes[*overcast.Node](v) {
			if n.Parent == overcast.None {
				continue
			}
			if p, ok := v.Service(n.Parent).(*overcast.Node); ok && p.Round < n.Round {
				return false
			}
		}
		return true
	},
}

// OV1 is found as a violation of liveness with all properties and with the paper's alone, together with the
// critical step.
func TestOV1(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	e := overcast.Entry()
	b, err := e.Bug("OV1")
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		property string
		limits   sim.Limits
	}{
		{"", b.Defaults.Limits},
		{b.PaperProperty, b.Defaults.Limits},
		{"", sim.Limits{sim.Crashes: 1}},   // the holder dies
		{"", sim.Limits{sim.NetErrors: 1}}, // the unlock is lost
	} {
		t.Run(fmt.Sprintf("%q %+v", tc.property, tc.limits), func(t *testing.T) {
			t.Parallel()
			res := explore(t, b.Apply(spec.Config{}), tc.limits, search.Config{
				Property: tc.property, Strategy: search.Faulty, MaxPaths: 20_000,
			})
			f := res.Finding
			if f == nil {
				t.Fatalf("not found in %d paths", res.Stats.Paths)
			}
			if f.Kind != sim.Liveness || f.Property != overcast.SpanningTree {
				t.Errorf("found as %s: %s: %s", f.Kind, f.Property, f.Message)
			}
			if c, ok := res.Detail.(*critical.Result); !ok || c.Case != critical.Located {
				t.Errorf("critical transition: %+v", res.Detail)
			}
		})
	}
}

// The corrected protocol recovers from all faults at several sizes and never has a loop, and
// everything that can happen does.
func TestCorrected(t *testing.T) {
	for _, c := range []struct {
		nodes, degree, train, buffer int
		limits                       sim.Limits
		strategy                     search.Name
		weights                      search.Weights
		paths                        int
	}{
		{2, 1, 1, 20, sim.Limits{sim.Crashes: 2, sim.NetErrors: 2}, search.Faulty, search.Weights{}, 1000},
		{3, 2, 2, 20, sim.Limits{sim.Crashes: 1, sim.NetErrors: 1}, search.Deepening, search.Weights{}, 2000},
		{3, 2, 2, 20, sim.Limits{}, search.Walk, search.Weights{}, 1000},
		{3, 2, 2, 1, sim.Limits{sim.Crashes: 2, sim.NetErrors: 2, sim.Partitions: 1}, search.Faulty, often, 1000},
		{4, 2, 2, 2, sim.Limits{sim.Crashes: 2, sim.NetErrors: 3, sim.Partitions: 1}, search.Faulty, often, 1000},
		{5, 1, 1, 20, sim.Limits{sim.Crashes: 2, sim.NetErrors: 2}, search.Faulty, often, 500},
		{5, 2, 3, 3, sim.Limits{sim.Crashes: 3, sim.NetErrors: 4}, search.Faulty, often, 500},
		{8, 3, 2, 20, sim.Limits{sim.Crashes: 2, sim.NetErrors: 2}, search.Faulty, search.Weights{}, 100},
	} {
		t.Run(fmt.Sprintf("%d nodes %s", c.nodes, c.strategy), func(t *testing.T) {
			t.Parallel()
			res := explore(t, spec.Config{Nodes: c.nodes, Params: map[string]string{
				"degree": strconv.Itoa(c.degree), "train": strconv.Itoa(c.train), "buffer": strconv.Itoa(c.buffer),
			}}, c.limits, search.Config{Strategy: c.strategy, Weights: c.weights, MaxPaths: c.paths})
			if f := res.Finding; f != nil {
				t.Fatalf("%s: %s: %s", f.Kind, f.Property, f.Message)
			}
			if res.Verdict != search.OK || res.Stopped != stats.StoppedPaths {
				t.Errorf("verdict %s, stopped by %s", res.Verdict, res.Stopped)
			}
			if c.buffer == 1 && len(res.Stats.NeverHappened) > 0 {
				t.Errorf("never happened: %v", res.Stats.NeverHappened)
			}
		})
	}
}

// often makes periodic timers, and with them probes, frequent, and spreads faults over the walk.
var often = search.Weights{Action: 4, Message: 8, Timer: 4, Consequence: 8, Fault: 1}
