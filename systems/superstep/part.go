package superstep

import "slices"

// Part is what a member knows of a part that it holds.
type Part struct {
	Log     []State // in the log, in its order
	Pending []State // accepted, and not known to be in the log
	Next    int     // how many states of the log are expanded
	Edges   int     // how many lead from those that are since the commit
	Read    bool    // in this epoch, as far as the commit says at least
}

// has reports whether a state is accepted.
func (p *Part) has(s State) bool { return slices.Contains(p.Log, s) || slices.Contains(p.Pending, s) }

// accept accepts a state.
func (p *Part) accept(s State) {
	if !p.has(s) {
		p.Pending = append(p.Pending, s)
	}
}

// learn is told what is in the log from a state on. What is there is no more pending, whoever wrote it.
func (p *Part) learn(from int, states []State) {
	known := len(p.Log) - from
	if known < 0 || known >= len(states) {
		return
	}
	p.Log = append(p.Log, states[known:]...)
	p.Pending = slices.DeleteFunc(p.Pending, func(s State) bool { return slices.Contains(p.Log, s) })
}
