package search_test

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/search/runs"
	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/internal/test/automaton"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// patient is a HandlerLimit that a busy machine does not exceed by itself.
const patient = time.Minute

// endless is a time that only a non-terminating search takes, even on a busy machine.
const endless = 5 * time.Minute

func run(t *testing.T, cfg search.Config) *search.Result {
	t.Helper()
	cfg.HandlerLimit = cmp.Or(cfg.HandlerLimit, patient)
	res, err := search.Run(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func phaseOf(res *search.Result, name string) stats.Phase {
	for _, p := range res.Stats.Phases {
		if p.Name == name {
			return p
		}
	}
	return stats.Phase{}
}

// grid counts in two directions to 2 by an action each.
type grid struct {
	sim.Nop
	X, Y int
}

func gridSystem() sim.System {
	return sim.System{
		Name: "grid", Nodes: 1, New: func(sim.NodeID) sim.Service { return &grid{} },
		Actions: []sim.AnyAction{
			sim.Action[*grid]{Name: "x", When: func(g *grid) bool { return g.X < 2 }, Do: func(g *grid, _ sim.Env) { g.X++ }},
			sim.Action[*grid]{Name: "y", When: func(g *grid) bool { return g.Y < 2 }, Do: func(g *grid, _ sim.Env) { g.Y++ }},
		},
	}
}

// The 9 states of the grid, where only one action is left (x or y is 2) steps are forced and free:
//
//	depth 1: x (10) at the bound; y (01) at the bound.                                      2 runs
//	depth 2: xx (20) yy forced: 21, 22; xy (11) at the bound; yx (11) again;
//	         yy (02), forced 12 and 22 again.                                               4 runs, 2 duplicates
//	depth 3: xx yy to 22; xyx (21) seen with more left; xyy (12) seen with 0 left before;
//	         yx (11) again; yy, forced 12 and 22 again.                                     5 runs, 4 duplicates
//
// At depth 3 no run is ended by the bound.
func TestDeepening_Counts(t *testing.T) {
	res := run(t, search.Config{System: gridSystem(), Workers: 1})
	if res.Stopped != stats.StoppedComplete || !res.Stats.Complete || res.Stats.ExhaustedDepth != 3 {
		t.Errorf("stopped %q, complete %v at depth %d; want complete at 3", res.Stopped, res.Stats.Complete, res.Stats.ExhaustedDepth)
	}
	if res.Verdict != search.OK || res.Stats.States != 9 {
		t.Errorf("verdict %s, %d states; want ok, 9", res.Verdict, res.Stats.States)
	}
	p := phaseOf(res, "deepening")
	// Events: 1+1; 4+2+2+4; 4+3+3+2+4.
	want := stats.Phase{
		Name: "deepening", Paths: 11, Live: 11, Duplicates: 6, OutOfEvents: 2, States: 9, Events: 30,
		Steps:   stats.Histogram{Count: 11, Min: 1, Max: 4, Buckets: []int{0, 2, 5, 4}},
		Choices: stats.Histogram{Count: 11, Min: 1, Max: 3, Buckets: []int{0, 2, 9}},
	}
	p.Seconds = 0
	if a, b := text(t, p), text(t, want); a != b {
		t.Errorf("got  %s\nwant %s", a, b)
	}
}

func text(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// One move with three ends, one of them bad: the only event is forced, the choice within it costs 1.
func TestDeepening_Safety(t *testing.T) {
	tab := automaton.Table{Moves: []automaton.Move{automaton.To(0, 1, 2, 3), automaton.To(1, 1)}, Bad: []int{3}}
	res := run(t, search.Config{System: tab.System()})
	f := res.Finding
	if res.Verdict != search.Violation || f == nil || f.Kind != sim.Safety || f.Property != "safe" {
		t.Fatalf("got %s, %+v", res.Verdict, f)
	}
	if !slices.Equal(f.Path, choose.Path{0, 2}) || f.Steps != 1 || f.Depth != 1 || f.Strategy != search.Deepening {
		t.Errorf("path %v, steps %d, depth %d, by %s; want 0 2, 1, 1, deepening", f.Path, f.Steps, f.Depth, f.Strategy)
	}
}

// States 1 and 2 lead only to each other. No run through them ends at the bound; they are leaves because all their
// successors are seen. The second move enters the dead loop.
func TestDeepening_DeadCycle(t *testing.T) {
	tab := automaton.Table{Moves: []automaton.Move{automaton.To(0, 3), automaton.To(0, 1), automaton.To(1, 2), automaton.To(2, 1), automaton.To(3, 0)}, Live: []int{3}}
	res := run(t, search.Config{System: tab.System(), WalkSteps: 50, Strategy: search.Deepening, MaxDepth: 5, Workers: 2})
	f := res.Finding
	if f == nil || f.Kind != sim.Liveness || f.OutOfEvents || f.Property != "live" {
		t.Fatalf("got %s, %+v", res.Verdict, f)
	}
	// At depth 1: 0 -> 3 -> 0 again; 0 -> 1 -> 2 -> 1 again, where the walk continues.
	if f.Origin != 3 || f.Depth != 1 || f.Steps != 53 {
		t.Errorf("walk from step %d to %d at depth %d, want 3, 53, 1", f.Origin, f.Steps, f.Depth)
	}
	if got := phaseOf(res, "leaf walks"); got.TooLong != 1 || got.Paths != 1 {
		t.Errorf("leaf walks: %+v, want 1, too long", got)
	}
}

// State 1 has no successor and is not live.
func TestDeepening_Deadlock(t *testing.T) {
	tab := automaton.Table{Moves: []automaton.Move{automaton.To(0, 0), automaton.To(0, 1)}, Live: []int{0}}
	res := run(t, search.Config{System: tab.System()})
	f := res.Finding
	if f == nil || f.Kind != sim.Deadlock || !f.OutOfEvents || f.Origin != 1 || !slices.Equal(f.Path, choose.Path{1}) {
		t.Fatalf("got %s, %+v", res.Verdict, f)
	}
}

// An unconfirmed suspect is counted, and the search continues. Only a crash leaves state 1, and leads to the bad state
// through 0.
func TestDeepening_RefutedSuspect(t *testing.T) {
	tab := automaton.Table{Moves: []automaton.Move{automaton.To(0, 1), automaton.To(0, 0)}, Live: []int{0}, Crashes: 1}
	var asked []search.Suspect
	cfg := search.Config{System: tab.System(), Confirm: func(_ context.Context, s search.Suspect) (search.Confirmed, error) {
		asked = append(asked, s)
		return search.Confirmed{Refuted: len(asked) > 1}, nil
	}}
	res := run(t, cfg)
	// States: 0 and 1 with the crash left; down; 0 and 1 without. The two states 1 are suspects.
	if res.Stats.States != 5 || !res.Stats.Complete {
		t.Errorf("%d states, complete %v, want 5, all", res.Stats.States, res.Stats.Complete)
	}
	if res.Finding != nil || res.Suspects < 2 || res.Undecided != 1 || res.Verdict != search.Inconclusive {
		t.Errorf("got %d suspects, %d undecided, %s", res.Suspects, res.Undecided, res.Verdict)
	}
	deadlocks := map[int]bool{}
	for _, s := range asked {
		if s.Kind != sim.Deadlock || s.Steps == 0 {
			t.Errorf("suspect %+v", s)
		}
		deadlocks[len(s.Path)] = true
	}
	if len(deadlocks) < 2 {
		t.Errorf("suspects %+v: want one before and one after the crash", asked)
	}
}

// The grid of TestDeepening_Counts by two at a time, without a visited set: 4 runs to depth 2, and all 6 paths from 00
// to 22. The bound 4 ends none of them, nor does the bound 3 if it is the maximum.
func TestDeepening_DeepenBy(t *testing.T) {
	for _, most := range []int{0, 3} {
		s := run(t, search.Config{System: gridSystem(), Workers: 1, Visited: runs.AllStates, Alone: true, DeepenBy: 2, MaxDepth: most}).Stats
		want := 4
		if most == 3 {
			want = 3
		}
		if !s.Complete || s.ExhaustedDepth != want || s.Paths != 4+6 {
			t.Errorf("at most %d deep: complete %v at %d after %d paths, want depth %d, 10 paths", most, s.Complete, s.ExhaustedDepth, s.Paths, want)
		}
	}
}
