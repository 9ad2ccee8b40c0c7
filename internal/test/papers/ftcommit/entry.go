package ftcommit

import (
	"fmt"

	"github.com/macemc/macemc/internal/test/papers/smr/group"
	"github.com/macemc/macemc/machine"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// Entry describes the system.
func Entry() spec.Entry {
	return spec.Entry{
		Name:    "ftcommit",
		Summary: "machines: atomic commit over replicated participants, or over single nodes as their abstraction",
		Notes: "The coordinators come first, then the participants: each a front, its replicas, and an injector of failures, if " +
			"there are any. The number of replicas\n" +
			"follows from the number of nodes. A single node leaves the other nodes of its participant idle.",
		Params: append([]spec.Param{
			{Name: "coordinators", Kind: spec.Int, Default: "2", Min: 1, Max: 3, Help: "number of coordinators"},
			{Name: "participants", Kind: spec.Int, Default: "2", Min: 1, Max: 3, Help: "number of participants"},
		}, group.Params("smr", "a participant")...),
		MinNodes: 8, MaxNodes: 16, DefaultNodes: 10,
		Bugs:     knownBugs(),
		Messages: machine.Events(append(group.Kinds(), coordinatorKind)...),
		Build: func(c spec.Config) (sim.System, error) {
			s := setting{coordinators: c.Int("coordinators"), participants: c.Int("participants"), bugs: spec.Bits[bugs](c.Bugs, knownBugs())}
			left := c.Nodes - s.coordinators
			s.group = group.Of(c, "smr", left/s.participants)
			if s.group.Replicas < 1 || left%s.participants != 0 {
				return sim.System{}, fmt.Errorf("%d nodes are not %d coordinators and %d participants of equal size, each at least a "+
					"front and a replica", c.Nodes, s.coordinators, s.participants)
			}
			return s.system(), nil
		},
	}
}

// bugs is a set of defects, by their index in knownBugs.
type bugs uint8

const (
	ft1 bugs = 1 << iota
	ft2
	ft3
)

func (b bugs) has(which bugs) bool { return b&which != 0 }

func knownBugs() []spec.Bug {
	return []spec.Bug{
		{
			ID: "FT1", Summary: "a coordinator decides as soon as one participant has voted",
			Shows: "a transaction is committed without agreement of all",
			Fix:   "wait for all", Kind: sim.Safety, PaperKind: sim.Safety, OtherKinds: []sim.FindingKind{sim.Deadlock, sim.Liveness},
		},
		{
			ID: "FT2", Summary: "a participant prepares although another transaction is prepared", Shows: "the other one can never end",
			Fix: "refuse", Kind: sim.Safety, PaperKind: sim.Safety,
		},
		{
			ID: "FT3", Summary: "participants that have agreed do not learn of an abort", Shows: "they stay prepared forever",
			Fix: "notify all that have agreed", Kind: sim.Deadlock, PaperKind: sim.Liveness, OtherKinds: []sim.FindingKind{sim.Liveness},
			PaperProperty: "every coordinator comes to an end",
		},
	}
}
