package paxos

import "github.com/macemc/macemc/sim"

// Acceptor keeps promises and accepts values. Its promises and accepted values are on its disk before they are visible
// to others.
type Acceptor struct {
	sim.Nop
	Promised Ballot // lower ballots are neither answered nor accepted
	Accepted Ballot // highest ballot in which a value was accepted
	Value    Value  // that value

	sizes Sizes
	bugs  bugs
}

// record is the key of an acceptor's record on disk.
const record = "acceptor"

// Boot implements [sim.Service].
func (a *Acceptor) Boot(env sim.Env) {
	if r, ok := env.Disk().Get(record); ok {
		a.Promised, a.Accepted, a.Value = Ballot(r[0]), Ballot(r[1]), Value(r[2])
	}
}

// Receive implements [sim.Service].
func (a *Acceptor) Receive(env sim.Env, from sim.NodeID, msg any) {
	switch m := msg.(type) {
	case Read:
		if m.Ballot <= a.Promised {
			return
		}
		a.Promised = m.Ballot
		if !a.bugs.has(px2) {
			a.persist(env)
		}
		env.Send(from, ReadReply{a.Accepted, a.Value})
	case Write:
		if m.Ballot < a.Promised {
			return
		}
		a.Promised, a.Accepted, a.Value = m.Ballot, m.Ballot, m.Value
		a.persist(env)
		a.sizes.toLearners(env, Accept(m))
	}
}

func (a *Acceptor) persist(env sim.Env) {
	disk := env.Disk()
	disk.Put(record, []byte{byte(a.Promised), byte(a.Accepted), byte(a.Value)})
	disk.Sync()
}
