package machine_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/internal/explore/stateset"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/search/strategy"
	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/test/bruteforce"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// Random machines have the states and failures of the interpreter, in both engines, with every order and state store,
// by every strategy and with every reduction.
func TestRandomMachines(t *testing.T) {
	t.Parallel()
	programs := uint64(150)
	if testing.Short() {
		programs = 6
	}
	compared, failed, large, closed := 0, 0, 0, 0
	for seed := range programs {
		p := newProgram(seed)
		states, transitions, failures, ok := interpret(p, "", 400)
		if !ok {
			large++
			continue
		}
		compared++
		if len(failures) > 0 {
			failed++
		}
		sys := p.system().Sim("random")
		wrong := func(by string, found error, counted, taken int) {
			switch {
			case (found != nil) != (len(failures) > 0):
				t.Fatalf("program %d, %s: %v; interpreter: %q\n%+v", seed, by, found, failures, p)
			case found == nil && (counted != states || taken != transitions):
				t.Fatalf("program %d, %s: %d states, %d transitions; interpreter: %d, %d\n%+v", seed, by, counted, taken, states, transitions, p)
			}
		}
		g, err := bruteforce.Explore(&sys)
		if err != nil {
			wrong("replay", err, 0, 0)
		} else {
			wrong("replay", nil, len(g.States), g.Transitions())
		}
		reductions := []options.Reduction{options.ReduceNone, options.ReduceDrop, options.ReduceFull, options.ReduceAuto}
		for i, frontier := range explore.Frontiers {
			for k, visited := range stateset.Kinds {
				r := reductions[(int(seed)+i+k)%len(reductions)]
				x, err := table.Explore(t.Context(), &sys, options.Options{Frontier: frontier, Visited: visited, Reduce: r})
				if err != nil || x.Reduced.Used != options.ReduceNone { // queues are not reduced
					t.Fatal(err, x.Reduced)
				}
				wrong(fmt.Sprintf("%s, %s, reduction %q", frontier.Name, visited.Name, r), x.Finding, x.States, x.Transitions)
			}
		}
		for i, cfg := range []search.Config{
			{Strategy: search.Deepening, Engine: []string{runloop.ReplayEngine, runloop.TableEngine}[seed%2]},
			{Strategy: search.Walk}, {Strategy: search.Faulty}, {Strategy: search.BFS, Reduce: options.ReduceFull}, {Strategy: search.DFS, Symmetry: true},
		} {
			cfg.System, cfg.Workers, cfg.WalkSteps, cfg.Seed = sys, 1, 100, seed+1
			if !cfg.Strategy.Can(strategy.VisitsStates) {
				cfg.MaxPaths = 60
			}
			cfg.Confirm = func(context.Context, search.Suspect) (search.Confirmed, error) { return search.Confirmed{}, nil }
			r, err := search.Run(t.Context(), cfg)
			if err != nil {
				t.Fatal(err)
			}
			found := r.Finding != nil && r.Finding.Kind != sim.Deadlock
			if found && len(failures) == 0 || !found && len(failures) > 0 && r.Stats.Complete {
				t.Fatalf("program %d, %s (%d): %+v; interpreter: %q\n%+v", seed, cfg.Strategy, i, r.Finding, failures, p)
			}
			if r.Stats.Complete && !found {
				if closed++; r.Stats.States != states {
					t.Fatalf("program %d, %s (%d): %d states; interpreter: %d\n%+v", seed, cfg.Strategy, i, r.Stats.States, states, p)
				}
			}
		}
	}
	t.Logf("%d programs compared, of which %d fail; %d are too large; %d searches were complete", compared, failed, large, closed)
	if compared < int(programs)*9/10 || failed < int(programs)/5 || compared-failed < int(programs)/5 || closed < int(programs) {
		t.Errorf("only %d programs were compared, of which %d fail; %d searches were complete", compared, failed, closed)
	}
}

// The programs distinguish the interpreter from variants with one broken rule.
func TestRandomMachinesNoticeFlaws(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	for _, flaw := range []string{"no implicit pop", "pop without exit", "ignored behind others", "two at once", "null too early"} {
		noticed := 0
		for seed := range uint64(1500) {
			p := newProgram(seed)
			states, transitions, failures, ok := interpret(p, "", 120)
			if !ok {
				continue
			}
			if s, tr, f, ok := interpret(p, flaw, 120); !ok || s != states || tr != transitions || !slices.Equal(f, failures) {
				noticed++
			}
		}
		if t.Logf("%s: %d of 1500 programs", flaw, noticed); noticed == 0 {
			t.Errorf("no program notices the flaw %q", flaw)
		}
	}
}
