package superstep

import (
	"slices"

	"github.com/macemc/macemc/sim"
)

// Leader is the additional state of the leading member. One that has lost its lease continues until the store
// reports another leader's commit. It does no harm.
type Leader struct {
	Leading      bool
	Commit       Commit // the last known commit
	Requested    Commit // the requested next commit; Rev 0 means none
	Incarnations []int  // by member, as known; 0 means silent
	Responded    []bool // members that sent something since the last timer for silence
	Finished     []bool // members that are done
	Next         []int  // by part, as the members report
	Len          []int
	Edges        []int
	NeedsEpoch   bool
	Halt         string // why the search must end, or ""
}

// granted handles the grant of the lease to this member.
func (m *Member) granted(env sim.Env, g Granted) {
	l := &m.Leader
	if g.Commit.End != Running {
		m.end(env)
		return
	}
	if m.Leaves { // it had asked before
		env.Send(0, Release{})
		return
	}
	switch {
	case l.Leading && g.Commit.equal(&l.Commit) && l.Requested.Rev == 0 && damaged(g.Commit.Len, g.Lens):
		g.Commit.End = Damaged
		m.swap(env, g.Commit)
	case l.Leading:
		m.swapped(env, g.Commit, g.Lens)
	}
	if l.Leading || g.Commit.Rev < l.Commit.Rev {
		return
	}
	l.Leading, l.Commit, l.Requested, l.NeedsEpoch = true, g.Commit, Commit{}, true
	l.Incarnations = slices.Clone(g.Commit.Incs) // new members send their incarnations
	if before := g.Commit.Leader; before != 0 {
		l.Incarnations[before-1] = 0 // its lease has expired
	}
	l.begin()
	clear(l.Responded)
	env.SetTimer(silence{}, silencePeriod)
	m.lead(env)
}

// begin begins to wait for all members of the commit.
func (l *Leader) begin() {
	c := &l.Commit
	l.Finished = make([]bool, len(c.Incs))
	l.Next, l.Len, l.Edges = slices.Clone(c.Next), slices.Clone(c.Len), slices.Clone(c.Edges)
}

// hello handles a heartbeat. A leaving member is notified when it has no parts left.
func (m *Member) hello(env sim.Env, from sim.NodeID, h Hello) {
	l := &m.Leader
	if h.Inc < l.Incarnations[from-1] {
		return
	}
	l.Incarnations[from-1], l.Responded[from-1] = h.Inc, true
	if h.Leaves {
		l.Incarnations[from-1] = 0
	}
	switch {
	case !l.Leading:
	case l.Commit.Incs[from-1] != l.Incarnations[from-1]:
		m.lead(env)
	case h.Leaves:
		env.Send(from, Go{l.Commit})
	}
}

// silent handles the timer for members that send no heartbeats.
func (m *Member) silent(env sim.Env) {
	l := &m.Leader
	if !l.Leading {
		return
	}
	env.SetTimer(silence{}, silencePeriod)
	for i := range l.Incarnations {
		if !l.Responded[i] && l.Commit.Incs[i] != 0 {
			l.Incarnations[i] = 0
		}
	}
	clear(l.Responded)
	m.lead(env)
}

// lost handles the report of a member that misses messages.
func (m *Member) lost(env sim.Env, msg Lost) {
	l := &m.Leader
	if !l.Leading || (at{msg.Epoch, msg.K}) != l.Commit.at() {
		return
	}
	l.NeedsEpoch = true
	m.lead(env)
}

// done handles the report of a member that is done.
func (m *Member) done(env sim.Env, from sim.NodeID, d Done) {
	l := &m.Leader
	c := &l.Commit
	b := m.Worker.bugs
	if !l.Leading || l.Requested.Rev != 0 || d.Epoch != c.Epoch ||
		d.K != c.K && !b.has(oldDone) || d.Inc != c.Incs[from-1] && !b.has(noIncarnation) {
		return
	}
	l.Finished[from-1] = true
	for i, owner := range c.Owner {
		if owner == from {
			l.Next[i], l.Len[i], l.Edges[i] = d.Next[i], d.Len[i], c.Edges[i]+d.Edges[i]
		}
	}
	if d.Halt != "" {
		l.Halt = d.Halt
	}
	for i, inc := range c.Incs {
		if inc != 0 && !l.Finished[i] {
			return
		}
	}
	next := c.clone()
	next.K++
	next.Next, next.Len, next.Edges = slices.Clone(l.Next), slices.Clone(l.Len), slices.Clone(l.Edges)
	if slices.Equal(next.Next, next.Until) {
		next.Until = slices.Clone(l.Len)
		next.Level++
	}
	switch {
	case l.Halt != "":
		next.End, next.Why = Halted, l.Halt
	case b.has(unverified) && next.expanded():
		next.End = Complete
	}
	m.swap(env, next)
}

