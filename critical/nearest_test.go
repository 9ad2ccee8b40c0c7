package critical

import (
	"testing"

	"github.com/macemc/macemc/choose"
)

// Of two live runs one without a violation is nearer, then the one with the longer common prefix with the dead run,
// then the shorter one, then that of the walk with the lower number.
func TestNearest(t *testing.T) {
	run := func(choices, length, walk int) *nearestLive {
		return &nearestLive{path: make(choose.Path, length), choices: choices, walk: walk}
	}
	far, long, late, best := run(2, 5, 0), run(3, 9, 1), run(3, 7, 6), run(3, 7, 4)
	violates := run(4, 5, 5)
	violates.violates = true
	var n nearestLive
	for _, m := range []*nearestLive{{}, violates, far, long, late, best} {
		if n.replaceIfCloser(m); m.path != nil && (n.walk != m.walk || len(n.path) != len(m.path)) {
			t.Errorf("walk %d is not nearer than those before", m.walk)
		}
	}
	for _, m := range []*nearestLive{{}, late, long, far, violates} {
		if n.replaceIfCloser(m); n.walk != best.walk {
			t.Errorf("walk %d seems nearer", n.walk)
		}
	}
}

// A run with a critical step too late to confirm is a violation only if no event is enabled at its end.
func TestViolation(t *testing.T) {
	for _, c := range []struct {
		result Result
		want   bool
	}{
		{Result{Transition: Transition{Case: Located}}, true}, {Result{Transition: Transition{Case: DeadFromStart}}, true},
		{Result{Transition: Transition{Case: Unlocated}}, true}, {Result{Transition: Transition{Case: TooLateToTell}}, false},
		{Result{Transition: Transition{Case: TooLateToTell, OutOfEvents: true}}, true},
		{Result{Transition: Transition{Case: Recovered, OutOfEvents: true}}, false},
	} {
		if got := c.result.Violation(); got != c.want {
			t.Errorf("%s, out of events %v: %v", c.result.Case, c.result.OutOfEvents, got)
		}
	}
}
