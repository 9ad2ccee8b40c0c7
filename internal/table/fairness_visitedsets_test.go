package table_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/macemc/macemc/internal/explore/stateset"
	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
)

// Verdicts on fair runs and counts depend neither on the state store nor on the number of workers. Stored edges
// agree with those of whole states.
func TestFairness_AllVisitedSets(t *testing.T) {
	seeds, starved := uint64(10), 0
	if testing.Short() {
		seeds = 4
	}
	for seed := range seeds {
		var first *table.Exploration
		for _, visited := range stateset.Kinds {
			for _, workers := range []func(func()){nil, func(f func()) { go f() }} {
				x := breadth(t, players(seed), options.Options{Visited: visited, MaxStates: 1500, Go: workers, SkipRehearsal: true})
				if first == nil {
					first = x
				}
				f, g := x.Fairness, first.Fairness
				if x.States != first.States || x.Transitions != first.Transitions || x.Dead != first.Dead || !slices.Equal(x.DeadPath, first.DeadPath) ||
					f.Judged != g.Judged || f.Left != g.Left || f.Expansions != g.Expansions || !reflect.DeepEqual(f.Starvation, g.Starvation) {
					t.Errorf("seed %d, %s: %+v, %+v; not %+v, %+v", seed, visited.Name, x, f, first, g)
				}
			}
		}
		if first.Fairness.Starvation != nil {
			starved++
		}
	}
	if starved == 0 {
		t.Error("nothing is starved")
	}
}
