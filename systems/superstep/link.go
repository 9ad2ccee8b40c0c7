package superstep

import (
	"slices"

	"github.com/macemc/macemc/sim"
)

// Link is what a member knows of its traffic with another one.
type Link struct {
	Told  []State // in this epoch: what numbers stand for that were sent
	Heard []State // in this epoch: what numbers stand for that came
	Sent  int     // batches of this superstep
	Taken int     // batches of this superstep
	Total int     // how many come in this superstep; -1: not known
	Early []Batch // batches of this superstep that came before those ahead of them
}

// renew begins an epoch.
func (l *Link) renew(b bugs) {
	if !b.has(oldNumbers) {
		l.Told = nil
	}
	l.Heard = nil
}

// begin begins a superstep.
func (l *Link) begin() { l.Sent, l.Taken, l.Total, l.Early = 0, 0, -1, nil }

// complete reports whether all that was sent in this superstep was taken.
func (l *Link) complete() bool { return l.Taken == l.Total }

// send sends a state.
func (l *Link) send(env sim.Env, to sim.NodeID, c *Commit, s State) {
	n, define := slices.Index(l.Told, s), []State(nil)
	if n < 0 {
		n, define = len(l.Told), []State{s}
		l.Told = append(l.Told, s)
	}
	env.Send(to, Batch{c.K, c.Epoch, l.Sent, define, []int{n}})
	l.Sent++
}

// take takes a batch, and those behind it that came before, when it is its turn. It returns the states.
func (l *Link) take(env sim.Env, m Batch, b bugs) (states []State) {
	if b.has(counted) {
		return l.resolve(env, m)
	}
	if m.Seq > l.Taken {
		l.Early = append(l.Early, m)
	}
	for next := &m; next != nil; next = l.next() {
		if next.Seq == l.Taken {
			states = append(states, l.resolve(env, *next)...)
		}
	}
	return states
}

// next is the batch whose turn it is, if it is there.
func (l *Link) next() *Batch {
	i := slices.IndexFunc(l.Early, func(m Batch) bool { return m.Seq == l.Taken })
	if i < 0 {
		return nil
	}
	return &l.Early[i]
}

// resolve says what the numbers of a batch stand for.
func (l *Link) resolve(env sim.Env, m Batch) (states []State) {
	l.Taken++
	l.Heard = append(l.Heard, m.Define...)
	for _, n := range m.Numbers {
		env.Assert(n < len(l.Heard), "number %d was not defined", n)
		if n < len(l.Heard) {
			states = append(states, l.Heard[n])
		}
	}
	return states
}
