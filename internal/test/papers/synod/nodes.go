package synod

import "github.com/macemc/macemc/sim"

// Proposer tries to get a value chosen, in one ballot.
type Proposer struct {
	sim.Nop
	Written bool // has asked all acceptors to accept a value
	Replies int  // number since then, or since the proposal
	Highest int  // highest ballot in the replies, and its value
	Value   int

	own   int // its ballot, and the value that it prefers
	sizes *sizes
}

// Propose starts the ballot.
func (p *Proposer) Propose(env sim.Env) { p.sizes.toAcceptors(env, Read{p.own}) }

// Receive implements [sim.Service].
func (p *Proposer) Receive(env sim.Env, _ sim.NodeID, msg any) {
	r := msg.(ReadReply)
	if r.Accepted > p.Highest {
		p.Highest, p.Value = r.Accepted, r.Value
	}
	if p.Replies++; p.Replies == p.sizes.majority() && !p.Written {
		p.Replies = 0
		p.write(env, p.Value)
	}
}

// write asks the acceptors to accept a value; 0 means the proposer's own.
func (p *Proposer) write(env sim.Env, value int) {
	if value == 0 {
		value = p.own
	}
	p.Written = true
	p.sizes.toAcceptors(env, Write{p.own, value})
}

// Acceptor promises and accepts.
type Acceptor struct {
	sim.Nop
	Promised int // ignores lower ballots
	Accepted int // highest ballot in which a value was accepted
	Value    int // that value

	sizes *sizes
	bugs  bugs
}

// record is the key of an acceptor's data on disk.
const record = "acceptor"

// Boot implements [sim.Service].
func (a *Acceptor) Boot(env sim.Env) {
	if r, ok := env.Disk().Get(record); ok {
		a.Promised, a.Accepted, a.Value = int(r[0]), int(r[1]), int(r[2])
	}
}

// Receive implements [sim.Service].
func (a *Acceptor) Receive(env sim.Env, from sim.NodeID, msg any) {
	switch m := msg.(type) {
	case Read:
		if m.Ballot > a.Promised {
			a.Promised = m.Ballot
			a.persist(env)
			env.Send(from, ReadReply{m.Ballot, a.Accepted, a.Value})
		}
	case Write:
		if m.Ballot >= a.Promised || a.bugs.has(sy2) {
			a.Promised, a.Accepted, a.Value = m.Ballot, m.Ballot, m.Value
			a.persist(env)
			a.sizes.toLearners(env, Accept(m))
		}
	}
}

func (a *Acceptor) persist(env sim.Env) {
	env.Disk().Put(record, []byte{byte(a.Promised), byte(a.Accepted), byte(a.Value)})
	env.Disk().Sync()
}

// Learner counts accepted values.
type Learner struct {
	sim.Nop
	Accepts []int  // by ballot
	Chosen  []bool // by value

	sizes *sizes
	bugs  bugs
}

// Receive implements [sim.Service].
func (l *Learner) Receive(_ sim.Env, _ sim.NodeID, msg any) {
	m := msg.(Accept)
	l.Accepts[m.Ballot]++
	n := l.Accepts[m.Ballot]
	if l.bugs.has(sy1) {
		n = 0
		for _, k := range l.Accepts {
			n += k
		}
	}
	if n >= l.sizes.majority() {
		l.Chosen[m.Value] = true
	}
}
