package synod

import (
	"fmt"

	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// Entry describes the system.
func Entry() spec.Entry {
	return spec.Entry{
		Name:    "synod",
		Summary: "Paxos as in the papers on reduction, with a larger state graph than paxos",
		Notes: "The parameters determine the number of nodes; a number of nodes alone determines that of proposers.\n" +
			"Every proposer proposes once. Messages are counted regardless of the sender: duplicated datagrams (--dup)\n" +
			"break agreement.",
		Params: []spec.Param{
			{Name: "proposers", Kind: spec.Int, Default: "2", Min: 1, Max: 4, Help: "number of proposers"},
			{Name: "acceptors", Kind: spec.Int, Default: "3", Min: 3, Max: 7, Help: "number of acceptors"},
			{Name: "learners", Kind: spec.Int, Default: "1", Min: 1, Max: 3, Help: "number of learners"},
			{Name: "quorum", Kind: spec.Bool, Default: "false", Help: "take sets of messages at once instead of counting them"},
		},
		MinNodes: 5, MaxNodes: 14, DefaultNodes: 6,
		Bugs:     knownBugs(),
		Messages: []any{Read{}, ReadReply{}, Write{}, Accept{}},
		Build:    build,
	}
}

func build(c spec.Config) (sim.System, error) {
	s := &sizes{c.Int("proposers"), c.Int("acceptors"), c.Int("learners")}
	if c.NodesGiven() && !c.Given("proposers") {
		s.proposers = max(1, c.Nodes-s.acceptors-s.learners)
	}
	nodes := s.proposers + s.acceptors + s.learners
	if c.NodesGiven() && c.Nodes != nodes {
		return sim.System{}, fmt.Errorf("%d proposers, %d acceptors and %d learners are %d nodes, not %d: leave the number of nodes out",
			s.proposers, s.acceptors, s.learners, nodes, c.Nodes)
	}
	set := spec.Bits[bugs](c.Bugs, knownBugs())
	sys := sim.System{
		Nodes: nodes,
		New: func(id sim.NodeID) sim.Service {
			switch i := int(id); {
			case i < s.proposers:
				return &Proposer{own: i + 1, sizes: s}
			case i < s.proposers+s.acceptors:
				return &Acceptor{sizes: s, bugs: set}
			}
			return &Learner{Accepts: make([]int, s.proposers+1), Chosen: make([]bool, s.proposers+1), sizes: s, bugs: set}
		},
		Roles: func(id sim.NodeID) string {
			switch i := int(id); {
			case i < s.proposers:
				return "" // each has a ballot of its own
			case i < s.proposers+s.acceptors:
				return "acceptor"
			}
			return "learner"
		},
		Network:    netsim.Datagrams{},
		Actions:    []sim.AnyAction{sim.Action[*Proposer]{Name: "propose", Times: 1, Do: (*Proposer).Propose}},
		Properties: properties(),
	}
	if c.Bool("quorum") {
		sys.Quorums = quorums(set)
	}
	return sys, nil
}

// sizes has the number of nodes of each role, in the order of their nodes.
type sizes struct{ proposers, acceptors, learners int }

func (s *sizes) majority() int { return s.acceptors/2 + 1 }

func (s *sizes) toAcceptors(env sim.Env, msg any) {
	for i := range s.acceptors {
		env.Send(sim.NodeID(s.proposers+i), msg)
	}
}

func (s *sizes) toLearners(env sim.Env, msg any) {
	for i := range s.learners {
		env.Send(sim.NodeID(s.proposers+s.acceptors+i), msg)
	}
}

// bugs is a set of defects, by their index in knownBugs.
type bugs uint8

const (
	sy1 bugs = 1 << iota
	sy2
)

func (b bugs) has(which bugs) bool { return b&which != 0 }

func knownBugs() []spec.Bug {
	return []spec.Bug{
		{
			ID:      "SY1",
			Summary: "Faulty Paxos: a learner does not compare what acceptors have accepted",
			Shows:   "accepts of different ballots form a majority, and later those of another value",
			Fix:     "count for each ballot",
			Kind:    sim.Safety, PaperKind: sim.Safety, PaperProperty: Agreement,
		},
		{
			ID:      "SY2",
			Summary: "Faulty Paxos 2: an acceptor accepts below its promise",
			Shows:   "the value of an outdated proposer is chosen after another one",
			Fix:     "compare the ballot with the promise",
			Kind:    sim.Safety, PaperKind: sim.Safety, PaperProperty: Agreement,
			Defaults: spec.Defaults{Params: map[string]string{"learners": "2"}},
		},
	}
}
