package search_test

import (
	"context"
	"strings"
	"testing"

	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/explore/stateset"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/test/papers"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

func bundled(t testing.TB, name string, c spec.Config) sim.System {
	t.Helper()
	e, err := papers.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	sys, err := e.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return sys
}

// Single-decree Paxos with two proposers: the numbers of states and transitions that SPIN and rumur
// count for the same model.
func TestBFS_Counts(t *testing.T) {
	res := run(t, search.Config{System: bundled(t, "paxos", spec.Config{}), Strategy: search.BFS, Reduce: options.ReduceNone})
	s := &res.Stats
	if s.States != 98_160 || s.Transitions != 506_256 || !s.Complete || res.Verdict != search.OK || res.Stopped != stats.StoppedComplete {
		t.Errorf("%s, %s: %d states, %d transitions, complete %v", res.Verdict, res.Stopped, s.States, s.Transitions, s.Complete)
	}
	if s.Handlers*100 > s.Transitions {
		t.Errorf("%d handler executions stood behind %d transitions", s.Handlers, s.Transitions)
	}
}

// Fingerprints give the same numbers, with a bound on the probability of an error. Two workers change nothing.
func TestBFS_Fingerprints(t *testing.T) {
	for _, visited := range []string{stateset.Fingerprints64, stateset.Fingerprints128} {
		for _, workers := range []int{1, 2} {
			if testing.Short() && (workers == 1) != (visited == stateset.Fingerprints64) {
				continue
			}
			res := run(t, search.Config{System: bundled(t, "paxos", spec.Config{}), Strategy: search.BFS, Reduce: options.ReduceNone, Visited: visited, Workers: workers})
			s := &res.Stats
			if s.States != 98_160 || s.Transitions != 506_256 || !s.Complete || s.Omission <= 0 || s.Omission > 1e-8 {
				t.Errorf("%s bits, %d workers: %d states, %d transitions, complete %v, omission %g",
					visited, workers, s.States, s.Transitions, s.Complete, s.Omission)
			}
		}
	}
	res := run(t, search.Config{System: bundled(t, "paxos", spec.Config{}), Strategy: search.BFS, MaxBytes: 1 << 10})
	if res.Stopped != stats.StoppedMemory || res.Stats.Complete {
		t.Errorf("in a kilobyte: %s, %+v", res.Stopped, res.Stats)
	}
}

// If all states were seen, they decide liveness. The walks that show the critical transition must agree.
func TestStateful_DecidesLiveness(t *testing.T) {
	for _, strategy := range []search.Name{search.BFS, search.DFS} {
		for _, visited := range []string{stateset.Exact, stateset.Fingerprints64, stateset.Fingerprints128} {
			if testing.Short() && (visited == stateset.Exact) != (strategy == search.BFS) {
				continue
			}
			cfg := search.Config{System: bundled(t, "twophase", spec.Config{Nodes: 3}), Strategy: strategy, Visited: visited}
			ok := run(t, cfg)
			if ok.Verdict != search.OK || !ok.Stats.Complete || !ok.Stats.Recovers || ok.Stats.Unchecked != "" {
				t.Errorf("%s, %s, correct: %s, %+v", strategy, visited, ok.Verdict, ok.Stats)
			}
			cfg.System = bundled(t, "twophase", spec.Config{Nodes: 3, Bugs: spec.BugSet{"TP3"}})
			cfg.Confirm = critical.Confirm(critical.Config{System: cfg.System, Walks: 20})
			res := run(t, cfg)
			if res.Verdict != search.Violation || res.Finding == nil || res.Finding.Kind != sim.Liveness || res.Stats.Recovers {
				t.Fatalf("%s, %s, TP3: %s, %+v", strategy, visited, res.Verdict, res.Finding)
			}
			if res.Finding.Proven != (visited == stateset.Exact) {
				t.Errorf("%s: proven: %v", visited, res.Finding.Proven)
			}
			c := res.Detail.(*critical.Result)
			if c.Case != critical.Located || c.Step != res.Finding.Steps || c.Proof != critical.Exact {
				t.Errorf("%s, %s: the states name step %d, walks find %s at step %d", strategy, visited, res.Finding.Steps, c.Case, c.Step)
			}
		}
	}
}

func TestBFS_Refuses(t *testing.T) {
	sys := bundled(t, "twophase", spec.Config{})
	for _, c := range []struct {
		cfg  search.Config
		want string
	}{
		{search.Config{System: sys, Strategy: search.BFS, PrefixRuns: 1}, "does not accept a prefix"},
		{search.Config{System: sys, Strategy: search.BFS, Engine: runloop.ReplayEngine}, "needs the engine table"},
		{search.Config{System: sys, Engine: "fast"}, `"fast"`},
	} {
		if _, err := search.Run(context.Background(), c.cfg); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
	dfs := run(t, search.Config{System: bundled(t, "paxos", spec.Config{}), Strategy: search.DFS, Reduce: options.ReduceNone, MaxBytes: 1 << 20})
	if dfs.Stopped != stats.StoppedMemory || dfs.Stats.ExhaustedDepth != 0 || dfs.Stats.Complete || dfs.Stats.States < 1000 {
		t.Errorf("dfs in 1 MB: %s, %+v", dfs.Stopped, dfs.Stats)
	}
	res := run(t, search.Config{System: sys, Strategy: search.BFS, MaxDepth: 2})
	if res.Stopped != stats.StoppedDepth || res.Stats.Complete || res.Stats.Unchecked == "" {
		t.Errorf("to depth 2: %+v", res)
	}
}

// A search after one that checked code ended reports no finding only if it has visited all states: the code that ended
// the other search may be in states that this one did not visit.
func TestStateful_AfterDeath(t *testing.T) {
	sys := bundled(t, "randtree", spec.Config{})
	for refused, want := range map[uint64]search.Verdict{0: search.OK, 12: search.Inconclusive} {
		calls := &options.Calls{At: new(uint64)}
		if refused > 0 {
			calls.Skipped = []uint64{refused}
		}
		if res := run(t, search.Config{System: sys, Strategy: search.BFS, MaxDepth: 2, Calls: calls}); res.Verdict != want {
			t.Errorf("refused %d: %s, want %s", refused, res.Verdict, want)
		}
		if *calls.At != 0 {
			t.Errorf("call %d still goes on", *calls.At)
		}
	}
}

// Deepening by table look-up explores the same as by running handlers.
func TestStateful_EnginesAgree(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	sys := bundled(t, "randtree", spec.Config{})
	cfg := search.Config{System: sys, MaxPaths: 3000, Workers: 2}
	want := run(t, cfg)
	cfg.Engine = runloop.TableEngine
	got := run(t, cfg)
	a, b := &want.Stats, &got.Stats
	if a.Paths != b.Paths || a.States != b.States || a.Events != b.Events || a.ExhaustedDepth != b.ExhaustedDepth {
		t.Errorf("replay: %d paths, %d states, %d events, depth %d; table: %d, %d, %d, %d",
			a.Paths, a.States, a.Events, a.ExhaustedDepth, b.Paths, b.States, b.Events, b.ExhaustedDepth)
	}
}

// A search of liveness alone that reached no verdict on it is inconclusive, even if it checks assertions. A search that also
// checked another property is not.
func TestStateful_LivenessAlone(t *testing.T) {
	sys := bundled(t, "randtree", spec.Config{Nodes: 3})
	for _, c := range []struct {
		only []string
		want search.Verdict
	}{
		{nil, search.OK},
		{[]string{"every node has joined"}, search.Inconclusive},
		{[]string{"every node has joined", sim.AssertionProperty}, search.Inconclusive},
		{[]string{sim.AssertionProperty}, search.OK},
		{[]string{"every node has joined", "parents and children agree"}, search.Inconclusive},
		{[]string{"joining implies that the root is self"}, search.OK},
	} {
		only := sys
		if c.only != nil {
			var err error
			if only, err = sys.Only(c.only...); err != nil {
				t.Fatal(err)
			}
		}
		if res := run(t, search.Config{System: only, Strategy: search.BFS, MaxDepth: 4}); res.Verdict != c.want {
			t.Errorf("%q: %s, want %s", c.only, res.Verdict, c.want)
		}
	}
}

// A search of Inevitably properties alone that neither judges them nor makes walks for them is inconclusive, too.
func TestStateful_InevitablyAlone(t *testing.T) {
	sys := bundled(t, "election", spec.Config{})
	only, err := sys.Only("all follow the highest")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		cfg  search.Config
		want search.Verdict
	}{
		{search.Config{System: only, Strategy: search.BFS, MaxDepth: 2}, search.Inconclusive},
		{search.Config{System: sys, Strategy: search.BFS, MaxDepth: 2}, search.OK},
		{search.Config{System: only, Strategy: search.BFS}, search.OK},
		{search.Config{System: only, Strategy: search.Walk, MaxPaths: 3}, search.OK},
	} {
		res := run(t, c.cfg)
		if res.Verdict != c.want {
			t.Errorf("%s, depth %d, %d properties: %s, want %s", c.cfg.Strategy, c.cfg.MaxDepth, len(c.cfg.System.Properties), res.Verdict, c.want)
		}
	}
}
