package paxos

import (
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// Names of the parameters.
const (
	proposersParam = "proposers"
	acceptorsParam = "acceptors"
	learnersParam  = "learners"
)

// Entry describes the system.
func Entry() spec.Entry {
	return spec.Entry{
		Name:    "paxos",
		Summary: "single-decree Paxos: proposers, acceptors and learners agree on one value",
		Notes: "The parameters determine the number of nodes; a number of nodes alone determines that of proposers.\n" +
			"Every proposer proposes once. Replies and accepts are counted regardless of sender: duplicated datagrams\n" +
			"(--dup) break agreement.",
		Params: []spec.Param{
			{Name: proposersParam, Kind: spec.Int, Default: "2", Min: 1, Max: maxProposers,
				Help: "number of proposers"},
			{Name: acceptorsParam, Kind: spec.Int, Default: "3", Min: minAcceptors, Max: maxAcceptors,
				Help: "number of acceptors"},
			{Name: learnersParam, Kind: spec.Int, Default: "1", Min: 1, Max: maxLearners,
				Help: "number of learners"},
		},
		MinNodes: minNodes, MaxNodes: maxNodes, DefaultNodes: defaultNodes,
		Bugs:     knownBugs(),
		Messages: []any{Read{}, ReadReply{}, Write{}, Accept{}},
		Build:    build,
	}
}

func build(c spec.Config) (sim.System, error) {
	sizes, err := sizesOf(c)
	if err != nil {
		return sim.System{}, err
	}
	set := spec.Bits[bugs](c.Bugs, knownBugs())
	return sim.System{
		Nodes: sizes.Nodes(),
		New: func(id sim.NodeID) sim.Service {
			switch i := int(id); {
			case i < sizes.Proposers:
				return &Proposer{own: Ballot(i + 1), sizes: sizes, bugs: set}
			case i < sizes.Proposers+sizes.Acceptors:
				return &Acceptor{sizes: sizes, bugs: set}
			default:
				return &Learner{Tallies: make([]Tally, sizes.Proposers), sizes: sizes, bugs: set}
			}
		},
		Roles: func(id sim.NodeID) string {
			switch i := int(id); {
			case i < sizes.Proposers:
				return "" // each has a ballot of its own
			case i < sizes.Proposers+sizes.Acceptors:
				return "acceptor"
			}
			return "learner"
		},
		Network:    netsim.Datagrams{},
		Actions:    []sim.AnyAction{sim.Action[*Proposer]{Name: "propose", Times: 1, Do: (*Proposer).Propose}},
		Properties: properties(),
	}, nil
}
