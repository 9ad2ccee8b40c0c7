package history

import (
	"slices"
	"testing"
)

// The goroutines that wait for one another precede the others, and those that have ended follow.
func TestByFinding(t *testing.T) {
	ended, runs, waits := [3]string{"", StatusEnded}, [3]string{"a.go:1", StatusCanRun}, [3]string{"a.go:2", "waits for WaitGroup `wg`"}
	holds := func(other string) [3]string { return [3]string{"a.go:3", "waits to lock Mutex `mu`", other} }
	for _, test := range []struct {
		run      *Run
		at       int // goroutine of the last step
		critical int
		want     []int
	}{
		{recorded(waits, ended, runs, holds("g5"), holds("g4")), 4, 0, []int{3, 4, 0, 2, 1}},
		{recorded(waits, ended, runs, runs), 3, 0, []int{3, 0, 2, 1}},
		{recorded(waits, ended, runs), 1, 1, []int{1, 0, 2}},
	} {
		test.run.Whole.Steps[0].Node, test.run.Critical = test.at, test.critical
		if got := ByFinding(test.run); !slices.Equal(got, test.want) {
			t.Errorf("goroutines are in the order %v, want %v", got, test.want)
		}
	}
}
