package election

import (
	"github.com/macemc/macemc/internal/test/papers/smr"
	"github.com/macemc/macemc/machine"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// Entry describes the system.
func Entry() spec.Entry {
	return spec.Entry{
		Name:    "election",
		Summary: "machines: the highest node that is up is elected; the abstraction follows arbitrary nodes",
		Notes:   "The client comes first, then the nodes, the highest last, and the injector of failures.",
		Params: []spec.Param{
			{Name: "failures", Kind: spec.Int, Default: "1", Min: 0, Max: 4, Help: "number of nodes that fail, at most all but one"},
			{Name: "part", Kind: spec.OneOf, Values: []string{"implementation", "abstraction"}, Default: "implementation",
				Help: "implementation of the election"},
		},
		MinNodes: 4, MaxNodes: 9, DefaultNodes: 5,
		Bugs:     knownBugs(),
		Messages: machine.Events(clientKind, nodeKind, smr.InjectorKind),
		Build: func(c spec.Config) (sim.System, error) {
			return setting{
				nodes: c.Nodes - 2, failures: c.Int("failures"), abstract: c.Text("part") == "abstraction", bugs: spec.Bits[bugs](c.Bugs, knownBugs()),
			}.system(), nil
		},
	}
}

// bugs is a set of defects, by their index in knownBugs.
type bugs uint8

const (
	le1 bugs = 1 << iota
	le2
	le3
	le4
	le5
)

func (b bugs) has(which bugs) bool { return b&which != 0 }

func knownBugs() []spec.Bug {
	twice := func(b spec.Bug) spec.Bug {
		b.Defaults.Params = map[string]string{"failures": "2"}
		return b
	}
	unhandled := func(id, summary string) spec.Bug {
		return spec.Bug{ID: id, Summary: summary, Shows: "an event is unhandled", Fix: "handle it", Kind: sim.Safety, PaperKind: sim.Safety}
	}
	leaderless := func(id, summary, fix string) spec.Bug {
		return spec.Bug{
			ID: id, Summary: summary, Shows: "not all nodes follow the same leader in the end", Fix: fix, Kind: sim.Starvation,
			PaperKind: sim.Starvation, PaperProperty: "all follow the highest",
		}
	}
	late := unhandled("LE2", "a follower has no rule for a late answer")
	late.Defaults.Nodes = 6
	return []spec.Bug{
		unhandled("LE1", "a leader has no rule for an election"),
		late,
		twice(leaderless("LE3", "a node that waits for higher ones does not lead when they have failed", "check at each failure")),
		leaderless("LE4", "a new leader does not notify the others", "notify them"),
		{
			ID: "LE5", Summary: "a node leads without asking higher ones", Shows: "two lead at once", Fix: "ask them",
			Kind: sim.Safety, PaperKind: sim.Safety,
		},
	}
}
