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
			Summary: "a joiner handles its own join like that of another node",
			Shows:   "it takes itself as a child",
			Fix:     "pass the own join on to the asked node",
			Kind:    sim.Safety, PaperKind: sim.Safety, PaperProperty: NoSelfLoop,
			Defaults: spec.Defaults{Nodes: 3},
		},
		{
			ID:      "BT2",
			Summary: "a node takes a child that it has itself asked to be its parent",
			Shows:   "siblings that reorganize take each other: a loop",
			Fix:     "refuse it, which suffices for three nodes but not for four; nothing in the protocol suffices",
			Kind:    sim.Safety, PaperKind: sim.Safety, PaperProperty: NoLoop,
			Defaults: spec.Defaults{Nodes: 3, Params: map[string]string{noLoopParam: "true"}},
		},
	}
}
