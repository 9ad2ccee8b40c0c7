package randtree_test

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/macemc/macemc/internal/search/schedules"
	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/internal/test/systest"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/randtree"
	"github.com/macemc/macemc/systems/spec"
)

// build returns a system with limits. A handler that does not return would hang the test, so the system has one more
// property, which fails directly before that.
func build(t testing.TB, c spec.Config, l sim.Limits) sim.System {
	t.Helper()
	sys := systest.Build(t, randtree.Entry(), c, l)
	sys.Properties = append(sys.Properties, randtree.SearchEnds)
	return sys
}

func explore(t *testing.T, sys sim.System, cfg search.Config) *search.Result {
	t.Helper()
	cfg.System = sys
	return systest.Search(t, cfg, 10)
}

// The corrected protocol also recovers over the transport, which loses state when a node restarts, and has datagrams
// that are lost, duplicated or late.
func TestCorrectedOverTransport(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	for _, c := range []struct {
		nodes    int
		buffer   string
		limits   sim.Limits
		strategy search.Name
		paths    int
	}{
		{2, "1", sim.Limits{sim.Crashes: 2, sim.Loss: 1, sim.Dup: 1}, search.Deepening, 1000},
		{3, "20", sim.Limits{sim.Crashes: 2, sim.Loss: 2, sim.Dup: 2, sim.Partitions: 1}, search.Faulty, 500},
		{5, "2", sim.Limits{sim.Crashes: 1, sim.Loss: 1, sim.Dup: 1}, search.Faulty, 100},
	} {
		t.Run(fmt.Sprintf("%d nodes", c.nodes), func(t *testing.T) {
			t.Parallel()
			sys := build(t, spec.Config{Nodes: c.nodes, Params: map[string]string{"over": "transport", "buffer": c.buffer}}, c.limits)
			res := explore(t, sys, search.Config{Strategy: c.strategy, MaxPaths: c.paths})
			if f := res.Finding; f != nil {
				t.Fatalf("%s: %s: %s", f.Kind, f.Property, f.Message)
			}
		})
	}
}

// Defects are found over the transport as over streams.
func TestBugIsFoundOverTransport(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	sys := build(t, spec.Config{Nodes: 3, Bugs: spec.BugSet{"RT13"}, Params: map[string]string{"over": "transport"}}, sim.Limits{sim.Crashes: 1})
	res := explore(t, sys, search.Config{Strategy: search.Faulty, Weights: systest.Weights(spec.Weights{Action: 4, Fault: 1}), MaxPaths: 5000, Schedules: []string{schedules.Weighted}})
	if f := res.Finding; f == nil || f.Kind != sim.Liveness {
		t.Errorf("found %v", f)
	}
}

// Each bug is found with its defaults as one of the expected kinds, a divergence as the state directly before it; and
// with the paper's property alone. Without the bug the same settings find nothing.
func TestBugsAreFound(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	e := randtree.Entry()
	for i := range e.Bugs {
		b := &e.Bugs[i]
		faulty := search.Config{Strategy: search.Faulty, Weights: systest.Weights(b.Defaults.Weights), MaxPaths: 100_000}
		t.Run(b.ID, func(t *testing.T) {
			t.Parallel()
			sys := build(t, b.Apply(spec.Config{}), b.Defaults.Limits)
			res := explore(t, sys, faulty)
			f := res.Finding
			switch {
			case f == nil:
				t.Fatalf("not found in %d paths", res.Stats.Paths)
			case b.Kind == sim.Divergence:
				if f.Property != randtree.SearchEnds.Name {
					t.Errorf("found as %s: %s: %s", f.Kind, f.Property, f.Message)
				}
			case !b.Accepts(f.Kind) || f.Property == randtree.SearchEnds.Name:
				t.Errorf("found as %s: %s: %s", f.Kind, f.Property, f.Message)
			}

			fixed := build(t, spec.Config{Nodes: b.Defaults.Nodes, Params: b.Defaults.Params}, b.Defaults.Limits)
			cfg := faulty
			cfg.MaxPaths = 60
			if res := explore(t, fixed, cfg); res.Finding != nil || res.Verdict != search.OK {
				t.Errorf("without the bug: %s, %v", res.Verdict, res.Finding)
			}

			if b.PaperProperty == "" {
				return
			}
			alone, err := sys.Only(b.PaperProperty)
			if err != nil {
				t.Fatal(err)
			}
			res = explore(t, alone, faulty)
			if f := res.Finding; f == nil || f.Property != b.PaperProperty || f.Kind != b.PaperKind && f.Kind != sim.Deadlock {
				t.Errorf("%s alone, %d paths: found %v", b.PaperProperty, res.Stats.Paths, f)
			}
		})
	}
}

// The corrected protocol recovers from all faults at several sizes, and every handler and event occurs.
func TestCorrected(t *testing.T) {
	for _, c := range []struct {
		nodes, degree, buffer, sheds int
		limits                       sim.Limits
		strategy                     search.Name
		weights                      spec.Weights
		paths                        int
	}{
		{1, 2, 20, 1, sim.Limits{sim.Crashes: 1}, search.Faulty, spec.Weights{}, 50},
		{2, 2, 20, 1, sim.Limits{sim.Crashes: 2, sim.NetErrors: 2}, search.Faulty, spec.Weights{}, 200},
		{3, 2, 20, 1, sim.Limits{sim.Crashes: 1, sim.NetErrors: 1}, search.Deepening, spec.Weights{}, 200},
		{3, 2, 20, 0, sim.Limits{}, search.Walk, spec.Weights{}, 200},
		{3, 1, 1, 2, sim.Limits{sim.Crashes: 2, sim.NetErrors: 2, sim.Partitions: 1}, search.Faulty, spec.Weights{Action: 4, Fault: 1}, 300},
		{4, 2, 3, 2, sim.Limits{sim.Crashes: 2, sim.NetErrors: 2, sim.Partitions: 1}, search.Faulty, spec.Weights{}, 200},
		{5, 1, 2, 2, sim.Limits{sim.Crashes: 2, sim.NetErrors: 2}, search.Faulty, spec.Weights{Action: 4, Fault: 1}, 300},
		{6, 2, 20, 1, sim.Limits{sim.Crashes: 2, sim.NetErrors: 2}, search.Faulty, spec.Weights{Action: 4, Fault: 1}, 300},
		{8, 3, 20, 1, sim.Limits{sim.Crashes: 2, sim.NetErrors: 2}, search.Faulty, spec.Weights{}, 60},
	} {
		t.Run(fmt.Sprintf("%d nodes %s", c.nodes, c.strategy), func(t *testing.T) {
			t.Parallel()
			sys := build(t, spec.Config{Nodes: c.nodes, Params: map[string]string{
				"degree": strconv.Itoa(c.degree), "buffer": strconv.Itoa(c.buffer), "sheds": strconv.Itoa(c.sheds),
			}}, c.limits)
			res := explore(t, sys, search.Config{Strategy: c.strategy, Weights: systest.Weights(c.weights), MaxPaths: c.paths})
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
