package table_test

import (
	"slices"
	"testing"

	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/internal/explore/stateset"
	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/table/shard"
	"github.com/macemc/macemc/internal/test/script"
	"github.com/macemc/macemc/sim"
)

// byShards has three workers visit all states, and another process judge which are dead.
func byShards(t tester, sys *sim.System) *table.Exploration {
	t.Helper()
	s := newShards(t, sys, 3, 7, nil)
	for more := true; more; {
		var err error
		if more, err = s.level(); err != nil {
			t.Fatal(err)
		}
	}
	x := &table.Exploration{States: s.states(), Transitions: s.edges, Complete: true}
	set, err := stateset.Named("128")
	if err != nil {
		t.Fatal(err)
	}
	judge, err := shard.New(sys, options.Options{Visited: set}, len(s.owner), nil, nil)
	if err == nil {
		_, err = judge.Roots()
	}
	if err != nil {
		t.Fatal(err)
	}
	s.all = append(s.all, judge)
	self := len(s.all) - 1
	var lens []int
	for i, w := range s.owner {
		lens = append(lens, s.all[w].Len(i))
	}
	// All states as the judge has them, and where they were found.
	each := func(do func(part, number int, state []uint32, from explore.Source)) {
		for i, n := range lens {
			for k := range n {
				state, err := s.stateOf(self)(uint32(i), uint32(k))
				if err != nil {
					t.Fatal(err)
				}
				_, from := s.all[s.owner[i]].State(i, k)
				do(i, k, state, from)
			}
		}
	}
	d := judge.NewDead(set, lens)
	if d == nil {
		return x
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
		_, at = s.all[s.owner[at.Part]].State(int(at.Part), int(at.Number))
		trail = append(trail, at.EdgeIndex)
	}
	slices.Reverse(trail)
	if !judge.Dead(x, dead, trail) {
		t.Fatalf("there is no trail %v", trail)
	}
	return x
}

// counted cannot be copied, and is after its first timer as it was made.
type counted struct {
	sim.Nop
	N   int
	Odd script.Opaque
}

func (c *counted) Boot(env sim.Env) {
	c.N = -1
	env.SetTimer("begin", 0)
}

func (c *counted) Timer(sim.Env, any) { c.N = 0 }

// Another process comes by steps to a state of a node that looks like the one that it was made with.
func TestShards_Uncopyable(t *testing.T) {
	sys := &sim.System{
		Name: "counted", Nodes: 2, New: func(sim.NodeID) sim.Service { return &counted{Odd: script.NewOpaque()} },
		State: []sim.StateRule{script.OpaqueRule()},
		Actions: []sim.AnyAction{sim.Action[*counted]{Name: "count", Times: 3, When: func(c *counted) bool { return c.N >= 0 },
			Do: func(c *counted, _ sim.Env) { c.N++ }}},
		Properties: []sim.Property{{Name: "counted", Eventually: sim.Each(func(_ sim.NodeID, c *counted) bool { return c.N == 3 })}},
	}
	if x := byShards(t, sys); x.States != 25 || !x.LivenessChecked || x.Dead != 0 {
		t.Errorf("%+v, want 5 times 5 states, none dead", x)
	}
}
