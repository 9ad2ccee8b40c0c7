package search_test

import (
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/search/runs"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// A finding in a reduced state space is a run of the full system.
func TestReduce_Findings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		system, bug string
		kind        sim.FindingKind
	}{{"paxos", "PX1", sim.Safety}, {"synod", "SY1", sim.Safety}, {"twophase", "TP2", ""}} {
		sys := bundled(t, c.system, spec.Config{Bugs: []string{c.bug}})
		for _, strategy := range []search.Name{search.BFS, search.DFS} {
			for _, how := range []string{options.ReduceNone, options.ReduceDrop, options.ReduceFull} {
				if testing.Short() && (how == options.ReduceNone || (how == options.ReduceFull) != (strategy == search.BFS)) {
					continue
				}
				res := run(t, search.Config{System: sys, Strategy: strategy, Reduce: how, Workers: 1})
				if res.Finding == nil || c.kind != "" && res.Finding.Kind != c.kind {
					t.Errorf("%s, %s, %s: found %+v", c.bug, strategy, how, res.Finding)
					continue
				}
				out, err := runs.Follow(&sys, res.Finding.Path)
				if err != nil {
					t.Fatal(err)
				}
				if c.kind != "" && (out.Finding == nil || out.Steps != res.Finding.Steps) {
					t.Errorf("%s, %s, %s: the run ends after %d steps, %d expected, with %v", c.bug, strategy, how, out.Steps, res.Finding.Steps, out.Finding)
				}
				if (res.Stats.Reduced != nil) != (how != options.ReduceNone) {
					t.Errorf("%s: told %+v", how, res.Stats.Reduced)
				}
			}
		}
	}
}

// Systems that cannot be reduced are not, and the search gives the reason.
func TestReduce_NotReduced(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		system string
		cfg    search.Config
		used   string
		why    string
	}{
		{"randtree", search.Config{MaxDepth: 3, Reduce: options.ReduceFull}, options.ReduceNone, "streams"},
		{"gossip", search.Config{MaxDepth: 3, Reduce: options.ReduceFull}, options.ReduceNone, "Prompt"},
		{"paxos", search.Config{MaxDepth: 5, Reduce: options.ReduceFull}, options.ReduceDrop, "bound on depth"},
		{"paxos", search.Config{MaxDepth: 5, Reduce: options.ReduceDrop}, options.ReduceDrop, ""},
		{"paxos", search.Config{MaxDepth: 5}, options.ReduceNone, "bound on depth"},
		{"paxos", search.Config{}, options.ReduceFull, ""},
	} {
		c.cfg.System, c.cfg.Strategy, c.cfg.Workers = bundled(t, c.system, spec.Config{}), search.BFS, 1
		res := run(t, c.cfg)
		if r := res.Stats.Reduced; r == nil || string(r.Used) != c.used || !strings.Contains(r.Why, c.why) || (r.Why == "") != (c.why == "") {
			t.Errorf("%s: %+v", c.system, r)
		}
	}
}
