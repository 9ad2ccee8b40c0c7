package espresso

import (
	"github.com/macemc/macemc/machine"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// Entry describes the system.
func Entry() spec.Entry {
	return spec.Entry{
		Name:    "espresso",
		Summary: "machines: an espresso machine and a user, who may press anything",
		Notes:   "Node 0 is the coffee maker, node 1 its control panel, node 2 the user.",
		Params: []spec.Param{{Name: "presses", Kind: spec.Int, Default: "3", Min: 0, Max: 8,
			Help: "number of random actions of the user; 0: the user is sane, and wants two cups"}},
		MinNodes: 3, MaxNodes: 3, DefaultNodes: 3,
		Bugs:     knownBugs(),
		Messages: machine.Events(makerKind, panelKind(0), saneKind, crazyKind),
		Build: func(c spec.Config) (sim.System, error) {
			sys := machines(c.Int("presses"), spec.Bits[bugs](c.Bugs, knownBugs())).Sim("espresso")
			sys.Properties = properties()
			return sys, nil
		},
	}
}

// bugs is a set of defects, by their index in knownBugs.
type bugs uint8

const em1 bugs = 1 << iota

func (b bugs) has(which bugs) bool { return b&which != 0 }

func knownBugs() []spec.Bug {
	return []spec.Bug{{
		ID:      "EM1",
		Summary: "the panel has no rule for a reset while it steams or its door is open",
		Shows:   "the event is unhandled",
		Fix:     "ignore it",
		Kind:    sim.Safety, PaperKind: sim.Safety,
	}}
}
