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
		Summary: "machines: a reliable channel over calls that may be lost, and an abstraction that stands for it",
		Notes:   "The first node is a client at both ends, then come the sender and the receiver.",
		Params: []spec.Param{
			{Name: "sends", Kind: spec.Int, Default: "2", Min: 1, Max: 6, Help: "how many values are sent"},
			{Name: "values", Kind: spec.Int, Default: "2", Min: 1, Max: 4, Help: "how many values there are"},
			{Name: "calls", Kind: spec.Int, Default: "2", Min: 1, Max: 4, Help: "how many calls carry a value"},
			{Name: "part", Kind: spec.OneOf, Values: []string{"implementation", "abstraction"}, Default: "implementation", Help: "what the channel is"},
		},
		MinNodes: 3, MaxNodes: 3, DefaultNodes: 3,
		Bugs:     knownBugs(),
		Messages: machine.Events(clientKind, senderKind, receiverKind),
		Build: func(c spec.Config) (sim.System, error) {
			return setting{c.Int("sends"), c.Int("values"), c.Int("calls"), c.Text("part") == "abstraction", spec.Bits[bugs](c.Bugs, knownBugs())}.system(), nil
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
			ID: "NL1", Summary: "the receiver compares the wrong way round, as the paper prints it",
			Shows: "all values but the first are dropped", Fix: "drop what has a number that is not above the last one",
			Kind: sim.Starvation, PaperKind: sim.Starvation, PaperProperty: "monitor in order, each",
		},
		{
			ID: "NL2", Summary: "the receiver does not look whether it has seen what it gets",
			Shows: "a value is delivered twice", Fix: "drop what has a number that is not above the last one",
			Kind: sim.Safety, PaperKind: sim.Safety,
		},
		{
			ID: "NL3", Summary: "calls may be lost forever: the choice is not fair",
			Shows: "a value is never delivered", Fix: "assume that a call that is repeated forever goes well again and again",
			Kind: sim.Starvation, PaperKind: sim.Starvation, PaperProperty: "monitor in order, each",
		},
		{
			ID: "NL4", Summary: "the sender does not defer values while it tries to carry one",
			Shows: "it gets one that it cannot handle", Fix: "defer them",
			Kind: sim.Safety, PaperKind: sim.Safety,
		},
	}
}
