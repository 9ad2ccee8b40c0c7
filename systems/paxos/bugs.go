package paxos

import (
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// bugs is a set of defects, by their index in knownBugs.
type bugs uint8

const (
	px1 bugs = 1 << iota
	px2
	px3
)

func (b bugs) has(which bugs) bool { return b&which != 0 }

func knownBugs() []spec.Bug {
	return []spec.Bug{
		{
			ID:      "PX1",
			Summary: "a learner does not compare ballots: accepts of different ballots make a majority",
			Shows:   "it considers a value chosen that one acceptor has accepted, and then another one",
			Fix:     "count for each ballot",
			Kind:    sim.Safety, PaperKind: sim.Safety, PaperProperty: Agreement,
		},
		{
			ID:      "PX2",
			Summary: "an acceptor forgets its promise when it restarts: only accepted values are on disk",
			Shows:   "it accepts a lower ballot after a restart, which completes a majority unknown to the higher ballot",
			Fix:     "persist the promise before the reply",
			Kind:    sim.Safety, PaperKind: sim.Safety, PaperProperty: Agreement,
			Defaults: spec.Defaults{Limits: sim.Limits{sim.Crashes: 1}},
		},
		{
			ID:      "PX3",
			Summary: "a proposer ignores accepted values and writes its own",
			Shows:   "a later ballot chooses another value",
			Fix:     "write the value of the highest ballot among the replies",
			Kind:    sim.Safety, PaperKind: sim.Safety, PaperProperty: Agreement,
		},
	}
}
