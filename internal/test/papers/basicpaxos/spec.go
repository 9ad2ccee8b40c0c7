package basicpaxos

import (
	"fmt"
	"slices"

	"github.com/macemc/macemc/internal/test/papers/smr"
	"github.com/macemc/macemc/machine"
	"github.com/macemc/macemc/sim"
)

// consensus is a monitor: all clients learn the same value, and it was proposed.
type consensus struct {
	Proposed []int
	Decided  int
}

var consensusKind = machine.Define[consensus]("consensus", machine.In("watching",
	machine.On(func(c *consensus, _ *machine.Ctx, p machine.Sent[Propose]) {
		c.Proposed = with(c.Proposed, p.Event.Value)
		slices.Sort(c.Proposed)
	}),
	machine.On(func(c *consensus, x *machine.Ctx, d machine.Sent[Decided]) {
		x.Assert(slices.Contains(c.Proposed, d.Event.Value), "%d is decided, and %v were proposed", d.Event.Value, c.Proposed)
		x.Assert(c.Decided == 0 || c.Decided == d.Event.Value, "%d is decided after %d", d.Event.Value, c.Decided)
		c.Decided = d.Event.Value
	})))

// setting has the parameters.
type setting struct {
	clients, acceptors, ballots, failures int
	abstract                              bool
	bugs                                  bugs
}

func (s setting) proposer(i int) machine.ID { return machine.ID(s.clients + i) }
func (s setting) acceptor(i int) machine.ID { return machine.ID(2*s.clients + i) }

// others returns the number of nodes other than acceptors.
func (s setting) others() int {
	if s.failures == 0 {
		return 2 * s.clients
	}
	return 2*s.clients + 1
}

// machines adds the clients, their proposers, the acceptors, and the injector of failures.
func (s setting) machines(abstract bool) *machine.System {
	ms := &machine.System{}
	var proposers, acceptors []machine.ID
	for i := range s.clients {
		ms.Add(clientKind, Client{s.proposer(i), i + 1})
		proposers = with(proposers, s.proposer(i))
	}
	for i := range s.acceptors {
		acceptors = with(acceptors, s.acceptor(i))
	}
	kind := proposerKind
	if s.bugs.has(bp6) {
		kind = surprisedKind
	}
	for i := range proposers {
		// so that no two have the same ballot
		ms.Add(kind, Proposer{Acceptors: acceptors, Client: machine.ID(i), Ballot: i + 1 - s.clients, Step: s.clients, Left: s.ballots,
			Bugs: s.bugs})
	}
	for range acceptors {
		ms.Add(acceptorKind, Acceptor{Learners: proposers, Bugs: s.bugs})
	}
	if s.failures > 0 {
		ms.Add(smr.InjectorKind, smr.Injector{Victims: acceptors, Left: min(s.failures, (s.acceptors-1)/2)})
	}
	if abstract {
		machine.Replace(ms, kind, proposerAbsKind, func(Proposer) ProposerAbs { return ProposerAbs{s.acceptor(0)} })
		machine.Replace(ms, acceptorKind, registerKind, func(Acceptor) Register { return Register{} })
	}
	ms.Monitor(consensusKind, consensus{})
	machine.EachAnswered(ms, "each is told", func(p Propose) machine.ID { return p.Client }, func(d Decided) machine.ID { return d.Client })
	return ms
}

func (s setting) system() sim.System {
	sys := s.machines(s.abstract).Sim("basicpaxos")
	sys.Properties = []sim.Property{{Name: "all are told", Eventually: func(v *sim.View) bool {
		for i := range s.clients {
			if machine.StateOf(v, machine.ID(i)) != told {
				return false
			}
		}
		return true
	}}}
	if !s.abstract {
		sys.Properties = append(sys.Properties, sim.Property{Name: "what is decided stays", Always: s.stays, Explain: s.votes})
	}
	var clients []sim.NodeID
	for i := range s.clients {
		clients = append(clients, sim.NodeID(i))
	}
	sys.Abstractions = []sim.Abstraction{{
		Name: fmt.Sprintf("a register that is written once, among %d clients", s.clients), Used: s.abstract, Clients: clients,
		Impl: func() sim.System { return s.machines(false).Sim("basicpaxos") },
		Abs:  func() sim.System { return s.machines(true).Sim("a register") },
	}}
	return sys
}

// stays is Lamport's P2b, restricted to acceptors that are up: higher ballots have the decided value.
func (s setting) stays(v *sim.View) bool {
	up := smr.Up[Acceptor](v, s.acceptor(0), s.acceptors)
	for _, a := range up {
		have, differs := 0, false
		for _, o := range up {
			if o.Accepted == a.Accepted {
				have++
			}
			differs = differs || o.Accepted.Ballot > a.Accepted.Ballot && o.Accepted.Value != a.Accepted.Value
		}
		if a.Accepted.Ballot > 0 && differs && 2*have > s.acceptors {
			return false
		}
	}
	return true
}

func (s setting) votes(v *sim.View) string {
	text := ""
	for _, a := range smr.Up[Acceptor](v, s.acceptor(0), s.acceptors) {
		text += fmt.Sprintf("%d by ballot %d; ", a.Accepted.Value, a.Accepted.Ballot)
	}
	return text
}
