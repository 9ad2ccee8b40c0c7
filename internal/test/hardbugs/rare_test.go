package hardbugs_test

import (
	"cmp"
	"flag"
	"testing"
	"time"

	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/search/schedules"
	"github.com/macemc/macemc/internal/search/strategy"
	"github.com/macemc/macemc/internal/test/hardbugs"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

var long = flag.Duration("long", 0, "search each system for this long, with default settings and 5 seeds, instead of for few paths")

func run(t *testing.T, cfg search.Config) *search.Result {
	t.Helper()
	cfg.Workers = 1
	cfg.Confirm = critical.Confirm(critical.Config{System: cfg.System, Workers: 1})
	res, err := search.Run(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// Default settings find each defect; with -long the log says how soon.
func TestFound(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	// The part of the search that is to find it, so that few paths do.
	strategies := map[string]search.Name{"second failure": search.Faulty, "dead minority": search.Faulty}
	schedules := map[string][]string{"stale acknowledgement": {schedules.Phases}}
	for _, c := range hardbugs.Cases() {
		for seed := range uint64(5) {
			cfg := search.Config{System: c.System, Seed: seed + 1, Time: *long}
			if *long == 0 {
				if seed > 0 {
					break
				}
				cfg.MaxPaths, cfg.Strategy = 10_000, cmp.Or(strategies[c.Name], search.Walk)
				cfg.Schedules = schedules[c.Name]
			}
			began := time.Now()
			res := run(t, cfg)
			if res.Verdict != search.Violation {
				t.Errorf("%s, seed %d: %s after %d paths, though %s", c.Name, cfg.Seed, res.Verdict, res.Stats.Paths, c.Why)
				continue
			}
			t.Logf("%s, seed %d: %d paths, %.1f s, %s %s: %s", c.Name, cfg.Seed, res.Stats.Paths, time.Since(began).Seconds(),
				res.Finding.Strategy, res.Finding.Schedule, res.Finding.Message)
			if f := res.Finding; f.Kind == sim.Safety && f.Schedule == "" && f.Strategy != search.Deepening {
				t.Errorf("%s: the finding does not name its schedule", c.Name)
			}
		}
	}
}

// Without the defects nothing is found by the same means.
func TestCorrected(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	for _, c := range hardbugs.Cases() {
		for _, name := range strategy.Names(strategy.Walks) {
			if res := run(t, search.Config{System: c.Corrected, Strategy: search.Name(name), MaxPaths: 2000}); res.Verdict != search.OK {
				t.Errorf("%s, %s: %+v", c.Name, name, res.Finding)
			}
		}
	}
}

// Disturbing events do not belong to recovery in any strategy. Without the declaration they do, and the report
// names what recovery relied on.
func TestDisturbing(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	for _, name := range strategy.Names(strategy.Walks) { // package oracle compares bfs and dfs
		cfg := search.Config{System: hardbugs.Excuse().System, Strategy: search.Name(name), MaxPaths: 500}
		if res := run(t, cfg); res.Verdict != search.Violation || res.Finding.Kind != sim.Liveness && res.Finding.Kind != sim.Deadlock {
			t.Errorf("%s: %s, %+v", name, res.Verdict, res.Finding)
		}
		cfg.System.Actions = []sim.AnyAction{hardbugs.Campaign()}
		res := run(t, cfg)
		if res.Verdict != search.OK {
			t.Errorf("%s, as an ordinary action: %s, %+v", name, res.Verdict, res.Finding)
		}
		if r := res.Stats.Relied; len(r) != 1 || r[0].Action != "campaign" || r[0].Walks == 0 {
			t.Errorf("%s: recovery relied on %v", name, r)
		}
	}
}

// Crashes of a node, however many, do not harm a node that waits for it: only halts expose the defect.
func TestHaltsMatter(t *testing.T) {
	cfg := search.Config{System: hardbugs.Dead().System, Strategy: search.Faulty, MaxPaths: 2000}
	cfg.System.Crashes, cfg.System.Halts = 5, 0
	if res := run(t, cfg); res.Verdict != search.OK {
		t.Errorf("without halts: %+v", res.Finding)
	}
}

// Weighted walks miss a defect for the reason in its case: without other schedules the stale acknowledgement is not
// found.
func TestScheduleMatters(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	cfg := search.Config{System: hardbugs.Stale().System, Strategy: search.Walk, MaxPaths: 3000, Seed: 3}
	cfg.Schedules = []string{schedules.Phases}
	if res := run(t, cfg); res.Verdict != search.Violation || res.Finding.Schedule != schedules.Phases {
		t.Errorf("phases: %s after %d paths", res.Verdict, res.Stats.Paths)
	}
	cfg.Schedules = []string{schedules.Weighted}
	if res := run(t, cfg); res.Verdict != search.OK {
		t.Errorf("weighted: %s after %d paths", res.Verdict, res.Stats.Paths)
	}
}
