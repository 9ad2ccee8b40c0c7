package superstep

import (
	"slices"

	"github.com/macemc/macemc/sim"
)

// Worker expands the states of the parts that a member holds.
type Worker struct {
	Commit   Commit // the superstep that it takes part in; its epoch is 0: none
	Parts    [Parts]Part
	Links    [MaxMembers]Link
	Recent   []State // sent or accepted lately: not again
	Early    []early // messages of others in supersteps that have not begun here
	Expanded bool    // the own states of this superstep are
	Done     bool

	bugs bugs
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
	if c.Incs[env.Self()-1] != m.Inc && !w.bugs.has(noIncarnation) || c.at().before(w.Commit.at()) {
		return
	}
	if c.at() == w.Commit.at() {
		m.say(env)
		return
	}
	if c.Epoch != w.Commit.Epoch {
		w.renew(&c)
	}
	w.Commit, w.Expanded, w.Done = c, false, false
	for i := range w.Links {
		w.Links[i].begin()
	}
	w.Early = slices.DeleteFunc(w.Early, func(e early) bool { return place(e.Msg).before(c.at()) })
	env.SetTimer(gap{}, gapPeriod)
	m.ask(env)
	m.proceed(env)
}

// renew begins an epoch, from the commit.
func (w *Worker) renew(c *Commit) {
	if !w.bugs.has(recent) {
		w.Recent = nil
	}
	for i := range w.Links {
		w.Links[i].renew(w.bugs)
	}
	for i := range w.Parts {
		p := &w.Parts[i]
		p.Pending, p.Next, p.Read = nil, c.Next[i], false
		if w.bugs.has(oldLog) && len(p.Log) > 0 {
			p.Read = true
		} else {
			p.Log = p.Log[:min(len(p.Log), c.Len[i])]
		}
	}
}

// ask asks the store for what is missing.
func (m *Member) ask(env sim.Env) {
	w := &m.Worker
	for i := range w.Parts {
		p := &w.Parts[i]
		switch {
		case w.Commit.Owner[i] != env.Self() || w.Commit.Epoch == 0:
		case !p.Read:
			env.Send(0, Read{i, len(p.Log)})
		case len(p.Pending) > 0 && w.taken(env.Self()):
			env.Send(0, Append{i, len(p.Log), slices.Clone(p.Pending)})
		}
	}
}

// logged is told what is in a log.
func (m *Member) logged(env sim.Env, l Log) {
	w := &m.Worker
	p := &w.Parts[l.Part]
	if w.Commit.Epoch == 0 || w.Commit.Owner[l.Part] != env.Self() {
		return
	}
	p.learn(l.From, l.States)
	p.Read = p.Read || len(p.Log) >= w.Commit.Until[l.Part]
	m.proceed(env)
}

// proceed does what can be done.
func (m *Member) proceed(env sim.Env) {
	w := &m.Worker
	if w.Commit.Epoch == 0 || w.Done {
		return
	}
	if !w.Expanded {
		for i := range w.Parts {
			if w.Commit.Owner[i] == env.Self() && !w.Parts[i].Read {
				return
			}
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
	for i := range w.Parts {
		if len(w.Parts[i].Pending) > 0 && !w.bugs.has(unsynced) {
			return
		}
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

// expand expands own states, all of this level or, as if time was up, one of each part.
func (w *Worker) expand(env sim.Env) {
	c := &w.Commit
	w.Expanded = true
	for i := range w.Parts {
		p := &w.Parts[i]
		if c.Owner[i] != env.Self() {
			continue
		}
		until := c.Until[i]
		if until-p.Next > 1 && env.Choose("time is up", 2) == 1 {
			until = p.Next + 1
		}
		for ; p.Next < until; p.Next++ {
			for _, s := range successors(p.Log[p.Next]) {
				w.found(env, s)
			}
		}
	}
	for i := range w.Links {
		if id := sim.NodeID(i + 1); id != env.Self() && c.with(id) {
			env.Send(id, Ended{c.K, c.Epoch, w.Links[i].Sent})
		}
	}
}

// found accepts a state, or sends it to the member that holds its part.
func (w *Worker) found(env sim.Env, s State) {
	if slices.Contains(w.Recent, s) {
		return
	}
	w.Recent = append(w.Recent, s)
	part := partOf(s)
	if owner := w.Commit.Owner[part]; owner != env.Self() {
		w.Links[owner-1].send(env, owner, &w.Commit, s)
	} else {
		w.Parts[part].accept(s)
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
		for _, s := range l.take(env, msg, w.bugs) {
			w.Parts[partOf(s)].accept(s)
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
	for i := range w.Parts {
		d.Next[i], d.Len[i] = w.Parts[i].Next, len(w.Parts[i].Log)
		if w.bugs.has(unsynced) {
			d.Len[i] += len(w.Parts[i].Pending)
		}
	}
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
