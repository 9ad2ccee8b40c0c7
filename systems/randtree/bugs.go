package randtree

import (
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// bugs is a set of defects, by their index in knownBugs.
type bugs uint32

const (
	rt1 bugs = 1 << iota
	rt2
	rt3
	rt4
	rt5
	rt6
	rt7
	rt8
	rt9
	rt10
	rt11
	rt12
	rt13
	rt14
	rt15
	rt16
	rt17
)

// has reports whether any of the bugs in which is on.
func (b bugs) has(which bugs) bool { return b&which != 0 }

// lateJoins delays the application's requests in walks, so that nodes boot, restart and shed children while others are
// busy, and spreads faults over the walk.
var lateJoins = spec.Weights{Action: 4, Fault: 1}

// knownBugs describes RT1 to RT17 of the MaceMC paper.
func knownBugs() []spec.Bug {
	return []spec.Bug{
		{
			ID:      "RT1",
			Summary: "a root that joins a lower node after a request from it does not add that node to its peers",
			Shows:   "the join timer's search never reaches the node again if all peers are children, and does not end",
			Fix:     "add the node to the peers",
			Kind:    sim.Divergence, PaperKind: sim.Divergence,
			Defaults: spec.Defaults{Nodes: 3},
		},
		{
			ID:      "RT2",
			Summary: "the root answers nil as its parent instead of itself",
			Shows:   "no spanning tree, ever",
			Fix:     "a root is its own parent",
			Kind:    sim.Liveness, PaperKind: sim.Liveness, PaperProperty: OneRoot,
			Defaults: spec.Defaults{Nodes: 3},
		},
		{
			ID:      "RT3",
			Summary: "the recovery timer's handler runs, and re-arms itself, only when joined",
			Shows:   "the timer fires once while joining and is never set again; two trees never merge",
			Fix:     "run and re-arm while joining too",
			Kind:    sim.Safety, PaperKind: sim.Liveness, PaperProperty: OneRoot,
			OtherKinds: []sim.FindingKind{sim.Deadlock},
			Defaults:   spec.Defaults{Nodes: 3},
		},
		{
			ID:      "RT4",
			Summary: "a new-root message is accepted from any node",
			Shows:   "a node that two parents accepted believes the wrong root; probes then see the same root",
			Fix:     "accept it from the parent only",
			Kind:    sim.Liveness, PaperKind: sim.Liveness, PaperProperty: OneRoot,
			OtherKinds: []sim.FindingKind{sim.Safety},
			Defaults:   spec.Defaults{Nodes: 4, Limits: sim.Limits{sim.Crashes: 1, sim.NetErrors: 1}},
		},
		{
			ID:      "RT5",
			Summary: "a node that lost its parent, the root, does not add the sibling that it joins to its peers",
			Shows:   "as RT1",
			Fix:     "add the sibling to the peers",
			Kind:    sim.Divergence, PaperKind: sim.Divergence,
			Defaults: spec.Defaults{Nodes: 4, Limits: sim.Limits{sim.Crashes: 2, sim.NetErrors: 2}, Weights: lateJoins},
		},
		{
			ID:      "RT6",
			Summary: "a node that lost another parent does not add the root that it joins to its peers",
			Shows:   "as RT1",
			Fix:     "add the root to the peers",
			Kind:    sim.Divergence, PaperKind: sim.Divergence,
			Defaults: spec.Defaults{Nodes: 4, Params: map[string]string{degreeParam: "1"},
				Limits: sim.Limits{sim.Crashes: 2, sim.NetErrors: 4}, Weights: lateJoins},
		},
		{
			ID:      "RT7",
			Summary: "a root that joins another because of a probe does not add it to its peers",
			Shows:   "as RT1",
			Fix:     "add the root to the peers",
			Kind:    sim.Divergence, PaperKind: sim.Divergence,
			Defaults: spec.Defaults{Nodes: 3},
		},
		{
			ID:      "RT8",
			Summary: "a root that is told to join another does not add it to its peers",
			Shows:   "as RT1",
			Fix:     "add the root to the peers",
			Kind:    sim.Divergence, PaperKind: sim.Divergence,
			Defaults: spec.Defaults{Nodes: 3},
		},
		{
			ID:      "RT9",
			Summary: "a child that is told to rejoin does not add the root to its peers",
			Shows:   "as RT1; needs the action shed",
			Fix:     "add the root to the peers",
			Kind:    sim.Divergence, PaperKind: sim.Divergence,
			Defaults: spec.Defaults{Nodes: 5, Params: map[string]string{shedsParam: "3"},
				Limits: sim.Limits{sim.Crashes: 1, sim.NetErrors: 1}, Weights: lateJoins},
		},
		{
			ID:      "RT10",
			Summary: "a remove from a child is ignored while the parent is itself joining",
			Shows:   "the parent keeps a child that left",
			Fix:     "drop the child in every state",
			Kind:    sim.Liveness, PaperKind: sim.Liveness, PaperProperty: FamiliesAgree,
			Defaults: spec.Defaults{Nodes: 4, Limits: sim.Limits{sim.Crashes: 1, sim.NetErrors: 1}},
		},
		{
			ID:      "RT11",
			Summary: "a probe received in init starts a join",
			Shows:   "the recovery timer is not set outside init",
			Fix:     "ignore probes in init",
			Kind:    sim.Safety, PaperKind: sim.Safety, PaperProperty: RecoveryTimerSet,
			Defaults: spec.Defaults{Nodes: 3, Weights: lateJoins},
		},
		{
			ID:      "RT12",
			Summary: "a remove that the transport refuses is forgotten",
			Shows:   "the parent keeps a child that left; needs a full send buffer",
			Fix:     "send it when there is room",
			Kind:    sim.Liveness, PaperKind: sim.Liveness, PaperProperty: FamiliesAgree,
			Defaults: spec.Defaults{Nodes: 3, Params: map[string]string{bufferParam: "3"}, Limits: sim.Limits{sim.Crashes: 1, sim.NetErrors: 1}},
		},
		{
			ID:      "RT13",
			Summary: "an acceptance received in init, after a restart, is ignored",
			Shows:   "the old parent keeps the child. The critical transition is that delivery",
			Fix:     "answer with remove",
			Kind:    sim.Liveness, PaperKind: sim.Liveness, PaperProperty: FamiliesAgree,
			Defaults: spec.Defaults{Nodes: 3, Limits: sim.Limits{sim.Crashes: 1}, Weights: lateJoins},
		},
		{
			ID:      "RT14",
			Summary: "a probe-join received in init starts a join",
			Shows:   "as RT11, but only with node failures",
			Fix:     "ignore it in init",
			Kind:    sim.Safety, PaperKind: sim.Safety, PaperProperty: RecoveryTimerSet,
			Defaults: spec.Defaults{Nodes: 3, Limits: sim.Limits{sim.Crashes: 1}, Weights: lateJoins},
		},
		{
			ID:      "RT15",
			Summary: "the root pointer is reset neither when a join times out nor when the parent is lost",
			Shows:   "a node that still names a root is made root",
			Fix:     "reset it at both places: either alone masks the other",
			Kind:    sim.Safety, PaperKind: sim.Safety, PaperProperty: sim.AssertionProperty,
			Defaults: spec.Defaults{Nodes: 4, Params: map[string]string{strictRootParam: "false"},
				Limits: sim.Limits{sim.Crashes: 2, sim.NetErrors: 1}, Weights: lateJoins},
		},
		{
			ID:      "RT16",
			Summary: "the root pointer is not reset when the parent is lost that is the root, and a sibling is joined",
			Shows:   "as RT15",
			Fix:     "reset it",
			Kind:    sim.Safety, PaperKind: sim.Safety, PaperProperty: sim.AssertionProperty,
			Defaults: spec.Defaults{Nodes: 5, Params: map[string]string{strictRootParam: "false"},
				Limits: sim.Limits{sim.Crashes: 2, sim.NetErrors: 2}, Weights: lateJoins},
		},
		{
			ID:      "RT17",
			Summary: "the root pointer is not reset when another parent is lost",
			Shows:   "as RT15: a forwarded join reaches a restarted node of higher address",
			Fix:     "reset it",
			Kind:    sim.Safety, PaperKind: sim.Safety, PaperProperty: sim.AssertionProperty,
			Defaults: spec.Defaults{Nodes: 6, Params: map[string]string{strictRootParam: "false"},
				Limits: sim.Limits{sim.Crashes: 2, sim.NetErrors: 2}, Weights: lateJoins},
		},
	}
}
