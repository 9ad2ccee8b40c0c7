package chain

import (
	"fmt"

	"github.com/macemc/macemc/internal/test/papers/smr"
	"github.com/macemc/macemc/machine"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// Kinds returns the kinds of machines of a chain.
func Kinds() []*machine.Kind { return []*machine.Kind{frontKind, replicaKind, smr.InjectorKind} }

// Entry describes the system.
func Entry() spec.Entry {
	return spec.Entry{
		Name:     "chain",
		Summary:  "machines: chain replication of a counter, with replicas that fail, and a single node as its abstraction",
		Notes:    "The clients come first, then the front, the replicas from the head on, and an injector of failures, if there are any.",
		Params:   smr.Params("chain", "2", "1"),
		MinNodes: 5, MaxNodes: 9, DefaultNodes: 7,
		Bugs:     knownBugs(),
		Messages: machine.Events(append(Kinds(), smr.ClientKind, smr.SingleKind)...),
		LimitsOf: func(c spec.Config) sim.Limits { return sim.Limits{sim.Halts: of(c).halts()} },
		Build: func(c spec.Config) (sim.System, error) {
			s := of(c)
			if s.replicas < 1 {
				return sim.System{}, fmt.Errorf("%d nodes are too few for %d clients, a front, a replica and an injector", c.Nodes, s.Clients)
			}
			return s.system(), s.Check()
		},
	}
}

func of(c spec.Config) setting {
	s := setting{Setting: smr.Of(c), bugs: spec.Bits[bugs](c.Bugs, knownBugs())}
	s.replicas = c.Nodes - s.nodes()
	return s
}

// bugs is a set of defects, by their index in knownBugs.
type bugs uint8

const (
	cr1 bugs = 1 << iota
	cr2
	cr3
	cr4
	cr5
	cr6
	cr7
	cr8
)

func (b bugs) has(which bugs) bool { return b&which != 0 }

func knownBugs() []spec.Bug {
	unanswered := func(id, summary, fix string) spec.Bug {
		return spec.Bug{
			ID: id, Summary: summary, Shows: "a command is never answered", Fix: fix, Kind: sim.Deadlock, PaperKind: sim.Liveness,
			OtherKinds: []sim.FindingKind{sim.Starvation, sim.Liveness}, PaperProperty: "every client comes to an end",
		}
	}
	safety := func(id, summary, shows, fix string) spec.Bug {
		return spec.Bug{ID: id, Summary: summary, Shows: shows, Fix: fix, Kind: sim.Safety, PaperKind: sim.Safety}
	}
	gap := safety("CR2", "a replica omits the first command that a new neighbor lacks",
		"the neighbor gets a command that is not the next", "begin with the first that it lacks")
	gap.OtherKinds = []sim.FindingKind{sim.Deadlock, sim.Starvation, sim.Liveness}
	early := safety("CR7", "the front passes information for a former predecessor on to the current one",
		"commands pass a replica that does not know its predecessor", "compare the predecessor")
	early.Defaults.Params = map[string]string{"clients": "1", "requests": "2", "failures": "2"}
	early.Defaults.Nodes = 7
	lost := unanswered("CR8", "a new tail does not answer commands that the crashed one executed without answering",
		"answer everything that the front has not passed on")
	lost.Defaults.Limits[sim.Halts] = 1
	lost.Defaults.Params = map[string]string{"fail": "crash"}
	return []spec.Bug{
		unanswered("CR1", "a replica uses its predecessor as its new successor", "take the new one"),
		gap,
		unanswered("CR3", "a new tail does not answer commands that the old one may not have answered",
			"answer everything that was not acknowledged"),
		safety("CR4", "the head answers before the tail has the command", "an answered command is lost when the head fails",
			"let the tail answer"),
		safety("CR5", "a new head does not check whether it already has a repeated command", "it is executed twice", "compare with the history"),
		unanswered("CR6", "the front does not repeat unanswered commands to a new head", "ask again"),
		early,
		lost,
	}
}
