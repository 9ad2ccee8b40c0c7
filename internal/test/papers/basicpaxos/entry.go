package basicpaxos

import (
	"fmt"

	"github.com/macemc/macemc/machine"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// Entry describes the system.
func Entry() spec.Entry {
	return spec.Entry{
		Name:    "basicpaxos",
		Summary: "machines: single-decision Paxos, and a register as its abstraction",
		Notes:   "The clients come first, then a proposer for each, the acceptors, and an injector of failures, if there are any.",
		Params: []spec.Param{
			{Name: "clients", Kind: spec.Int, Default: "2", Min: 1, Max: 3, Help: "number of clients, each with a value"},
			{Name: "ballots", Kind: spec.Int, Default: "1", Min: 1, Max: 4, Help: "number of attempts of each proposer"},
			{Name: "failures", Kind: spec.Int, Default: "0", Min: 0, Max: 3, Help: "number of acceptors that fail, less than half"},
			{Name: "part", Kind: spec.OneOf, Values: []string{"implementation", "abstraction"}, Default: "implementation",
				Help: "how the value is decided"},
		},
		MinNodes: 5, MaxNodes: 12, DefaultNodes: 7,
		Bugs:     knownBugs(),
		Messages: machine.Events(clientKind, proposerKind, acceptorKind, registerKind),
		Build: func(c spec.Config) (sim.System, error) {
			s := setting{
				clients: c.Int("clients"), ballots: c.Int("ballots"), failures: c.Int("failures"), abstract: c.Text("part") == "abstraction",
				bugs: spec.Bits[bugs](c.Bugs, knownBugs()),
			}
			if s.acceptors = c.Nodes - s.others(); s.acceptors < 1 {
				return sim.System{}, fmt.Errorf("%d nodes are too few for %d clients, their proposers, an acceptor and an injector", c.Nodes, s.clients)
			}
			return s.system(), nil
		},
	}
}

// bugs is a set of defects, by their index in knownBugs.
type bugs uint8

const (
	bp1 bugs = 1 << iota
	bp2
	bp3
	bp4
	bp5
	bp6
)

func (b bugs) has(which bugs) bool { return b&which != 0 }

func knownBugs() []spec.Bug {
	const other = "another value is accepted after one was decided"
	safety := func(id, summary, shows, fix string) spec.Bug {
		return spec.Bug{ID: id, Summary: summary, Shows: shows, Fix: fix, Kind: sim.Safety, PaperKind: sim.Safety}
	}
	first := safety("BP2", "a proposer adopts the first value that it learns, whatever its ballot", other,
		"adopt the value of the highest ballot")
	first.Defaults.Params = map[string]string{"ballots": "2"}
	return []spec.Bug{
		safety("BP1", "a proposer proposes its own value although acceptors have accepted another one", other, "adopt theirs"),
		first,
		safety("BP3", "an acceptor accepts below its promise", other, "ignore lower ballots"),
		safety("BP4", "one acceptor of three counts as a majority", other, "count one more"),
		safety("BP5", "votes under different ballots are counted together", "clients learn different values", "compare the votes"),
		safety("BP6", "a proposer has no rule for promises that it needs no more", "it gets an unhandled promise", "ignore it"),
	}
}
