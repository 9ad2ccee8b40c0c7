package table_test

import (
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// Single-decree Paxos with handlers that count single messages. Node 0 to proposers-1 propose once
// each, with a ballot of their own; then come three acceptors and a learner.

const acceptors = 3

type (
	readMsg struct{ Ballot int }
	readOK  struct{ Ballot, Accepted, Value int }
	write   struct{ Ballot, Value int }
	accept  struct{ Ballot, Value int }
)

type proposer struct {
	sim.Nop
	Phase         int // 0: not started, 1: reads, 2: has written
	Count         int // of replies
	Highest       int // accepted ballot seen
	Value         int
	self, members int
}

func (p *proposer) Start(env sim.Env) {
	p.Phase = 1
	for a := range acceptors {
		env.Send(sim.NodeID(p.members+a), readMsg{p.self + 1})
	}
}

func (p *proposer) Receive(env sim.Env, _ sim.NodeID, msg any) {
	m := msg.(readOK)
	if p.Phase != 1 {
		return
	}
	p.Count++
	if m.Accepted > p.Highest {
		p.Highest, p.Value = m.Accepted, m.Value
	}
	if p.Count <= acceptors/2 {
		return
	}
	w := write{p.self + 1, p.self + 1}
	if p.Highest > 0 {
		w.Value = p.Value
	}
	p.Phase, p.Count, p.Highest, p.Value = 2, 0, 0, 0
	for a := range acceptors {
		env.Send(sim.NodeID(p.members+a), w)
	}
}

type acceptor struct {
	sim.Nop
	Promised, Accepted, Value int
}

func (a *acceptor) Receive(env sim.Env, from sim.NodeID, msg any) {
	switch m := msg.(type) {
	case readMsg:
		if m.Ballot > a.Promised {
			a.Promised = m.Ballot
			env.Send(from, readOK{m.Ballot, a.Accepted, a.Value})
		}
	case write:
		if m.Ballot >= a.Promised {
			a.Promised, a.Accepted, a.Value = m.Ballot, m.Ballot, m.Value
			env.Send(sim.NodeID(env.Nodes()-1), accept{m.Ballot, m.Value})
			env.Announce(accept{m.Ballot, m.Value})
		}
	}
}

type learner struct {
	sim.Nop
	Counts [4][4]int // by ballot and value
}

func (l *learner) Receive(_ sim.Env, _ sim.NodeID, msg any) {
	m := msg.(accept)
	l.Counts[m.Ballot][m.Value]++
}

// counter counts announcements.
type counter struct{ N int }

func (c *counter) Observe(sim.NodeID, any) error { c.N++; return nil }

func countedPaxos(proposers int) *sim.System {
	sys := paxos(proposers)
	sys.Monitors = []func() sim.Monitor{func() sim.Monitor { return &counter{} }}
	return sys
}

func paxos(proposers int) *sim.System {
	return &sim.System{
		Name:  "paxos",
		Nodes: proposers + acceptors + 1,
		New: func(id sim.NodeID) sim.Service {
			switch n := int(id); {
			case n < proposers:
				return &proposer{self: n, members: proposers}
			case n < proposers+acceptors:
				return &acceptor{}
			}
			return &learner{}
		},
		Network: netsim.Datagrams{},
		Actions: []sim.AnyAction{sim.Action[*proposer]{Name: "start", When: func(p *proposer) bool { return p.Phase == 0 }, Do: (*proposer).Start}},
		Properties: []sim.Property{{Name: "one value is chosen", Always: sim.Each(func(_ sim.NodeID, l *learner) bool {
			chosen := 0
			for _, byValue := range l.Counts {
				for value, n := range byValue {
					if n > acceptors/2 {
						if chosen != 0 && chosen != value {
							return false
						}
						chosen = value
					}
				}
			}
			return true
		})}},
	}
}
