package shard_test

import (
	"context"
	"slices"
	"testing"

	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/test/shards"
	"github.com/macemc/macemc/sim"
	"pgregory.net/rapid"
)

// climber counts to three.
type climber struct {
	sim.Nop
	N int
}

// climbers must all reach their goals. The property reads a node only if all before it in an order are at their
// goals, so its reads depend on the state.
func climbers(order []int, goals []int) *sim.System {
	return &sim.System{
		Name: "climbers", Nodes: len(order), New: func(sim.NodeID) sim.Service { return &climber{} },
		Actions: []sim.AnyAction{
			sim.Action[*climber]{Name: "up", When: func(c *climber) bool { return c.N < 3 }, Do: func(c *climber, _ sim.Env) { c.N++ }},
		},
		Properties: []sim.Property{{Name: "not all", Always: func(v *sim.View) bool {
			for _, id := range order {
				if v.Service(sim.NodeID(id)).(*climber).N < goals[id] {
					return true
				}
			}
			return false
		}}},
	}
}

// A shard evaluates a property on a state found from one of another shard, even if it has not seen yet that the
// property reads the node that changed. So findings are as near as in one exploration.
func TestShards_CheckStatesOfOthers(t *testing.T) {
	check := func(t rapid.TB, sys *sim.System, workers, parts int, cut []int) {
		x, err := table.Explore(context.Background(), sys, options.Options{SkipRehearsal: true})
		if err != nil || x.Finding == nil {
			t.Fatalf("%+v, %v: one exploration finds nothing", x, err)
		}
		s := shards.New(t, sys, workers, parts, cut)
		more, levels := true, 0
		for ; more && err == nil; levels++ {
			more, err = s.Level()
		}
		if err == nil || levels != x.Depth+1 {
			t.Fatalf("%d workers, %d parts, cut by %d: %v after %d levels, one exploration finds it at depth %d", workers, parts, cut, err, levels, x.Depth)
		}
	}
	top := []int{3, 3, 3, 3}
	for _, workers := range []int{1, 3, 4, 5} {
		check(t, climbers([]int{0, 1, 2, 3}, top), workers, 12, nil)
	}
	check(t, climbers([]int{0, 1, 2, 3}, top), 4, 12, []int{1, 3})
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.IntRange(2, 4).Draw(t, "nodes")
		all := make([]int, nodes)
		for i := range all {
			all[i] = i
		}
		order, goals := rapid.Permutation(all).Draw(t, "order"), rapid.SliceOfN(rapid.IntRange(1, 3), nodes, nodes).Draw(t, "goals")
		cut := rapid.SliceOfNDistinct(rapid.IntRange(0, nodes-1), 0, nodes, rapid.ID).Draw(t, "cut")
		slices.Sort(cut)
		check(t, climbers(order, goals), rapid.IntRange(1, 5).Draw(t, "workers"), rapid.IntRange(5, 12).Draw(t, "parts"), cut)
	})
}
