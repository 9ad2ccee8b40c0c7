package search_test

import (
	"context"
	"testing"

	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/test/automaton"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// swinging returns a system of two live states, with or without a safety property.
func swinging(safety bool) sim.System {
	tab := automaton.Table{Live: []int{0, 1}, Moves: []automaton.Move{automaton.To(0, 1), automaton.To(1, 0)}}
	sys := tab.System()
	if !safety {
		sys.Properties = sys.Properties[1:]
	}
	return sys
}

// When the time ends while an exploration that has visited all states judges them, the search is not complete.
func TestRun_TimeEndsDuringAnalysis(t *testing.T) {
	explorer := func(ctx context.Context, sys *sim.System, opts options.Options) (*table.Exploration, error) {
		x, err := table.Explore(context.WithoutCancel(ctx), sys, opts)
		if x != nil {
			x.LivenessChecked = false
		}
		for ctx.Err() == nil { // the limit counts CPU time
		}
		return x, err
	}
	for _, c := range []struct {
		safety bool
		want   search.Verdict
	}{{true, search.OK}, {false, search.Inconclusive}} {
		cfg := search.Config{System: swinging(c.safety), Strategy: search.BFS, Reduce: "none", Time: 1, RemoteExplorer: explorer}
		r, err := search.Run(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		if r.Stopped != stats.StoppedTime || r.Stats.Complete || r.Stats.Recovers || r.Stats.Unchecked == "" || r.Verdict != c.want {
			t.Errorf("safety %v: %s, stopped %q, want %s, %q; coverage %+v", c.safety, r.Verdict, r.Stopped, c.want, stats.StoppedTime,
				r.Stats.Coverage)
		}
		if r.Stats.States != 2 || r.Stats.ExhaustedDepth == 0 {
			t.Errorf("safety %v: %d states to depth %d", c.safety, r.Stats.States, r.Stats.ExhaustedDepth)
		}
	}
}

// A search that judges none of the properties that a system declares is inconclusive, although it checks assertions.
func TestRun_OnlyLivenessUnjudged(t *testing.T) {
	for _, c := range []struct {
		safety bool
		depth  int
		want   search.Verdict
	}{{true, 1, search.OK}, {false, 1, search.Inconclusive}, {false, 9, search.OK}} {
		r, err := search.Run(t.Context(), search.Config{System: swinging(c.safety), Strategy: search.BFS, MaxDepth: c.depth})
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict != c.want {
			t.Errorf("safety %v, to depth %d: %s, want %s; stopped %s", c.safety, c.depth, r.Verdict, c.want, r.Stopped)
		}
	}
}
