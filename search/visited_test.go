package search_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/explore/stateset"
	"github.com/macemc/macemc/internal/search/runs"
	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"

	"github.com/macemc/macemc/search"
)

// The grid of TestDeepening_Counts without a visited set: the runs to depth 1 are x and y; to depth 2 xx yy, xy, yx and
// yy xx; to depth 3 the 6 paths from 00 to 22.
func TestVisited_None(t *testing.T) {
	res := run(t, search.Config{System: gridSystem(), Workers: 1, Visited: runs.AllStates, Alone: true})
	s := res.Stats
	if res.Verdict != search.OK || !s.Complete || s.ExhaustedDepth != 3 || s.Paths != 2+4+6 || s.States != 0 || s.Omission != 0 {
		t.Errorf("%s, %+v", res.Verdict, s)
	}
	if len(s.Phases) != 1 || s.Phases[0].Duplicates != 0 {
		t.Errorf("phases %+v", s.Phases)
	}
}

// Truncated fingerprints hold as many states as they have bits for, and report the bound on omissions. With 9 states
// the bound for 100 bits is 9*10/2 / 2^100.
func TestVisited_ShortFingerprints(t *testing.T) {
	for _, c := range []struct {
		bits     string
		least    int
		most     int
		omission float64
	}{
		{"1", 1, 2, 0.5},
		{"63", 9, 9, 45 / math.Pow(2, 63)},
		{"64", 9, 9, 45 / math.Pow(2, 64)},
		{"65", 9, 9, 45 / math.Pow(2, 65)},
		{"128", 9, 9, 45 / math.Pow(2, 128)},
		{"", 9, 9, 45 / math.Pow(2, 128)},
	} {
		s := run(t, search.Config{System: gridSystem(), Visited: c.bits}).Stats
		if s.States < c.least || s.States > c.most || s.Complete != (c.omission < stateset.MostOmission) {
			t.Errorf("%s bits: %d states, complete %v", c.bits, s.States, s.Complete)
		}
		if c.most == 9 && s.Omission != c.omission || s.Omission < c.omission || s.Omission > 1 {
			t.Errorf("%s bits: states missed with probability %g, want %g", c.bits, s.Omission, c.omission)
		}
	}
}

// A search of states that has probably missed some is inconclusive, even if it visited all that it distinguished.
func TestVisited_OmissionIsInconclusive(t *testing.T) {
	for _, strategy := range []search.Name{search.BFS, search.DFS} {
		for omission, want := range map[float64]search.Verdict{stateset.MostOmission: search.OK, 2 * stateset.MostOmission: search.Inconclusive} {
			res := run(t, search.Config{System: gridSystem(), Strategy: strategy,
				RemoteExplorer: func(ctx context.Context, sys *sim.System, opts options.Options) (*table.Exploration, error) {
					x, err := table.Explore(ctx, sys, opts)
					x.Omission, x.Depth = omission, 3
					return x, err
				}})
			if res.Verdict != want {
				t.Errorf("%s, states missed with probability %g: %s, want %s", strategy, omission, res.Verdict, want)
			}
		}
	}
}

func TestVisited_Refused(t *testing.T) {
	for _, c := range []struct {
		cfg  search.Config
		want string
	}{
		{search.Config{Visited: "0"}, "neither none nor a number of bits"},
		{search.Config{Visited: "-1"}, "neither none nor a number of bits"},
		{search.Config{Visited: "129"}, "neither none nor a number of bits"},
		{search.Config{Visited: stateset.Exact}, "neither none nor a number of bits"},
		{search.Config{Visited: runs.AllStates, Strategy: search.BFS}, "not one of exact, 64, 128"},
		{search.Config{Visited: "64", Strategy: search.Walk}, "Visited 64 needs a strategy that keeps states (deepening, bfs, dfs), not walk"},
		{search.Config{Alone: true, Strategy: search.Faulty}, "Alone needs a strategy that deepens iteratively (deepening), not faulty"},
	} {
		c.cfg.System = gridSystem()
		_, err := search.Run(t.Context(), c.cfg)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.cfg.Visited, err, c.want)
		}
	}
}

// The states that deepening stores stay within their limit.
func TestVisited_WithinMemory(t *testing.T) {
	const limit = 100_000
	res := run(t, search.Config{System: bundled(t, "paxos", spec.Config{}), MaxBytes: limit, Alone: true, Workers: 1})
	if s := &res.Stats; res.Verdict != search.OutOfResource || res.Stopped != stats.StoppedMemory || s.Complete || s.States == 0 || s.States > limit/18 || s.ExhaustedDepth == 0 {
		t.Errorf("%s, %s: %+v", res.Verdict, res.Stopped, s)
	}
}
