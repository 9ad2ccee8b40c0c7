package superstep

import (
	"slices"

	"github.com/macemc/macemc/sim"
)

// Worker has the states of the parts that a member holds expanded.
type Worker struct {
	Commit   Commit // the superstep that it takes part in; its epoch is 0: none
	Data     Data
	Links    []Link  // by member
	Early    []early // messages of others in supersteps that have not begun here
	Expanded bool    // the own states of this superstep are
	Done     bool

	bugs bugs
}

// Data are the states of a member's parts, and what is done with them. The protocol is the same whatever states are.
type Data interface {
	// Renew begins an epoch, from a commit: what was sent and is not logged does not count.
	Renew(c *Commit, self sim.NodeID)
	// Ask has the logs read that were not. When all was taken, it has added to the logs what was accepted. A [Log] answers.
	Ask(env sim.Env, c *Commit, taken bool)
	// Logged is told what is in a log.
	Logged(l Log, c *Commit)
	// Read reports whether all logs of a member's parts were read, as far as the commit says at least.
	Read(c *Commit, self sim.NodeID) bool
	// Expand expands the states of this superstep, or fewer, and sends what belongs to others.
	Expand(env sim.Env, c *Commit, send func(to sim.NodeID, content any))
	// Take takes what another member sent, in the order in which that was.
	Take(env sim.Env, from sim.NodeID, content any)
	// Pending reports whether something was accepted that is not known to be in a log.
	Pending() bool
	// Say fills in what the parts have come to.
	Say(d *Done)
}

// early is a message that waits.
type early struct {
	From sim.NodeID
	Msg  any
}

// at is where a message or a member is in the search.
type at struct{ Epoch, K int }

func (a at) before(b at) bool { return a.Epoch < b.Epoch || a.Epoch == b.Epoch && a.K < b.K }

func (c *Commit) at() at { return at{c.Epoch, c.K} }

// with reports whether a member takes part.
func (c *Commit) with(id sim.NodeID) bool { return c.Incs[id-1] != 0 }

// begin begins a superstep.
func (m *Member) begin(env sim.Env, c Commit) {
	w := &m.Worker
	if c.End != Running {
		m.end(env)
		return
	}
	if m.Leaves && w.Commit.at().before(c.at()) && c.Incs[env.Self()-1] == 0 {
		m.end(env)
		return
	}
	if c.Incs[env.Self()-1] != m.Inc && !w.bugs.has(noIncarnation) || c.at().before(w.Commit.at()) {
		return
	}
	if c.at() == w.Commit.at() {
		m.say(env)
		return
	}
	if c.Epoch != w.Commit.Epoch {
		w.Data.Renew(&c, env.Self())
	}
	w.Commit, w.Expanded, w.Done = c, false, false
	if len(w.Links) == 0 {
		w.Links = make([]Link, len(c.Incs))
	}
	for i := range w.Links {
		w.Links[i].begin()
	}
	w.Early = slices.DeleteFunc(w.Early, func(e early) bool { return place(e.Msg).before(c.at()) })
	env.SetTimer(gap{}, gapPeriod)
	m.ask(env)
	m.proceed(env)
}

// ask asks the store for what is missing.
func (m *Member) ask(env sim.Env) {
	w := &m.Worker
	if w.Commit.Epoch != 0 && !m.Leaves {
		w.Data.Ask(env, &w.Commit, w.taken(env.Self()))
	}
}

// logged is told what is in a log.
func (m *Member) logged(env sim.Env, l Log) {
	w := &m.Worker
	if w.Commit.Epoch == 0 || w.Commit.Owner[l.Part] != env.Self() {
		return
	}
	w.Data.Logged(l, &w.Commit)
	m.proceed(env)
}

// proceed does what can be done.
func (m *Member) proceed(env sim.Env) {
	w := &m.Worker
	if w.Commit.Epoch == 0 || w.Done || m.Leaves {
		return
	}
	if !w.Expanded {
		if !w.Data.Read(&w.Commit, env.Self()) {
			return
		}
		w.expand(env)
		waiting := w.Early
		w.Early = nil
		for _, e := range waiting {
			w.take(env, e.From, e.Msg)
		}
	}
	if !w.taken(env.Self()) {
		return
	}
	m.ask(env)
	if w.Data.Pending() && !w.bugs.has(unsynced) {
		return
	}
	w.Done = true
	env.StopTimer(gap{})
	m.say(env)
}

// taken reports whether all that others sent in this superstep was taken.
func (w *Worker) taken(self sim.NodeID) bool {
	if !w.Expanded {
		return false
	}
	for i := range w.Links {
		if id := sim.NodeID(i + 1); id != self && w.Commit.with(id) && !w.Links[i].complete() {
			return false
		}
	}
	return true
}

// expand expands own states, and says how much was sent.
func (w *Worker) expand(env sim.Env) {
	c := &w.Commit
	w.Expanded = true
	w.Data.Expand(env, c, func(to sim.NodeID, content any) {
		l := &w.Links[to-1]
		env.Send(to, Batch{c.K, c.Epoch, l.Sent, content})
		l.Sent++
	})
	for i := range w.Links {
		if id := sim.NodeID(i + 1); id != env.Self() && c.with(id) {
			env.Send(id, Ended{c.K, c.Epoch, w.Links[i].Sent})
		}
	}
}

// sent is told what another member found. What belongs to a superstep that has not begun here waits.
func (m *Member) sent(env sim.Env, from sim.NodeID, msg any) {
	w := &m.Worker
	switch p := place(msg); {
	case w.Commit.at().before(p) || p == w.Commit.at() && !w.Expanded:
		w.Early = append(w.Early, early{from, msg})
	case p == w.Commit.at() || w.bugs.has(oldEpoch):
		w.take(env, from, msg)
		m.proceed(env)
	}
}

func (w *Worker) take(env sim.Env, from sim.NodeID, msg any) {
	l := &w.Links[from-1]
	switch msg := msg.(type) {
	case Batch:
		for _, content := range l.take(msg, w.bugs) {
			w.Data.Take(env, from, content)
		}
	case Ended:
		l.Total = msg.Batches
	}
}

func place(msg any) at {
	switch msg := msg.(type) {
	case Batch:
		return at{msg.Epoch, msg.K}
	case Ended:
		return at{msg.Epoch, msg.K}
	}
	return at{}
}

// say tells the leader that this member is done, if it is.
func (m *Member) say(env sim.Env) {
	w := &m.Worker
	if !w.Done {
		return
	}
	d := Done{K: w.Commit.K, Epoch: w.Commit.Epoch, Inc: m.Inc}
	w.Data.Say(&d)
	if w.Commit.Leader == env.Self() {
		m.done(env, env.Self(), d)
	} else {
		env.Send(w.Commit.Leader, d)
	}
}

// missed tells the leader that something does not come.
func (m *Member) missed(env sim.Env) {
	env.SetTimer(gap{}, gapPeriod)
	c := &m.Worker.Commit
	if c.Leader == env.Self() {
		m.lost(env, Lost{c.K, c.Epoch})
	} else {
		env.Send(c.Leader, Lost{c.K, c.Epoch})
	}
}
