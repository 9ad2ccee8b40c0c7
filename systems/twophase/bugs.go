package twophase

import (
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// bugs is a set of defects, by their index in knownBugs.
type bugs uint8

const (
	tp1 bugs = 1 << iota
	tp2
	tp3
)

func (b bugs) has(which bugs) bool { return b&which != 0 }

func knownBugs() []spec.Bug {
	return []spec.Bug{
		{
			ID:      "TP1",
			Summary: "the coordinator counts votes that arrive after it has aborted",
			Shows:   "it commits a transaction after telling others to abort",
			Fix:     "ignore votes unless voting",
			Kind:    sim.Safety, PaperKind: sim.Safety, PaperProperty: Atomicity,
		},
		{
			ID:      "TP2",
			Summary: "a participant that restarts in doubt aborts",
			Shows:   "it has voted yes, and the others commit",
			Fix:     "stay in doubt and ask the coordinator",
			Kind:    sim.Safety, PaperKind: sim.Safety, PaperProperty: Atomicity,
			Defaults: spec.Defaults{Limits: sim.Limits{sim.Crashes: 1}},
		},
		{
			ID:      "TP3",
			Summary: "a participant that restarts in doubt does not ask for the outcome",
			Shows:   "it stays in doubt forever if the decision was sent while it was down",
			Fix:     "ask the coordinator",
			Kind:    sim.Deadlock, PaperKind: sim.Deadlock, PaperProperty: Decided,
			OtherKinds: []sim.FindingKind{sim.Liveness},
			Defaults:   spec.Defaults{Limits: sim.Limits{sim.Crashes: 1}},
		},
	}
}
