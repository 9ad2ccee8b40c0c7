package search

import (
	"context"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/explore/stateset"
	"github.com/macemc/macemc/internal/search/runs"
	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/table/por"
	"github.com/macemc/macemc/internal/test/papers"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

func withBug(t *testing.T, system, bug string) Config {
	t.Helper()
	e, err := papers.Find(system)
	if err != nil {
		t.Fatal(err)
	}
	sys, err := e.New(spec.Config{Bugs: []string{bug}})
	if err != nil {
		t.Fatal(err)
	}
	return Config{System: sys, Strategy: BFS, Shortest: true}
}

// A finding of a reduced search is followed by one with the fewest steps.
func TestShortest(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	for _, c := range []struct {
		system, bug string
		crashes     int
	}{{"paxos", "PX1", 0}, {"paxos", "PX2", 1}} {
		cfg := withBug(t, c.system, c.bug)
		cfg.System.Crashes = c.crashes
		cfg.Reduce = options.ReduceNone
		all, err := Run(context.Background(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		if s := all.Stats.Shortest; !s.Least || s.States != 0 || s.Found != all.Finding.Steps {
			t.Errorf("%s, all states: %+v", c.bug, s)
		}
		for _, how := range []Config{{Strategy: BFS, Reduce: options.ReduceFull}, {Strategy: DFS, Reduce: options.ReduceNone}, {Strategy: BFS, Reduce: options.ReduceFull, Symmetry: true, Crashes: options.CrashAuto}} {
			if how.Strategy == DFS && c.crashes > 0 {
				continue
			}
			cfg.Strategy, cfg.Reduce, cfg.Symmetry, cfg.Crashes = how.Strategy, how.Reduce, how.Symmetry, how.Crashes
			r, err := Run(context.Background(), cfg)
			if err != nil {
				t.Fatal(err)
			}
			if s := r.Stats.Shortest; r.Finding.Steps != all.Finding.Steps || !s.Least || s.Found <= r.Finding.Steps || s.States == 0 {
				t.Errorf("%s, %s %s: %d steps, want %d; %+v", c.bug, how.Strategy, how.Reduce, r.Finding.Steps, all.Finding.Steps, s)
			}
			if o, err := runs.Follow(&cfg.System, r.Finding.Path); err != nil || o.Finding == nil {
				t.Errorf("%s, %s %s: nothing is wrong at the end of the path: %v", c.bug, how.Strategy, how.Reduce, err)
			}
		}
	}
}

// Fewer steps may suffice if states may have been taken for others, or draws were sampled. It makes no difference
// whether all states were visited before or are visited for this search.
func TestShortest_Omission(t *testing.T) {
	for k, c := range []struct {
		visited string
		why     string
	}{{stateset.Exact, ""}, {stateset.Fingerprints64, "states are compared by fingerprint, and fingerprints can collide"}, {stateset.Fingerprints128, "states are compared by fingerprint, and fingerprints can collide"}} {
		for i, reduce := range []string{options.ReduceNone, options.ReduceDrop, options.ReduceFull} {
			if testing.Short() && i != k {
				continue
			}
			cfg := withBug(t, "paxos", "PX1")
			cfg.Visited, cfg.Reduce = c.visited, reduce
			r, err := Run(context.Background(), cfg)
			if err != nil {
				t.Fatal(err)
			}
			if s := r.Stats.Shortest; s.Least != (c.why == "") || s.Why != c.why || (s.States == 0) != (reduce != options.ReduceFull) {
				t.Errorf("%s, %s: %+v, want why %q", c.visited, reduce, s, c.why)
			}
		}
	}
}

// An unknown result is reported as such.
func TestShortest_Unknown(t *testing.T) {
	cfg, err := withBug(t, "paxos", "PX1").complete()
	if err != nil {
		t.Fatal(err)
	}
	r := &Result{Finding: &Suspect{Finding: sim.Finding{Kind: sim.Safety}, Steps: 18}}
	done, cancel := context.WithCancel(context.Background())
	cancel()
	if err := r.shortest(done, &cfg, time.Now(), 1, &table.Exploration{Reduced: por.Reduced{Used: options.ReduceFull}}); err != nil || r.Stats.Shortest.Least || r.Stats.Shortest.Why != "stopped by interrupted" {
		t.Errorf("%v: %+v", err, r.Stats.Shortest)
	}
	cfg = withBug(t, "twophase", "TP2")
	dead, err := Run(context.Background(), cfg)
	if err != nil || dead.Verdict != Violation {
		t.Fatalf("%v: %+v", err, dead)
	}
	if s := dead.Stats.Shortest; s == nil || dead.Finding.Kind != sim.Safety && (s.Least || s.Why == "") {
		t.Errorf("%v: %+v", dead.Finding.Kind, s)
	}
}
