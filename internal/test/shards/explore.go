package shards

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/internal/explore/stateset"
	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/table/shard"
	"github.com/macemc/macemc/sim"
)

// Explore visits all states by three workers, and another process finds the dead ones.
func Explore(t rapid.TB, sys *sim.System) *table.Exploration {
	t.Helper()
	g := New(t, sys, 3, 7, nil)
	for more := true; more; {
		var err error
		if more, err = g.Level(); err != nil {
			t.Fatal(err)
		}
	}
	x := &table.Exploration{States: g.States(), Transitions: g.Edges, Complete: true}
	judge, err := shard.New(sys, options.Options{Visited: g.set}, len(g.Owner), nil, nil)
	if err == nil {
		_, err = judge.Roots()
	}
	if err != nil {
		t.Fatal(err)
	}
	g.All = append(g.All, judge)
	g.findDead(judge, x)
	return x
}

// findDead adds the dead states to x. The judge is the last shard of the group, and owns no part.
func (g *Group) findDead(judge *shard.Shard, x *table.Exploration) {
	t := g.t
	t.Helper()
	self := len(g.All) - 1
	var lens []int
	for i, w := range g.Owner {
		lens = append(lens, g.All[w].Len(i))
	}
	// All states as the judge has them, and where they were found.
	each := func(do func(part, number int, state []uint32, from explore.Source)) {
		for i, n := range lens {
			for k := range n {
				state, err := g.StateOf(self)(uint32(i), uint32(k))
				if err != nil {
					t.Fatal(err)
				}
				_, from := g.All[g.Owner[i]].State(i, k)
				do(i, k, state, from)
			}
		}
	}
	d := judge.NewDead(g.set, lens)
	if d == nil {
		return
	}
	each(func(part, _ int, state []uint32, from explore.Source) {
		if err := d.Add(part, state, from); err != nil {
			t.Fatal(err)
		}
	})
	if err := d.MarkOrigins(); err != nil {
		t.Fatal(err)
	}
	each(func(part, number int, state []uint32, _ explore.Source) { d.Hold(part, number, state) })
	if err := d.Judge(func() error { return nil }); err != nil {
		t.Fatal(err)
	}
	dead, part, number := d.Dead()
	var trail []uint32
	for at := (explore.Source{Part: uint32(part), Number: uint32(number)}); dead > 0 && at.Number != stateset.NoPlace; {
		_, at = g.All[g.Owner[at.Part]].State(int(at.Part), int(at.Number))
		trail = append(trail, at.EdgeIndex)
	}
	slices.Reverse(trail)
	if !judge.Dead(x, dead, trail) {
		t.Fatalf("there is no trail %v", trail)
	}
}
