package channel

import (
	"github.com/macemc/macemc/machine"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// Entry describes the system.
func Entry() spec.Entry {
	return spec.Entry{
		Name:    "channel",
		Summary: "machines: a reliable channel over lossy calls, and its abstraction",
		Notes:   "The first node is a client at both ends, then come the sender and the receiver.",
		Params: []spec.Param{
			{Name: "sends", Kind: spec.Int, Default: "2", Min: 1, Max: 6, Help: "number of sent values"},
			{Name: "values", Kind: spec.Int, Default: "2", Min: 1, Max: 4, Help: "number of different values"},
			{Name: "calls", Kind: spec.Int, Default: "2", Min: 1, Max: 4, Help: "maximum number of calls for a value"},
			{Name: "part", Kind: spec.OneOf, Values: []string{"implementation", "abstraction"}, Default: "implementation",
				Help: "implementation of the channel"},
		},
		MinNodes: 3, MaxNodes: 3, DefaultNodes: 3,
		Bugs:     knownBugs(),
		Messages: machine.Events(clientKind, senderKind, receiverKind),
		Build: func(c spec.Config) (sim.System, error) {
			return setting{c.Int("sends"), c.Int("values"), c.Int("calls"), c.Text("part") == "abstraction",
				spec.Bits[bugs](c.Bugs, knownBugs())}.system(), nil
		},
	}
}

// bugs is a set of defects, by their index in knownBugs.
type bugs uint8

const (
	nl1 bugs = 1 << iota
	nl2
	nl3
	nl4
)

func (b bugs) has(which bugs) bool { return b&which != 0 }

func knownBugs() []spec.Bug {
	return []spec.Bug{
		{
			ID: "NL1", Summary: "the receiver's comparison is reversed, as printed in the paper",
			Shows: "all values but the first are dropped", Fix: "drop numbers that are not above the last one",
			Kind: sim.Starvation, PaperKind: sim.Starvation, PaperProperty: "monitor in order, each",
		},
		{
			ID: "NL2", Summary: "the receiver does not detect duplicates",
			Shows: "a value is delivered twice", Fix: "drop numbers that are not above the last one",
			Kind: sim.Safety, PaperKind: sim.Safety,
		},
		{
			ID: "NL3", Summary: "calls may be lost forever: the choice is not fair",
			Shows: "a value is never delivered", Fix: "assume that a call repeated forever succeeds infinitely often",
			Kind: sim.Starvation, PaperKind: sim.Starvation, PaperProperty: "monitor in order, each",
		},
		{
			ID: "NL4", Summary: "the sender does not defer values while it sends one",
			Shows: "it gets an unhandled value", Fix: "defer them",
			Kind: sim.Safety, PaperKind: sim.Safety,
		},
	}
}
