package search_test

import (
	"context"
	"slices"
	"testing"

	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/systems/spec"
)

func crashing(t *testing.T, bugs ...string) search.Config {
	sys := bundled(t, "paxos", spec.Config{Bugs: bugs})
	sys.Crashes = 1
	return search.Config{System: sys, Strategy: search.DFS}
}

// Crashes left out without a proof leave the verdict open; those that matter are searched if requested.
func TestCrashModels(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	for _, c := range []struct {
		model   string
		bugs    []string
		verdict search.Verdict
		stopped string
		opaque  int
	}{
		{options.CrashImplicit, nil, search.OK, stats.StoppedComplete, 0},
		{options.CrashAuto, nil, search.OK, stats.StoppedComplete, 0},
		{options.CrashImplicit, []string{"PX2"}, search.Inconclusive, stats.StoppedCrashes, 3},
		{options.CrashAuto, []string{"PX2"}, search.Violation, stats.StoppedFound, 3},
	} {
		cfg := crashing(t, c.bugs...)
		cfg.Crashes = c.model
		r, err := search.Run(context.Background(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict != c.verdict || r.Stopped != c.stopped || len(r.Stats.Crashes.CrashSensitive) != c.opaque || r.Stats.ExhaustedDepth > 0 && !r.Stats.Complete ||
			slices.Contains(r.Stats.NeverHappened, "fault crash") {
			t.Errorf("%s %v: %s, stopped by %q, %+v", c.model, c.bugs, r.Verdict, r.Stopped, r.Stats.Crashes)
		}
	}
}

// Crash models are for strategies that visit all states.
func TestCrashModelsRefused(t *testing.T) {
	for _, change := range []func(*search.Config){
		func(c *search.Config) { c.Crashes = "some" },
		func(c *search.Config) { c.Crashes, c.Strategy = options.CrashAuto, search.Deepening },
		func(c *search.Config) { c.Crashes, c.Strategy = options.CrashImplicit, search.Walk },
	} {
		cfg := crashing(t)
		change(&cfg)
		if _, err := search.Run(context.Background(), cfg); err == nil {
			t.Errorf("%s with crash model %s is not refused", cfg.Strategy, cfg.Crashes)
		}
	}
}
