package brokentree

import (
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// bugs is a set of defects, by their index in knownBugs.
type bugs uint8

const (
	bt1 bugs = 1 << iota
	bt2
)

// has reports whether any of the bugs in which is on.
func (b bugs) has(which bugs) bool { return b&which != 0 }

// knownBugs describes BT1 and BT2 of the MaceMC paper.
func knownBugs() []spec.Bug {
	return []spec.Bug{
		{
			ID:      "BT1",
			Summary: "a joiner has its say on its own join as if it were somebody else's",
			Shows:   "it takes itself as a child",
			Fix:     "send one's own join on to the node that is asked",
			Kind:    sim.Safety, PaperKind: sim.Safety, PaperProperty: NoSelfLoop,
			Defaults: spec.Defaults{Nodes: 3},
		},
		{
			ID:      "BT2",
			Summary: "a node takes another as a child that it has itself asked to be taken by",
			Shows:   "siblings that are told to reorganise take each other: a loop",
			Fix:     "refuse it, which is enough for three nodes and not for four; nothing that the protocol has is enough",
			Kind:    sim.Safety, PaperKind: sim.Safety, PaperProperty: NoLoop,
			Defaults: spec.Defaults{Nodes: 3, Params: map[string]string{noLoopParam: "true"}},
		},
	}
}
