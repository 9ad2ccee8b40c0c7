package superstep

import (
	"slices"

	"github.com/macemc/macemc/sim"
)

// Letters holds the states of this system's graph. It implements [Data].
type Letters struct {
	Parts  [Parts]Part
	Recent []State   // recently sent or accepted: not sent again
	Words  []numbers // by member

	bugs bugs
}

// numbers defines the numbers in the traffic with another member, in this epoch.
type numbers struct {
	Told  []State // for sent states
	Heard []State // for received states
}

// Numbered is the content of a batch.
type Numbered struct {
	Define  []State // the states of the next numbers
	Numbers []int
}

// Renew implements [Data].
func (d *Letters) Renew(c *Commit, _ sim.NodeID) {
	if !d.bugs.has(recent) {
		d.Recent = nil
	}
	if len(d.Words) == 0 {
		d.Words = make([]numbers, len(c.Incs))
	}
	for i := range d.Words {
		if !d.bugs.has(oldNumbers) {
			d.Words[i].Told = nil
		}
		d.Words[i].Heard = nil
	}
	for i := range d.Parts {
		p := &d.Parts[i]
		p.Pending, p.Next, p.Edges, p.Read = nil, c.Next[i], 0, false
		if d.bugs.has(oldLog) && len(p.Log) > 0 {
			p.Read = true
		} else {
			p.Log = p.Log[:min(len(p.Log), c.Len[i])]
		}
	}
}

// Ask implements [Data].
func (d *Letters) Ask(env sim.Env, c *Commit, taken bool) {
	for i := range d.Parts {
		p := &d.Parts[i]
		switch {
		case c.Owner[i] != env.Self():
		case !p.Read:
			env.Send(0, Read{i, len(p.Log)})
		case len(p.Pending) > 0 && taken:
			env.Send(0, Append{i, len(p.Log), slices.Clone(p.Pending)})
		}
	}
}

// Logged implements [Data].
func (d *Letters) Logged(l Log, c *Commit) {
	p := &d.Parts[l.Part]
	p.learn(l.From, l.States)
	p.Read = p.Read || len(p.Log) >= c.Len[l.Part]
}

// Read implements [Data].
func (d *Letters) Read(c *Commit, self sim.NodeID) bool {
	for i := range d.Parts {
		if c.Owner[i] == self && !d.Parts[i].Read {
			return false
		}
	}
	return true
}

// Pending implements [Data].
func (d *Letters) Pending() bool {
	return slices.ContainsFunc(d.Parts[:], func(p Part) bool { return len(p.Pending) > 0 })
}

// Say implements [Data].
func (d *Letters) Say(done *Done) {
	for i := range d.Parts {
		p := &d.Parts[i]
		n := len(p.Log)
		if d.bugs.has(unsynced) {
			n += len(p.Pending)
		}
		done.Next, done.Len, done.Edges = append(done.Next, p.Next), append(done.Len, n), append(done.Edges, p.Edges)
	}
}

// Expand implements [Data]. It expands all states of this level or, as if the time was up, one of each part.
func (d *Letters) Expand(env sim.Env, c *Commit, send func(to sim.NodeID, content any)) {
	for i := range d.Parts {
		p := &d.Parts[i]
		p.Edges = 0
		if c.Owner[i] != env.Self() {
			continue
		}
		until := c.Until[i]
		if until-p.Next > 1 && env.Choose("time is up", 2) == 1 {
			until = p.Next + 1
		}
		for ; p.Next < until; p.Next++ {
			for _, s := range successors(p.Log[p.Next]) {
				p.Edges++
				d.found(env, c, s, send)
			}
		}
	}
}

// found accepts a state, or sends it to the owner of its part.
func (d *Letters) found(env sim.Env, c *Commit, s State, send func(to sim.NodeID, content any)) {
	if slices.Contains(d.Recent, s) {
		return
	}
	d.Recent = append(d.Recent, s)
	part := partOf(s)
	owner := c.Owner[part]
	if owner == env.Self() {
		d.Parts[part].accept(s)
		return
	}
	told, define := &d.Words[owner-1].Told, []State(nil)
	n := slices.Index(*told, s)
	if n < 0 {
		n, define = len(*told), []State{s}
		*told = append(*told, s)
	}
	send(owner, Numbered{define, []int{n}})
}

// Take implements [Data].
func (d *Letters) Take(env sim.Env, from sim.NodeID, content any) {
	heard, m := &d.Words[from-1].Heard, content.(Numbered)
	*heard = append(*heard, m.Define...)
	for _, n := range m.Numbers {
		env.Assert(n < len(*heard), "number %d was not defined", n)
		if n < len(*heard) {
			s := (*heard)[n]
			d.Parts[partOf(s)].accept(s)
		}
	}
}
