package shrink

import (
	"testing"

	"github.com/macemc/macemc/choose"
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
