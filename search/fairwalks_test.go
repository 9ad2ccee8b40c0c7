package search_test

import (
	"testing"

	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// idler counts, turns forever, and may finish at any time.
type idler struct {
	sim.Nop
	N         int
	Odd, Done bool
}

// idlers is a system with more states than fit into memory. finishes says that finishing is fair.
func idlers(finishes bool) sim.System {
	return sim.System{
		Name: "idlers", Nodes: 3, New: func(sim.NodeID) sim.Service { return &idler{} },
		Actions: []sim.AnyAction{
			sim.Action[*idler]{Name: "count", When: func(i *idler) bool { return i.N < 40 }, Do: func(i *idler, _ sim.Env) { i.N++ }},
			sim.Action[*idler]{Name: "turn", Fair: true, Do: func(i *idler, _ sim.Env) { i.Odd = !i.Odd }},
			sim.Action[*idler]{Name: "finish", Fair: finishes, When: func(i *idler) bool { return !i.Done }, Do: func(i *idler, _ sim.Env) { i.Done = true }},
		},
		Properties: []sim.Property{{Name: "done", Inevitably: func(v *sim.View) bool { return v.Service(0).(*idler).Done }}},
	}
}

// Starvation found by fair walks is searched for among all states, if they are few: then nothing about it is unknown.
func TestFairWalks_FewStates(t *testing.T) {
	for counting, walked := range map[bool]bool{false: false, true: true} {
		sys := idlers(false)
		if !counting {
			sys.Actions = sys.Actions[1:]
		}
		res := run(t, search.Config{System: sys, Strategy: search.Walk, Workers: 1, Seed: 1, MaxPaths: 10})
		if res.Verdict != search.Violation || res.Finding.Kind != sim.Starvation {
			t.Fatalf("counting %v: %s, %+v", counting, res.Verdict, res.Finding)
		}
		if s := res.Finding.Starved; s.Walked != walked || !s.Recovers {
			t.Errorf("counting %v: %+v", counting, s)
		}
	}
}

// Fair walks look for starvation only if memory does not suffice for all states. Their result is reported, and has one
// state in 32.
func TestFairWalks_OutOfMemory(t *testing.T) {
	bfs := func(finishes bool, cfg search.Config) (*search.Result, *stats.Fair) {
		cfg.System, cfg.Strategy, cfg.Workers, cfg.Seed = idlers(finishes), search.BFS, 1, 1
		res := run(t, cfg)
		if f := res.Stats.Fair; f == nil || f.Judged || res.Stats.Complete {
			t.Fatalf("%s, %s, %+v", res.Verdict, res.Stopped, f)
		}
		return res, res.Stats.Fair
	}
	res, f := bfs(false, search.Config{MaxBytes: 6 << 20})
	if want := (stats.FairWalks{Walks: 20, States: 4000}); res.Verdict != search.Violation || f.Walked != want {
		t.Fatalf("%s, %s, %+v, want %+v", res.Verdict, res.Stopped, f.Walked, want)
	}
	if s := res.Finding.Starved; res.Finding.Kind != sim.Starvation || s == nil || !s.Walked || s.Property != "done" || s.Steps != 5 || s.Round != 6 {
		t.Errorf("%+v, %+v", res.Finding, s)
	}
	res, f = bfs(false, search.Config{MaxDepth: 3})
	if res.Stopped != stats.StoppedDepth || f.Walked != (stats.FairWalks{}) || res.Finding != nil {
		t.Errorf("to a depth: %s, %s, %+v", res.Verdict, res.Stopped, f.Walked)
	}
	if testing.Short() {
		return
	}
	res, f = bfs(true, search.Config{MaxBytes: 6 << 20})
	if want := res.Stats.States / 32; res.Verdict != search.OutOfResource || res.Stopped != stats.StoppedMemory || f.Walked.Why != "" ||
		f.Walked.States != want || want < 5000 || res.Finding != nil {
		t.Errorf("%s, %s, %+v, want %d states", res.Verdict, res.Stopped, f.Walked, want)
	}
}
