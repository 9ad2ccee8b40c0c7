package superstep

import "slices"

// Part is a member's state of a part that it owns.
type Part struct {
	Log     []State // in the log, in its order
	Pending []State // accepted, and not known to be in the log
	Next    int     // number of expanded states of the log
	Edges   int     // number of edges from states expanded since the commit
	Read    bool    // in this epoch, at least up to the committed length
}

// has reports whether a state is accepted.
func (p *Part) has(s State) bool { return slices.Contains(p.Log, s) || slices.Contains(p.Pending, s) }

// accept accepts a state.
func (p *Part) accept(s State) {
	if !p.has(s) {
		p.Pending = append(p.Pending, s)
	}
}

// learn handles the content of the log from a state on. States in the log are not pending, no matter who wrote them.
func (p *Part) learn(from int, states []State) {
	known := len(p.Log) - from
	if known < 0 || known >= len(states) {
		return
	}
	p.Log = append(p.Log, states[known:]...)
	p.Pending = slices.DeleteFunc(p.Pending, func(s State) bool { return slices.Contains(p.Log, s) })
}
