package knowncounts

import "github.com/macemc/macemc/sim"

// state is the state of a whole TLA+ model. It has only values.
type state[S any] interface {
	first(drawer) S
	next() []S // successors, perhaps with duplicates
	holds() bool
}

// drawer draws a number below n.
type drawer func(n int) int

// bits draws n bits.
func (c drawer) bits(n int) (b uint) {
	for i := range n {
		b |= uint(c(2)) << i
	}
	return b
}

// holder is a node that holds the state of a whole model.
type holder[S state[S]] struct {
	sim.Nop
	State S
}

func (h *holder[S]) Boot(env sim.Env) {
	h.State = h.State.first(func(n int) int { return env.Choose("first", n) })
}

// relation returns a system of one node, with one action that takes a step. The model's processes are not nodes of
// the system, since its steps read the states of several.
func relation[S state[S]]() sim.System {
	return sim.System{
		Nodes: 1,
		New:   func(sim.NodeID) sim.Service { return &holder[S]{} },
		Actions: []sim.AnyAction{sim.Action[*holder[S]]{
			Name: "next",
			When: func(h *holder[S]) bool { return len(h.State.next()) > 0 },
			Do: func(h *holder[S], env sim.Env) {
				after := h.State.next()
				h.State = after[env.Choose("which", len(after))]
			},
		}},
		Properties: []sim.Property{{Name: "invariant", Always: sim.Each(func(_ sim.NodeID, h *holder[S]) bool { return h.State.holds() })}},
	}
}
