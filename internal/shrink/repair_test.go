package shrink

import (
	"context"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/test/automaton"
)

// Walks from what is left of a run without its last half violate, though walks from its end or its first state do not.
func TestReducer_Repairs(t *testing.T) {
	const fork, bad, fallen = 10, 20, 21
	var tab automaton.Table
	var path choose.Path
	for i := range bad - 1 {
		weight := 3
		if i >= fork {
			weight = 60
		}
		tab.Moves = append(tab.Moves, automaton.Move{From: i, To: []int{i + 1, fallen}, Weights: []int{1, weight}})
		path = append(path, 0, 0)
	}
	tab.Moves, tab.Bad = append(tab.Moves, automaton.To(fork, bad-1), automaton.To(bad-1, bad)), []int{bad}
	s, r := restartedRun(t, &tab, append(path, 0))
	r.causes = s.trace.Causes
	if r.restart(t.Context(), s); len(r.best.Steps) != fork+2 {
		t.Errorf("%d steps, want %d", len(r.best.Steps), fork+2)
	}
}

// The numbers of repaired runs that are not smaller, and of steps of walks that repair none, grow with the best run.
func TestReducer_RepairEnds(t *testing.T) {
	s, r := restartedHill(t, func(judge) judge {
		return func(context.Context, Script) (Script, bool, error) { return Script{}, false, nil }
	})
	r.causes = s.trace.Causes
	runs := s.counted()
	if changed := r.repair(t.Context(), s); changed || *runs == 0 || *runs > 2*8 {
		t.Errorf("changed %v, %d runs, want at most %d", changed, *runs, 2*8)
	}
	began := s.steps
	s.suspect = func(*runloop.Outcome) bool { return false }
	r.repair(t.Context(), s)
	if steps, most := s.steps-began, repairedPerPair*8*7/2; steps < most || steps > most+2*insideSteps/moreRepair {
		t.Errorf("%d steps of walks, want about %d", steps, most)
	}
}