// expanded reports whether all accepted states are expanded.
func (c *Commit) expanded() bool { return slices.Equal(c.Next, c.Len) }

// swap asks the store to replace the commit.
func (m *Member) swap(env sim.Env, c Commit) {
	c.Rev++
	m.Leader.Requested = c
	env.Send(0, Swap{c})
}

// swapped handles the store's current commit and log lengths.
func (m *Member) swapped(env sim.Env, c Commit, lens []int) {
	l := &m.Leader
	if !l.Leading || c.Rev <= l.Commit.Rev {
		return
	}
	own := c.equal(&l.Requested)
	l.Commit, l.Requested, l.Leading = c, Commit{}, own
	if !own {
		return
	}
	l.begin()
	switch {
	case c.End != Running:
		m.tell(env)
		m.end(env)
	case damaged(c.Len, lens) || c.expanded() && !slices.Equal(c.Len, lens):
		c.End = Damaged
		m.swap(env, c)
	case c.expanded():
		c.End = Complete
		m.swap(env, c)
	default:
		m.lead(env) // new members may have appeared
	}
}

// damaged reports whether a log is shorter than its committed length.
func damaged(committed, lens []int) bool {
	for i := range lens {
		if lens[i] < committed[i] {
			return true
		}
	}
	return false
}

// lead does what the leader must do next. It may be repeated.
func (m *Member) lead(env sim.Env) {
	l := &m.Leader
	l.Incarnations[env.Self()-1] = m.Inc
	switch {
	case !l.Leading:
	case l.Requested.Rev != 0:
		env.Send(0, Swap{l.Requested})
	case l.Halt != "":
		next := l.Commit.clone()
		next.End, next.Why = Halted, l.Halt
		m.swap(env, next)
	case l.NeedsEpoch || l.changed(m.Worker.bugs):
		l.NeedsEpoch = false
		next := l.Commit.clone()
		next.Epoch++
		next.Leader, next.Incs = env.Self(), slices.Clone(l.Incarnations)
		next.assign()
		m.swap(env, next)
	default:
		m.tell(env)
	}
}

// halt handles a request to end the search.
func (m *Member) halt(env sim.Env, h Halt) {
	if m.Leader.Leading {
		m.Leader.Halt = h.Why
		m.lead(env)
	}
}

// changed reports whether the known members or incarnations differ from those of the commit.
func (l *Leader) changed(b bugs) bool {
	for i, inc := range l.Commit.Incs {
		if l.Incarnations[i] != inc && !(b.has(noIncarnation) && l.Incarnations[i] != 0 && inc != 0) {
			return true
		}
	}
	return false
}

// tell sends the commit to all its members.
func (m *Member) tell(env sim.Env) {
	c := m.Leader.Commit
	for i := range c.Incs {
		if id := sim.NodeID(i + 1); id != env.Self() && c.with(id) {
			env.Send(id, Go{c})
		}
	}
	if c.End == Running {
		m.begin(env, c)
	}
}

// assign gives parts of absent members to present ones, and moves a part from a member with two to one with none.
func (c *Commit) assign() {
	holds := make([]int, len(c.Incs))
	for i, owner := range c.Owner {
		if owner == 0 || !c.with(owner) {
			c.Owner[i] = 0
		} else {
			holds[owner-1]++
		}
	}
	for i, owner := range c.Owner {
		least := c.least(holds)
		if owner != 0 {
			if holds[owner-1]-holds[least-1] < 2 {
				continue
			}
			holds[owner-1]--
		}
		c.Owner[i] = least
		holds[least-1]++
	}
}

// least returns the present member with the fewest parts.
func (c *Commit) least(holds []int) sim.NodeID {
	least := sim.NodeID(0)
	for i := range holds {
		if id := sim.NodeID(i + 1); c.with(id) && (least == 0 || holds[id-1] < holds[least-1]) {
			least = id
		}
	}
	return least
}
