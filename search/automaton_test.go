package search_test

import (
	"fmt"

	"github.com/macemc/macemc/sim"
)

// automaton is a service whose state is a number. What can happen in it is given by a table.
type automaton struct {
	sim.Nop
	State int
}

// move leads from a state to one of several, by choice.
type move struct {
	from int
	to   []int
}

// table is a system of one automaton. All moves are actions, in their order.
type table struct {
	moves   []move
	live    []int // states that are live; nil: the system has no Eventually property
	bad     []int // states that violate safety
	crashes int   // a crash leads to a node that is down, boot back to state 0
}

func has(states []int, s int) bool {
	for _, t := range states {
		if s == t {
			return true
		}
	}
	return false
}

func (t table) system() sim.System {
	sys := sim.System{
		Name: "automaton", Nodes: 1, Crashes: t.crashes,
		New: func(sim.NodeID) sim.Service { return &automaton{} },
		Properties: []sim.Property{
			{Name: "safe", Always: sim.Each(func(_ sim.NodeID, a *automaton) bool { return !has(t.bad, a.State) })},
		},
	}
	if t.live != nil {
		// Not by Each, which holds while the node is down.
		sys.Properties = append(sys.Properties, sim.Property{Name: "live", Eventually: func(v *sim.View) bool {
			a, ok := v.Service(0).(*automaton)
			return ok && has(t.live, a.State)
		}})
	}
	for i, m := range t.moves {
		sys.Actions = append(sys.Actions, sim.Action[*automaton]{
			Name: fmt.Sprintf("m%d", i),
			When: func(a *automaton) bool { return a.State == m.from },
			Do:   func(a *automaton, env sim.Env) { a.State = m.to[env.Choose("to", len(m.to))] },
		})
	}
	return sys
}
