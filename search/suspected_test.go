package search_test

import (
	"context"
	"slices"
	"testing"

	"github.com/macemc/macemc/internal/search/strategy"
	"github.com/macemc/macemc/internal/test/automaton"
	"github.com/macemc/macemc/search"
)

// Each strategy passes a dead run to Suspected once, before it is confirmed.
func TestSuspected_OncePerSuspect(t *testing.T) {
	sys := automaton.Table{Moves: []automaton.Move{automaton.To(0, 1), automaton.To(1, 1)}, Live: []int{0}}.System()
	for _, name := range strategy.Names(0) {
		var calls []string
		run(t, search.Config{
			System: sys, Strategy: search.Name(name), MaxPaths: 1000, WalkSteps: 20, Workers: 1,
			Suspected: func(*search.Suspect) { calls = append(calls, "suspected") },
			Confirm: func(context.Context, search.Suspect) (search.Confirmed, error) {
				calls = append(calls, "confirmed")
				return search.Confirmed{Violation: true}, nil
			},
		})
		if want := []string{"suspected", "confirmed"}; !slices.Equal(calls, want) {
			t.Errorf("%s: got calls %v, want %v", name, calls, want)
		}
	}
}
