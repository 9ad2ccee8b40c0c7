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
			Summary: "a node that passes a join on always asks for the rows from row 1",
			Shows:   "more rows are wanted than the send buffer holds: the joiner gets the first ones again and again, never the last",
			Fix:     "ask for the rows from the one that the joiner still needs",
			Kind:    sim.Liveness, PaperKind: sim.Liveness, PaperProperty: EveryNodeJoined,
			Defaults: spec.Defaults{Nodes: 3},
		},
		{
			ID:      "P2",
			Summary: "nobody looks for nodes that were lost with their connection",
			Shows:   "both ends of a broken connection forget each other, and each is a ring of its own",
			Fix:     "probe the nodes that one has joined by now and then",
			Kind:    sim.Liveness, PaperKind: sim.Liveness, PaperProperty: OneRing,
			Defaults: spec.Defaults{Nodes: 2, Params: map[string]string{bitsParam: "32", leavesParam: "4"}, Limits: sim.Limits{sim.NetErrors: 1}},
		},
		{
			ID:      "P3",
			Summary: "when distances are compared, a difference above half the ring is taken for an overflow",
			Shows:   "a nearer leaf is recorded as the furthest, so that the furthest is never replaced",
			Fix:     "compare distances as numbers",
			Kind:    sim.Safety, PaperKind: sim.Liveness, PaperProperty: Symmetric,
			Defaults: spec.Defaults{Nodes: 8, Params: map[string]string{bitsParam: "32", leavesParam: "4", saltParam: "1"}, WalkSteps: 1000},
		},
		{
			ID:      "P4",
			Summary: "a join is routed by a table that may hold the joiner",
			Shows:   "the join of a node that has restarted comes back to it forever",
			Fix:     "never route a join to the joiner",
			Kind:    sim.Safety, PaperKind: sim.Liveness, PaperProperty: EveryNodeJoined,
			OtherKinds: []sim.FindingKind{sim.Liveness},
			Defaults: spec.Defaults{Nodes: 4, Params: map[string]string{bitsParam: "32", leavesParam: "2"},
				Limits: sim.Limits{sim.Crashes: 1}, Strategy: "faulty", Prefix: true},
		},
		{
			ID:      "P5",
			Summary: "a join that was passed on waits at a node that has not joined itself",
			Shows:   "the joins of two nodes that have restarted are routed to each other",
			Fix:     "such a node has itself removed by who takes it for a member, and hearsay about it is dropped when it asks to join",
			Kind:    sim.Liveness, PaperKind: sim.Liveness, PaperProperty: EveryNodeJoined,
			Defaults: spec.Defaults{Nodes: 5, Params: map[string]string{bitsParam: "32", leavesParam: "2", saltParam: "5"},
				Limits: sim.Limits{sim.Crashes: 2}, Strategy: "faulty", Prefix: true},
		},
	}
}
