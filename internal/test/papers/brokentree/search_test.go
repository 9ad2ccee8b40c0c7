package brokentree_test

import (
	"testing"
	"time"

	"github.com/macemc/macemc/internal/explore/stateset"
	"github.com/macemc/macemc/internal/search/runs"
	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/internal/test/papers/brokentree"
	"github.com/macemc/macemc/internal/test/systest"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

func explore(t *testing.T, c spec.Config, l sim.Limits, cfg search.Config) *search.Result {
	t.Helper()
	cfg.System = systest.Build(t, brokentree.Entry(), c, l, cfg.Property)
	return systest.Search(t, cfg, 20)
}

// Each bug is found with its defaults, also by its property alone, and the same settings without the
// bug give nothing: refusing whom one has asked does keep three nodes free of loops.
func TestBugsAreFound(t *testing.T) {
	e := brokentree.Entry()
	for i := range e.Bugs {
		b := &e.Bugs[i]
		t.Run(b.ID, func(t *testing.T) {
			for _, property := range []string{"", b.PaperProperty} {
				res := explore(t, b.Apply(spec.Config{}), b.Defaults.Limits, search.Config{Property: property, MaxPaths: 20_000})
				f := res.Finding
				if f == nil {
					t.Fatalf("property %q: not found in %d paths", property, res.Stats.Paths)
				}
				if f.Kind != b.Kind || f.Property != b.PaperProperty {
					t.Errorf("property %q: found as %s: %s: %s", property, f.Kind, f.Property, f.Message)
				}
			}
			res := explore(t, spec.Config{Nodes: b.Defaults.Nodes, Params: b.Defaults.Params}, b.Defaults.Limits, search.Config{MaxPaths: 1500})
			if f := res.Finding; f != nil || res.Verdict != search.OK {
				t.Errorf("without the bug: %s, %v", res.Verdict, f)
			}
		})
	}
}

// Loops need no bug when there are four nodes: three siblings each ask the next. Nor do they when a
// node crashes.
func TestLoopsWithoutBug(t *testing.T) {
	for _, tc := range []struct {
		nodes  int
		limits sim.Limits
	}{
		{4, sim.Limits{}},
		{3, sim.Limits{sim.Crashes: 1}},
	} {
		c := spec.Config{Nodes: tc.nodes, Params: map[string]string{"no-loop": "true"}}
		res := explore(t, c, tc.limits, search.Config{Strategy: search.Faulty, MaxPaths: 20_000})
		if f := res.Finding; f == nil || f.Property != brokentree.NoLoop {
			t.Errorf("%d nodes, %+v: %v", tc.nodes, tc.limits, f)
		}
	}
}

// BT2 as in the paper: by bounded search alone, without a visited set and with one, and with fingerprints
// so short that the state is missed. When timers wait for messages the loop takes 12 choices. When they do not
// it takes 15, and 6.6 times as many paths for each. Without a visited set that is found only where the
// search need not be through with all that is less deep.
func TestVisitedSets(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	e := brokentree.Entry()
	b, err := e.Bug("BT2")
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		timing      sim.Timing
		deepenBy    int
		visited     string
		found       bool
		least, most int // paths
	}{
		{sim.AnyOrder, 20, runs.AllStates, true, 10_000, 1_000_000},
		{sim.Prompt, 1, runs.AllStates, true, 100_000, 1_000_000},
		{sim.Prompt, 1, stateset.Fingerprints128, true, 1000, 10_000},
		{sim.Prompt, 1, "16", true, 1000, 10_000},
		{sim.Prompt, 1, "5", false, 1, 1000},
	} {
		sys, err := e.New(b.Apply(spec.Config{}))
		if err != nil {
			t.Fatal(err)
		}
		sys.Timing = tc.timing
		if sys, err = sys.WithLimits(b.Defaults.Limits); err != nil {
			t.Fatal(err)
		}
		res, err := search.Run(t.Context(), search.Config{
			System: sys, Workers: 1, Visited: tc.visited, Alone: true, DeepenBy: tc.deepenBy, HandlerLimit: time.Minute,
		})
		if err != nil {
			t.Fatal(err)
		}
		if s := &res.Stats; (res.Finding != nil) != tc.found || s.Paths < tc.least || s.Paths > tc.most {
			t.Errorf("visited %s, by %d: finding %v, %d paths; want found %v, %d to %d paths",
				tc.visited, tc.deepenBy, res.Finding, s.Paths, tc.found, tc.least, tc.most)
		}
		if s := &res.Stats; !tc.found && (s.Complete || res.Stopped != stats.StoppedFingerprints || s.Omission != 1) {
			t.Errorf("visited %s: complete %v, probability of having missed a state %g", tc.visited, s.Complete, s.Omission)
		}
	}
}

// Without bugs all properties hold, at several sizes and with faults.
func TestNoSelfLoop(t *testing.T) {
	for _, tc := range []struct {
		nodes  int
		buffer string
		limits sim.Limits
	}{
		{2, "20", sim.Limits{sim.Crashes: 2, sim.NetErrors: 2}},
		{3, "20", sim.Limits{sim.Crashes: 1, sim.NetErrors: 1}},
		{4, "1", sim.Limits{sim.Crashes: 2, sim.NetErrors: 2, sim.Partitions: 1}},
		{5, "20", sim.Limits{sim.Crashes: 2, sim.NetErrors: 2, sim.Partitions: 1}},
	} {
		res := explore(t, spec.Config{Nodes: tc.nodes, Params: map[string]string{"buffer": tc.buffer}}, tc.limits, search.Config{Strategy: search.Faulty, MaxPaths: 1000})
		if f := res.Finding; f != nil || res.Verdict != search.OK {
			t.Errorf("%d nodes: %s, %v", tc.nodes, res.Verdict, f)
		}
		if tc.nodes == 5 && len(res.Stats.NeverHappened) > 0 {
			t.Errorf("never happened: %v", res.Stats.NeverHappened)
		}
	}
}
