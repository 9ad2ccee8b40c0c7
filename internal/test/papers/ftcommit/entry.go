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
		Summary: "machines: atomic commit over replicated participants, or over single nodes that stand for them",
		Notes: "The coordinators come first, then the participants: each a front, its replicas, and what has them fail, if any do. How many replicas there are\n" +
			"follows from the number of nodes. Single nodes take one place each; the rest does nothing then.",
		Params: append([]spec.Param{
			{Name: "coordinators", Kind: spec.Int, Default: "2", Min: 1, Max: 3, Help: "how many coordinators there are"},
			{Name: "participants", Kind: spec.Int, Default: "2", Min: 1, Max: 3, Help: "how many participants there are"},
		}, group.Params("smr", "a participant")...),
		MinNodes: 8, MaxNodes: 16, DefaultNodes: 10,
		Bugs:     knownBugs(),
		Messages: machine.Events(append(group.Kinds(), coordinatorKind)...),
		Build: func(c spec.Config) (sim.System, error) {
			s := setting{coordinators: c.Int("coordinators"), participants: c.Int("participants"), bugs: spec.Bits[bugs](c.Bugs, knownBugs())}
			left := c.Nodes - s.coordinators
			s.group = group.Of(c, "smr", left/s.participants)
			if s.group.Replicas < 1 || left%s.participants != 0 {
				return sim.System{}, fmt.Errorf("%d nodes are not %d coordinators and %d participants of equally many nodes, a front and a replica at least",
					c.Nodes, s.coordinators, s.participants)
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
			ID: "FT1", Summary: "a coordinator decides as soon as one participant has voted", Shows: "a transaction is committed that not all have agreed to",
			Fix: "wait for all", Kind: sim.Safety, PaperKind: sim.Safety, OtherKinds: []sim.FindingKind{sim.Deadlock, sim.Liveness},
		},
		{
			ID: "FT2", Summary: "a participant prepares though another transaction is prepared", Shows: "the other one cannot be ended any more",
			Fix: "refuse", Kind: sim.Safety, PaperKind: sim.Safety,
		},
		{
			ID: "FT3", Summary: "who has agreed to what is aborted is not told", Shows: "it stays prepared forever",
			Fix: "tell all that have agreed", Kind: sim.Deadlock, PaperKind: sim.Liveness, OtherKinds: []sim.FindingKind{sim.Liveness},
			PaperProperty: "every coordinator comes to an end",
		},
	}
}
