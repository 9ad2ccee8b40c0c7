package knowncounts

import "github.com/macemc/macemc/sim"

type (
	ballot struct {
		Round int
		By    sim.NodeID
	}
	proposal struct {
		ID    int // 0 for none
		For   sim.NodeID
		Value byte
	}
	accepted struct { // the zero value means nothing
		Ballot   ballot
		Proposal proposal
	}
	prepare  struct{ Ballot ballot }
	promised struct {
		Ballot ballot
		Last   accepted
	}
	accept  accepted
	accepts struct{ Ballot ballot }
	decided accepted
)

func (b ballot) less(c ballot) bool { return b.Round < c.Round || b.Round == c.Round && b.By < c.By }

const paxosServers = 3

// paxosServer is proposer, acceptor and learner.
type paxosServer struct {
	sim.Nop
	Ballot   ballot
	Proposal proposal
	Prepares map[sim.NodeID]accepted
	Accepts  map[sim.NodeID]bool
	Accepted accepted
	Decided  bool
}

func (s *paxosServer) broadcast(env sim.Env, msg any) {
	for id := range sim.NodeID(paxosServers) {
		if id != env.Self() {
			env.Send(id, msg)
		}
	}
}

func (s *paxosServer) Receive(env sim.Env, from sim.NodeID, msg any) {
	if s.Decided {
		if m, ok := msg.(get); ok {
			env.Send(from, getOK{m.ID, s.Accepted.Proposal.Value})
		}
		return
	}
	switch m := msg.(type) {
	case put:
		if s.Proposal.ID != 0 {
			return
		}
		s.Proposal = proposal{m.ID, from, m.Value}
		s.Ballot = ballot{s.Ballot.Round + 1, env.Self()}
		s.Prepares, s.Accepts = map[sim.NodeID]accepted{env.Self(): s.Accepted}, map[sim.NodeID]bool{}
		s.broadcast(env, prepare{s.Ballot})
	case prepare:
		if s.Ballot.less(m.Ballot) {
			s.Ballot = m.Ballot
			env.Send(from, promised{m.Ballot, s.Accepted})
		}
	case promised:
		if m.Ballot != s.Ballot {
			return
		}
		s.Prepares[from] = m.Last
		if len(s.Prepares) != paxosServers/2+1 {
			return
		}
		var last accepted
		for id := range sim.NodeID(paxosServers) {
			if a := s.Prepares[id]; last.Ballot.less(a.Ballot) {
				last = a
			}
		}
		if last.Proposal.ID != 0 {
			s.Proposal = last.Proposal
		}
		s.Accepted = accepted{m.Ballot, s.Proposal}
		s.Accepts[env.Self()] = true
		s.broadcast(env, accept(s.Accepted))
	case accept:
		if !m.Ballot.less(s.Ballot) {
			s.Ballot, s.Accepted = m.Ballot, accepted(m)
			env.Send(from, accepts{m.Ballot})
		}
	case accepts:
		if m.Ballot != s.Ballot {
			return
		}
		s.Accepts[from] = true
		if len(s.Accepts) == paxosServers/2+1 {
			s.Decided = true
			s.broadcast(env, decided{m.Ballot, s.Proposal})
			env.Send(s.Proposal.For, putOK{s.Proposal.ID})
		}
	case decided:
		s.Ballot, s.Accepted, s.Decided = m.Ballot, accepted(m), true
	}
}

func paxos() System {
	return System{
		Name: "Paxos, 3 servers, 2 clients", Source: stateright + "paxos.rs: 16,668", States: 301_099, Transitions: 1_372_702, Differs: drops,
		System: registerSystem(paxosServers, func() sim.Service { return &paxosServer{} }),
	}
}
