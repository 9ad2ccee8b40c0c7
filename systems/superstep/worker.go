package superstep

import (
	"slices"

	"github.com/macemc/macemc/sim"
)

// Worker expands the states of a member's parts.
type Worker struct {
	Commit   Commit // the current superstep; epoch 0 means none
	Data     Data
	Links    []Link  // by member
	Early    []early // messages of supersteps that have not begun here
	Expanded bool    // the own states of this superstep are expanded
	Done     bool

	bugs bugs
}

// Data is the interface to the states of a member's parts. The protocol is independent of their form.
type Data interface {
	// Renew begins an epoch from a commit. Earlier messages that are not logged are void.
	Renew(c *Commit, self sim.NodeID)
	// Ask reads the logs that were not read, and if all messages were taken, appends the accepted states. A [Log]
	// is the answer.
	Ask(env sim.Env, c *Commit, taken bool)
	// Logged handles the content of a log.
	Logged(l Log, c *Commit)
	// Read reports whether all logs of a member's parts were read, at least up to their committed lengths.
	Read(c *Commit, self sim.NodeID) bool
	// Expand expands the states of this superstep, or fewer, and sends states of other members' parts to them.
	Expand(env sim.Env, c *Commit, send func(to sim.NodeID, content any))
	// Take takes what another member sent, in sending order.
	Take(env sim.Env, from sim.NodeID, content any)
	// Pending reports whether an accepted state is not known to be in a log.
	Pending() bool
	// Say sets the progress of the parts.
	Say(d *Done)
}

// early is a waiting message.
type early struct {
	From sim.NodeID
	Msg  any
}

// at is the position of a message or member in the search.
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

// ask requests missing data from the store.
func (m *Member) ask(env sim.Env) {
	w := &m.Worker
	if w.Commit.Epoch != 0 && !m.Leaves {
		w.Data.Ask(env, &w.Commit, w.taken(env.Self()))
	}
}

// logged handles the content of a log.
func (m *Member) logged(env sim.Env, l Log) {
	w := &m.Worker
	if w.Commit.Epoch == 0 || w.Commit.Owner[l.Part] != env.Self() {
		return
	}
	w.Data.Logged(l, &w.Commit)
	m.proceed(env)
}

// proceed does all work that is possible.
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

// taken reports whether all messages of other members in this superstep were taken.
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

// expand expands own states, and reports how much was sent.
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

// sent handles states found by another member. Those of a superstep that has not begun here wait.
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

// say reports to the leader that this member is done, if it is.
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

// missed reports to the leader that something does not arrive.
func (m *Member) missed(env sim.Env) {
	env.SetTimer(gap{}, gapPeriod)
	c := &m.Worker.Commit
	if c.Leader == env.Self() {
		m.lost(env, Lost{c.K, c.Epoch})
	} else {
		env.Send(c.Leader, Lost{c.K, c.Epoch})
	}
}
