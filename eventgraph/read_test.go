package eventgraph_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// lamp is lit by itself and announces it.
type lamp struct {
	sim.Nop
	Lit bool
}

func (l *lamp) Light(env sim.Env) {
	l.Lit = true
	env.Announce(lit{})
}

type lit struct{}

// dark fails at the third lamp.
type dark struct{ Lit int }

func (d *dark) Observe(sim.NodeID, any) error {
	if d.Lit++; d.Lit == 3 {
		return errors.New("three lamps")
	}
	return nil
}

// A violation follows the steps that wrote what its property reads, on any node.
func TestBuild_CausesOfViolation(t *testing.T) {
	count := func(v *sim.View, ids ...sim.NodeID) (n int) {
		for _, id := range ids {
			if l, ok := v.Service(id).(*lamp); ok && l.Lit {
				n++
			}
		}
		return n
	}
	off := sim.Property{Name: "n2 is off", Always: sim.Each(func(id sim.NodeID, l *lamp) bool { return id != 2 || !l.Lit })}
	pair := sim.Property{Name: "n0 or n2 is off", Always: func(v *sim.View) bool { return count(v, 0, 2) < 2 }}
	some := sim.Property{Name: "n1 or n2 is off", Always: func(v *sim.View) bool { return count(v, 1, 2) < 2 }}
	for name, c := range map[string]struct {
		property []sim.Property
		monitors []func() sim.Monitor
		causes   []int
	}{
		"one node":   {property: []sim.Property{off}, causes: []int{0}},
		"other node": {property: []sim.Property{some}, causes: []int{1}},
		"two nodes":  {property: []sim.Property{pair}, causes: []int{2}},
		"monitor":    {monitors: []func() sim.Monitor{func() sim.Monitor { return &dark{} }}, causes: []int{1, 2}},
	} {
		sys := &sim.System{
			Name: "lamps", Nodes: 3, New: func(sim.NodeID) sim.Service { return &lamp{} }, Network: netsim.Datagrams{}, Timing: sim.AnyOrder,
			Actions: []sim.AnyAction{sim.Action[*lamp]{Name: "light", Do: (*lamp).Light}}, Properties: c.property, Monitors: c.monitors,
		}
		g := scripted(t, sys, "action n1 light", "action n0 light", "action n2 light")
		if e := &g.Events[3]; e.Error == "" || !slices.Equal(e.Causes, c.causes) {
			t.Errorf("%s: %q follows %v, want %v", name, e.Error, e.Causes, c.causes)
		}
	}
}

// board has switches, which are written by steps of their own.
type board struct {
	sim.Nop
	A, B, C int
}

// The last writers of the fields of a node that a violated property reads are known, up to its last boot.
func TestBuild_WritersOfFields(t *testing.T) {
	write := func(name string, do func(*board)) sim.AnyAction {
		return sim.Action[*board]{Name: name, Do: func(b *board, _ sim.Env) { do(b) }}
	}
	sum := func(v *sim.View) (n int) {
		for id := range 2 {
			if b, ok := v.Service(sim.NodeID(id)).(*board); ok {
				n += b.A * b.B
			}
		}
		return n
	}
	sys := &sim.System{
		Name: "boards", Nodes: 2, New: func(sim.NodeID) sim.Service { return &board{} }, Network: netsim.Datagrams{}, Crashes: 1,
		Actions: []sim.AnyAction{
			write("A", func(b *board) { b.A = 1 }), write("B", func(b *board) { b.B = 1 }), write("C", func(b *board) { b.C++ }),
		},
		Properties: []sim.Property{{Name: "sum", Always: func(v *sim.View) bool { return sum(v) < 2 }}},
	}
	for _, c := range []struct {
		keys        []string
		read, wrote []int
	}{
		{[]string{"action n0 A", "action n0 B", "action n1 B", "action n1 A"}, []int{2}, []int{1, 3}},
		{[]string{"action n0 A", "action n0 B", "action n0 C", "action n0 C", "action n1 A", "action n1 C", "action n1 B"},
			[]int{4}, []int{1, 2, 5, 6}},
		{[]string{"action n0 C", "crash n0", "boot n0", "action n0 A", "action n0 B", "action n1 A", "action n1 B"}, []int{5}, []int{3, 4, 6}},
	} {
		g := scripted(t, sys, c.keys...)
		if last := &g.Events[g.Last()]; last.Error == "" || !slices.Equal(g.Read, c.read) || !slices.Equal(g.Wrote, c.wrote) {
			t.Errorf("%v: %q reads %v and %v, want %v and %v", c.keys, last.Error, g.Read, g.Wrote, c.read, c.wrote)
		}
	}
}
