// Package automaton has systems with states and moves given by a table, for tests with exact expectations.
package automaton

import (
	"fmt"
	"slices"

	"github.com/macemc/macemc/sim"
)

// Automaton is a service with a number as its state. A table lists its moves.
type Automaton struct {
	sim.Nop
	State int
}

// Move leads from a state to one of several, by choice.
type Move struct {
	From int
	To   []int
	// Weights are the weights of the alternatives in random walks; nil means equal weights.
	Weights []int
}

// Table describes a system of one [Automaton]. All moves are actions, in order.
type Table struct {
	Moves   []Move
	Live    []int // live states; nil means no Eventually property
	Bad     []int // states that violate safety
	Crashes int   // a crash takes the node down, and boot returns to state 0
}

// System builds the system.
func (t Table) System() sim.System {
	sys := sim.System{
		Name: "automaton", Nodes: 1, Crashes: t.Crashes,
		New: func(sim.NodeID) sim.Service { return &Automaton{} },
		Properties: []sim.Property{
			{Name: "safe", Always: sim.Each(func(_ sim.NodeID, a *Automaton) bool { return !slices.Contains(t.Bad, a.State) })},
		},
	}
	if t.Live != nil {
		// Each would also hold while the node is down.
		sys.Properties = append(sys.Properties, sim.Property{Name: "live", Eventually: func(v *sim.View) bool {
			a, ok := v.Service(0).(*Automaton)
			return ok && slices.Contains(t.Live, a.State)
		}})
	}
	for i, m := range t.Moves {
		sys.Actions = append(sys.Actions, sim.Action[*Automaton]{
			Name: fmt.Sprintf("m%d", i),
			When: func(a *Automaton) bool { return a.State == m.From },
			Do: func(a *Automaton, env sim.Env) {
				if m.Weights != nil {
					a.State = m.To[env.ChooseWeighted("to", m.Weights...)]
				} else {
					a.State = m.To[env.Choose("to", len(m.To))]
				}
			},
		})
	}
	return sys
}

// To returns the move from a state to one of several.
func To(from int, to ...int) Move { return Move{From: from, To: to} }
