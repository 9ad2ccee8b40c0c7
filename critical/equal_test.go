package critical_test

import (
	"slices"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/test/automaton"
)

// Every walk stays in states 1 and 2 and leaves them for the live state with a small probability. The walks from some step
// recover by chance and those from the next do not, but a step between equal states is never critical.
var alike = automaton.Table{Live: []int{3}, Moves: []automaton.Move{
	automaton.To(0, 1), {From: 1, To: []int{2, 3}, Weights: []int{1500, 1}}, automaton.To(2, 1),
}}

func TestFind_EqualStatesRecoverAlike(t *testing.T) {
	refuted := 0
	for seed := uint64(1); seed <= 60; seed++ {
		res := find(t, critical.Config{System: alike.System(), Path: repeat(0, 120), WalkSteps: 40, Walks: 30, States: -1, Seed: seed, Workers: 2})
		if res.Case == critical.Located {
			t.Errorf("seed %d: step %d is critical, before it %+v, after it %+v", seed, res.Step, res.Before, res.After)
		}
		if res.Case == critical.Recovered {
			refuted++
		}
	}
	if refuted < 30 {
		t.Errorf("only %d of 60 runs recovered", refuted)
	}
}

// So it is when the deadline passes.
func TestFind_EqualStatesRecoverAlikeAtDeadline(t *testing.T) {
	for left := 0; left < 1500; left += 25 {
		res, err := critical.Find(&expiring{t.Context(), left}, critical.Config{
			System: alike.System(), Path: repeat(0, 120), WalkSteps: 40, Walks: 30, States: -1, Seed: 22, Workers: 1,
		})
		if err == nil && res.Violation() && slices.ContainsFunc(res.Probes, func(p critical.Probe) bool { return p.Recovered > 0 }) {
			t.Errorf("after %d looks: %s, %+v", left, res.Case, res.Probes)
		}
	}
}

// State 1 recovers only by an answer of weight 0, which no recovery takes. The run takes it once, so that a live run
// begins in state 1.
func TestFind_EqualStatesRecoverByRecoveryRelation(t *testing.T) {
	trap := automaton.Table{Live: []int{2}, Moves: []automaton.Move{
		automaton.To(0, 1, 2), {From: 1, To: []int{1, 0}, Weights: []int{1, 0}},
	}}
	path := slices.Concat(choose.Path{0, 0, 0, 1}, repeat(0, 80)) // to 1, 0, 1, 1, ...: an event and its answer each
	res := find(t, critical.Config{System: trap.System(), Path: path, WalkSteps: 30, Walks: 20, States: -1, Expected: 3})
	if res.Case != critical.Located || res.Step != 3 {
		t.Errorf("%s at step %d, want C1 at 3", res.Case, res.Step)
	}
}

// The draw of the exhaustive search is sampled, which its result mentions.
func TestFind_SampledDrawIsMentioned(t *testing.T) {
	wide := automaton.Table{Live: []int{3}, Moves: []automaton.Move{automaton.To(0, 1), automaton.To(1, slices.Repeat([]int{1}, 1<<17)...)}}
	res := find(t, critical.Config{System: wide.System(), Path: repeat(0, 20), WalkSteps: 30, Walks: 8})
	const want = "an exhaustive search found no live state among 2 states, but tried only a sample of the values of some draws"
	if res.Proof != critical.Walks || res.Unproven != want {
		t.Errorf("proof %s, %q, want %q", res.Proof, res.Unproven, want)
	}
}
