package knowncounts

import (
	"context"
	"testing"

	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/explore/stateset"
	"github.com/macemc/macemc/internal/search/strategy"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

func run(t *testing.T, cfg search.Config) *search.Result {
	t.Helper()
	res, err := search.Run(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// unchecked is a system without its properties, so that all states are visited.
func (s *System) unchecked() sim.System {
	sys := s.System
	sys.Properties = nil
	return sys
}

// large is the number of states above which a system is searched less often.
const large = 1000

func TestCounts(t *testing.T) {
	systems := All()
	if len(systems) < 20 {
		t.Errorf("%d systems, at least twenty are promised", len(systems))
	}
	for _, s := range systems {
		t.Run(s.Name, func(t *testing.T) {
			if testing.Short() && s.States > 100 {
				t.Skip("slow")
			}
			for i, strategy := range []search.Name{search.BFS, search.DFS} {
				for k, visited := range []string{stateset.Exact, stateset.Fingerprints64, stateset.Fingerprints128} {
					if s.States > large && k != (s.States+i)%3 {
						continue // one visited set is enough for what takes long
					}
					workers := 1 + (k+i)%2
					got := run(t, search.Config{System: s.unchecked(), Strategy: strategy, Visited: visited, Workers: workers, Reduce: options.ReduceNone}).Stats
					if got.States != s.States || !got.Complete || s.Transitions > 0 && got.Transitions != s.Transitions {
						t.Errorf("%s, %s, %d workers: %d states, %d transitions, complete %t; want %d, %d",
							strategy, visited, workers, got.States, got.Transitions, got.Complete, s.States, s.Transitions)
					}
				}
			}
		})
	}
}

// All strategies agree: only one of the systems violates something.
func TestVerdicts(t *testing.T) {
	for _, s := range All() {
		t.Run(s.Name, func(t *testing.T) {
			if testing.Short() && s.States > 100 {
				t.Skip("slow")
			}
			for _, name := range []search.Name{search.BFS, search.DFS, search.Deepening, search.Walk} {
				if s.States > large && name == search.DFS {
					continue // TestCounts lets it visit all states
				}
				cfg := search.Config{System: s.System, Strategy: name, Confirm: critical.Confirm(critical.Config{System: s.System})}
				if !name.Can(strategy.VisitsStates) {
					cfg.MaxPaths, cfg.WalkSteps = 300, 200
				}
				res := run(t, cfg)
				want := search.OK
				if s.Depth > 0 {
					want = search.Violation
				}
				if res.Verdict != want {
					t.Errorf("%s: %s, want %s: %+v", name, res.Verdict, want, res.Finding)
				}
				if s.Depth > 0 && name == search.BFS && res.Finding.Steps != s.Depth {
					t.Errorf("%s: %d steps, want %d", name, res.Finding.Steps, s.Depth)
				}
			}
		})
	}
}
