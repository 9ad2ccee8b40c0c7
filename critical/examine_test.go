package critical_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/search/strategy"
	"github.com/macemc/macemc/internal/test/automaton"
	"github.com/macemc/macemc/search"
)

// flips is a system that is live after n right coin flips in a row; a wrong one leads back to the first. From state
// bad on it is also possible to go where nothing recovers.
func flips(n, bad int) automaton.Table {
	tab := automaton.Table{Live: []int{n}}
	for s := range n {
		tab.Moves = append(tab.Moves, automaton.To(s, s+1, 0))
	}
	tab.Moves = append(tab.Moves, automaton.To(n, n))
	if bad >= 0 {
		tab.Moves = append(tab.Moves, automaton.To(bad, n+1), automaton.To(n+1, n+2), automaton.To(n+2, n+1))
	}
	return tab
}

// wrong is a run of wrong coin flips.
func wrong(steps int) choose.Path { return slices.Repeat(choose.Path{0, 1}, steps) }

// A run that recovers too rarely for walks is not dead: the search visits all successors.
func TestUnlikelyRecovery(t *testing.T) {
	res := find(t, critical.Config{System: flips(22, -1).System(), Path: wrong(50), WalkSteps: 50, Walks: 10})
	if res.Case != critical.Recovered || res.Proof != "" || res.Violation() {
		t.Fatalf("%s, proof %q", res.Case, res.Proof)
	}
	if want := slices.Concat(wrong(50), slices.Repeat(choose.Path{0, 0}, 22)); !slices.Equal(res.Live, want) || res.LiveCommon != 50 {
		t.Errorf("live run %v with %d steps in common", res.Live, res.LiveCommon)
	}
	unlooked := find(t, critical.Config{System: flips(22, -1).System(), Path: wrong(50), WalkSteps: 50, Walks: 10, States: -1})
	if !unlooked.Violation() || unlooked.Proof != critical.Walks || unlooked.Unproven == "" {
		t.Errorf("by walks alone: %s, proof %q, %q", unlooked.Case, unlooked.Proof, unlooked.Unproven)
	}
}

// The critical step is the last before which recovery is possible, however unlikely it is, and the proof is
// that of all states that follow.
func TestExamine_UnlikelyRecoveryBeforeCriticalStep(t *testing.T) {
	tab := flips(22, 0)
	// State 0 is left by event 1 in step 6, for the loop.
	res := find(t, critical.Config{
		System: tab.System(), Path: slices.Concat(wrong(5), choose.Path{1}, repeat(0, 60)), WalkSteps: 50, Walks: 10,
	})
	if res.Case != critical.Located || res.Step != 6 || res.Proof != critical.Exact || res.States != 2 || res.ProvenAt != 6 {
		t.Fatalf("%s at step %d, proof %q of %d states at %d", res.Case, res.Step, res.Proof, res.States, res.ProvenAt)
	}
	if res.Live == nil || res.LiveCommon != 5 {
		t.Errorf("live run %v with %d steps in common", res.Live, res.LiveCommon)
	}
}

// A budget that does not do leaves a suspect unproven.
func TestUnprovenWithinBudget(t *testing.T) {
	res := find(t, critical.Config{System: flips(22, -1).System(), Path: wrong(50), WalkSteps: 50, Walks: 10, States: 5})
	if !res.Violation() || res.Proof != critical.Walks || res.Unproven != "an exhaustive search found no live state among 5 states and stopped at this limit" {
		t.Errorf("%s, proof %q: %s", res.Case, res.Proof, res.Unproven)
	}
}

// Every strategy and engine agrees with full exploration that an unlikely recovery is possible.
func TestUnlikelyRecoveryInAllStrategies(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	sys := flips(22, -1).System()
	for _, name := range strategy.Names(0) {
		name := search.Name(name)
		for _, engine := range []string{runloop.ReplayEngine, runloop.TableEngine} {
			if name.Can(strategy.VisitsStates) && engine == runloop.ReplayEngine {
				continue
			}
			t.Run(fmt.Sprintf("%s/%s", name, engine), func(t *testing.T) {
				refuted := 0
				confirm := critical.Confirm(critical.Config{System: sys, WalkSteps: 50, Walks: 10})
				res, err := search.Run(t.Context(), search.Config{
					System: sys, Strategy: name, Engine: engine, WalkSteps: 50, MaxPaths: 20,
					Confirm: func(ctx context.Context, s search.Suspect) (search.Confirmed, error) {
						c, err := confirm(ctx, s)
						if c.Refuted {
							refuted++
						}
						return c, err
					},
				})
				if err != nil || res.Verdict != search.OK {
					t.Errorf("%s, %v", res.Verdict, err)
				}
				if refuted == 0 && !name.Can(strategy.VisitsStates) {
					t.Error("nothing was suspected, so that nothing was shown")
				}
			})
		}
	}
}

// A run whose critical step has too many successors may be proven dead at its end.
func TestFind_ProveEnd(t *testing.T) {
	tab := automaton.Table{Live: []int{2}, Moves: []automaton.Move{
		automaton.To(0, 1), automaton.To(1, 2), automaton.To(1, 3), automaton.To(3, 4), automaton.To(4, 5),
		automaton.To(5, 6), automaton.To(6, 5),
	}}
	for _, c := range []struct {
		end  bool
		want critical.Proof
		at   int
	}{{false, critical.Walks, 0}, {true, critical.Exact, 62}} {
		res := find(t, critical.Config{
			System: tab.System(), Path: slices.Concat(choose.Path{0, 1}, repeat(0, 60)), WalkSteps: 50, Walks: 10, States: 3, ProveEnd: c.end,
		})
		if res.Case != critical.Located || res.Step != 2 || res.Proof != c.want || res.ProvenAt != c.at {
			t.Errorf("ProveEnd %v: %s at step %d, proof %q at %d", c.end, res.Case, res.Step, res.Proof, res.ProvenAt)
		}
	}
	res := find(t, critical.Config{
		System: tab.System(), Path: slices.Concat(choose.Path{0, 1}, repeat(0, 60)), WalkSteps: 50, Walks: 10, States: 1, ProveEnd: true,
	})
	if res.Case != critical.TooLateToTell || res.Proof != critical.Walks || len(res.Probes) != 0 {
		t.Errorf("ProveEnd without a proof: %s, proof %q, %d probes", res.Case, res.Proof, len(res.Probes))
	}
}
