package shrink

import (
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/test/automaton"
	"github.com/macemc/macemc/sim"
)

// The run to a deadlock of a system that is dead from the start becomes a shortest one that ends with the same move.
func TestRun_DeadlockFromTheStart(t *testing.T) {
	tab := automaton.Table{Live: []int{9}, Moves: []automaton.Move{
		automaton.To(0, 1), automaton.To(1, 0), automaton.To(1, 2), automaton.To(2, 1), automaton.To(2, 3),
	}}
	// The run goes 0, 1, 0, 1, 2, 1, 2, 3. State 3 has no moves.
	cfg := critical.Config{System: tab.System(), WalkSteps: 300, Walks: 50, Workers: 1, Path: choose.Path{0, 0, 0, 1, 0, 1, 1}}
	dead, err := critical.Find(t.Context(), cfg)
	if err != nil || dead.Case != critical.DeadFromStart || !dead.OutOfEvents || dead.Steps != 7 {
		t.Fatalf("%+v, %v", dead, err)
	}
	shrinkIt := Config{Walks: cfg, Path: cfg.Path, Dead: dead, Finding: sim.Finding{Kind: sim.Deadlock, Property: "live"}}
	r, err := Run(t.Context(), shrinkIt)
	if err != nil || r.Steps != 3 || r.From != 7 || !r.Minimal || r.Tried == 0 || !r.Dead.OutOfEvents || r.Dead.Case != critical.DeadFromStart {
		t.Errorf("%+v, %v; want 3 of 7 steps", r, err)
	}
	shrinkIt.MaxSteps = 1
	if r, err = Run(t.Context(), shrinkIt); err != nil || r.Steps != 7 || r.Minimal || !r.Over {
		t.Errorf("%+v, %v; want all 7 steps without a budget", r, err)
	}
}
