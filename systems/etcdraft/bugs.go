package etcdraft

import (
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// bugs is a set of defects, by their index in knownBugs. They are in the adapter, not in raft.
type bugs uint8

const (
	er1 bugs = 1 << iota
	er2
	er3
	er4
)

func (b bugs) has(which bugs) bool { return b&which != 0 }

func knownBugs() []spec.Bug {
	return []spec.Bug{
		{
			ID:      "ER1",
			Summary: "messages are sent before the state that they announce is on disk",
			Shows:   "a node that crashes in between breaks its promise: it loses a vote or entries that others rely on",
			Fix:     "write and sync first, then send",
			Kind:    sim.Panic, PaperKind: sim.Panic, OtherKinds: []sim.FindingKind{sim.Safety},
			Defaults: spec.Defaults{Limits: sim.Limits{sim.Crashes: 1}, Strategy: "faulty"},
		},
		{
			ID:      "ER2",
			Summary: "the hard state is not written",
			Shows:   "a node that restarts votes a second time in the same term, and a term has two leaders",
			Fix:     "write term, vote and commit index whenever raft returns them",
			Kind:    sim.Safety, PaperKind: sim.Safety, OtherKinds: []sim.FindingKind{sim.Panic},
			Defaults: spec.Defaults{Limits: sim.Limits{sim.Crashes: 1}},
		},
		{
			ID:      "ER3",
			Summary: "entries are applied when they are appended",
			Shows:   "an entry that another leader replaces was applied by some nodes",
			Fix:     "apply committed entries only",
			Kind:    sim.Safety, PaperKind: sim.Safety,
			Defaults: spec.Defaults{Limits: sim.Limits{sim.Crashes: 1}},
		},
		{
			ID:      "ER4",
			Summary: "reads are answered from the node's own store",
			Shows:   "a read misses a write that had returned before",
			Fix:     "ask raft from which index on the store may answer",
			Kind:    sim.Safety, PaperKind: sim.Safety,
			Defaults: spec.Defaults{Limits: sim.Limits{sim.Crashes: 1}},
		},
	}
}
