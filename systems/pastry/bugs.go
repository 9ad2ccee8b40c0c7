package pastry

import (
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// bugs is a set of defects, by their index in knownBugs.
type bugs uint8

const (
	p1 bugs = 1 << iota
	p2
	p3
	p4
	p5
)

// has reports whether any of the bugs in which is on.
func (b bugs) has(which bugs) bool { return b&which != 0 }

// knownBugs describes P1 to P5 of the MaceMC paper.
func knownBugs() []spec.Bug {
	return []spec.Bug{
		{
			ID:      "P1",
			Summary: "a node that forwards a join always requests the rows from row 1",
			Shows:   "more rows are requested than the send buffer holds: the joiner always gets the first ones, never the last",
			Fix:     "request the rows from the first one that the joiner still needs",
			Kind:    sim.Liveness, PaperKind: sim.Liveness, PaperProperty: EveryNodeJoined,
			Defaults: spec.Defaults{Nodes: 3},
		},
		{
			ID:      "P2",
			Summary: "nodes that were lost with their connection are never searched",
			Shows:   "both ends of a broken connection remove each other, and each forms a ring of its own",
			Fix:     "occasionally probe the nodes through which the node joined",
			Kind:    sim.Liveness, PaperKind: sim.Liveness, PaperProperty: OneRing,
			Defaults: spec.Defaults{Nodes: 2, Params: map[string]string{bitsParam: "32", leavesParam: "4"}, Limits: sim.Limits{sim.NetErrors: 1}},
		},
		{
			ID:      "P3",
			Summary: "comparisons of distances treat a difference above half the ring as an overflow",
			Shows:   "a nearer leaf is recorded as the furthest, so that the furthest is never replaced",
			Fix:     "compare distances as numbers",
			Kind:    sim.Safety, PaperKind: sim.Liveness, PaperProperty: Symmetric,
			Defaults: spec.Defaults{Nodes: 8, Params: map[string]string{bitsParam: "32", leavesParam: "4", saltParam: "1"}, WalkSteps: 1000},
		},
		{
			ID:      "P4",
			Summary: "a join is routed by a table that may hold the joiner",
			Shows:   "the join of a restarted node returns to it forever",
			Fix:     "never route a join to the joiner",
			Kind:    sim.Safety, PaperKind: sim.Liveness, PaperProperty: EveryNodeJoined,
			OtherKinds: []sim.FindingKind{sim.Liveness},
			Defaults: spec.Defaults{Nodes: 4, Params: map[string]string{bitsParam: "32", leavesParam: "2"},
				Limits: sim.Limits{sim.Crashes: 1}, Strategy: "faulty", Prefix: true},
		},
		{
			ID:      "P5",
			Summary: "a forwarded join waits at a node that has not joined itself",
			Shows:   "the joins of two restarted nodes are routed to each other",
			Fix:     "such a node has itself removed by nodes that take it for a member, and its join request removes hearsay about it",
			Kind:    sim.Liveness, PaperKind: sim.Liveness, PaperProperty: EveryNodeJoined,
			Defaults: spec.Defaults{Nodes: 5, Params: map[string]string{bitsParam: "32", leavesParam: "2", saltParam: "5"},
				Limits: sim.Limits{sim.Crashes: 2}, Strategy: "faulty", Prefix: true},
		},
	}
}
