package detector

import (
	"github.com/macemc/macemc/machine"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// Entry describes the system.
func Entry() spec.Entry {
	return spec.Entry{
		Name:    "detector",
		Summary: "machines: a failure detector pings nodes over an unreliable network and reports to a client which are down",
		Notes: "The first nodes are pinged, then come the client, the detector and the injector, which shuts nodes down.\n" +
			"Timers fire only when no message is in flight (Prompt).",
		Params: []spec.Param{
			{Name: "failures", Kind: spec.Int, Default: "1", Min: 0, Max: 4, Help: "number of nodes that are shut down"},
			{Name: "over", Kind: spec.OneOf, Default: "queues", Values: []string{"queues", "streams"}, Help: "kind of network"},
		},
		MinNodes: 4, MaxNodes: 9, DefaultNodes: 5,
		Bugs:     knownBugs(),
		Messages: machine.Events(nodeKind, clientKind, detectorKind, injectorKind),
		Build: func(c spec.Config) (sim.System, error) {
			nodes := c.Nodes - 3
			sys := machines(nodes, min(nodes, c.Int("failures")), c.Text("over") == "streams", spec.Bits[bugs](c.Bugs, knownBugs())).Sim("detector")
			sys.Timing = sim.Prompt
			sys.Properties = properties(nodes)
			return sys, nil
		},
	}
}

// bugs is a set of defects, by their index in knownBugs.
type bugs uint8

const (
	fd1 bugs = 1 << iota
	fd2
)

func (b bugs) has(which bugs) bool { return b&which != 0 }

func knownBugs() []spec.Bug {
	return []spec.Bug{
		{
			ID:      "FD1",
			Summary: "when all have answered the detector stops its timer, but still waits for it",
			Shows:   "no failure is detected any more",
			Fix:     "go to rest",
			Kind:    sim.Deadlock, PaperKind: sim.Liveness, OtherKinds: []sim.FindingKind{sim.Liveness},
			PaperProperty: "the client knows who is down",
		},
		{
			ID:      "FD2",
			Summary: "the client is notified once, by a message that may be lost",
			Shows:   "it never learns that a node is down",
			Fix:     "use a reliable message",
			Kind:    sim.Deadlock, PaperKind: sim.Liveness, OtherKinds: []sim.FindingKind{sim.Liveness},
			PaperProperty: "the client knows who is down",
		},
	}
}
