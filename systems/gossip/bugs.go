package gossip

import (
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// bugs is a set of defects, by their index in knownBugs.
type bugs uint8

const (
	gs1 bugs = 1 << iota
	gs2
	gs3
	gs4
)

// has reports whether any of the bugs in which is on.
func (b bugs) has(which bugs) bool { return b&which != 0 }

// knownBugs describes the bugs.
func knownBugs() []spec.Bug {
	return []spec.Bug{
		{
			ID:      "GS1",
			Summary: "a node refutes a suspicion with the suspected incarnation",
			Shows:   "nodes that know the suspicion ignore the refutation, because it is better news, and declare a live node dead forever",
			Fix:     "the node refutes with the next incarnation",
			Kind:    sim.Safety, PaperKind: sim.Safety, PaperProperty: NoFalseDeath,
			OtherKinds: []sim.FindingKind{sim.Liveness},
			Defaults:   spec.Defaults{Limits: sim.Limits{sim.Loss: 2}},
		},
		{
			ID:      "GS2",
			Summary: "the timer of a suspicion continues after the refutation",
			Shows:   "a node that has refuted is declared dead",
			Fix:     "a refutation stops the timer",
			Kind:    sim.Safety, PaperKind: sim.Safety, PaperProperty: NoFalseDeath,
			Defaults: spec.Defaults{Limits: sim.Limits{sim.Loss: 2}},
		},
		{
			ID:      "GS3",
			Summary: "a node that pings another on behalf of a third does not pass on the answer",
			Shows:   "after a single lost message a live node is suspected, or dead if there are no suspicions",
			Fix:     "pass the answer on to the node that requested it",
			Kind:    sim.Safety, PaperKind: sim.Safety, PaperProperty: NoFalseDeath,
			Defaults: spec.Defaults{Params: map[string]string{suspicionParam: "0"}, Limits: sim.Limits{sim.Loss: 1}},
		},
		{
			ID:      "GS4",
			Summary: "the incarnation of a refutation is not written to the disk",
			Shows:   "a node that crashes later comes back in an incarnation that others know to be dead",
			Fix:     "write an incarnation to the disk before it is sent",
			Kind:    sim.Safety, PaperKind: sim.Safety, PaperProperty: NoFalseDeath,
			Defaults: spec.Defaults{Nodes: 2, Limits: sim.Limits{sim.Crashes: 1, sim.Loss: 1}},
		},
	}
}
