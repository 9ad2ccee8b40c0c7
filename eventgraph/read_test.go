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
