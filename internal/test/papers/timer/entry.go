package timer

import (
	"github.com/macemc/macemc/machine"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// Entry describes the system.
func Entry() spec.Entry {
	return spec.Entry{
		Name:    "timer",
		Summary: "machines: a timer that may fail to cancel, an injector of failures, and a client that uses both",
		Notes:   "The client comes first, then its timer, the injector, and the workers. The last worker is not halted.",
		Params: []spec.Param{
			{Name: "rounds", Kind: spec.Int, Default: "2", Min: 1, Max: 6, Help: "number of requests of the client"},
			{Name: "failures", Kind: spec.Int, Default: "1", Min: 0, Max: 4, Help: "number of workers that get Halt"},
		},
		MinNodes: 4, MaxNodes: 8, DefaultNodes: 5,
		Bugs:     knownBugs(),
		Messages: machine.Events(clientKind(0), timerKind, injectorKind, workerKind, reserveKind),
		Build: func(c spec.Config) (sim.System, error) {
			return setting{c.Nodes - int(workers), c.Int("rounds"), c.Int("failures"), spec.Bits[bugs](c.Bugs, knownBugs())}.system(), nil
		},
	}
}

// bugs is a set of defects, by their index in knownBugs.
type bugs uint8

const (
	ti1 bugs = 1 << iota
	ti2
)

func (b bugs) has(which bugs) bool { return b&which != 0 }

func knownBugs() []spec.Bug {
	return []spec.Bug{
		{
			ID: "TI1", Summary: "the client does not expect a timeout after a failed cancel",
			Shows: "it gets an unhandled timeout", Fix: "wait for it",
			Kind: sim.Safety, PaperKind: sim.Safety,
		},
		{
			ID: "TI2", Summary: "the client ignores a timeout before the next round, and does not wait for it",
			Shows: "a late one counts for the next round, which is given up too early", Fix: "wait for it",
			Kind: sim.Safety, PaperKind: sim.Safety,
		},
	}
}
