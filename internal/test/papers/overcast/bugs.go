package overcast

import (
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// bugs is a set of defects, by their index in knownBugs.
type bugs uint8

const ov1 bugs = 1 << iota

// has reports whether any of the bugs in which is on.
func (b bugs) has(which bugs) bool { return b&which != 0 }

// knownBugs describes OV1 of the MaceMC paper.
func knownBugs() []spec.Bug {
	return []spec.Bug{{
		ID:      "OV1",
		Summary: "the lock of a probe has no time limit and outlives its holder, and an unlock that the transport refuses is lost",
		Shows:   "a node that is locked forever takes no joiner: no spanning tree",
		Fix:     "a lease that ends by a timer, release on an error of the connection, and unlocks sent when there is room",
		Kind:    sim.Liveness, PaperKind: sim.Liveness, PaperProperty: SpanningTree,
		Defaults: spec.Defaults{Nodes: 3, Limits: sim.Limits{sim.Crashes: 1, sim.NetErrors: 1}},
	}}
}
