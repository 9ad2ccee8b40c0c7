package transport

import (
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// Names of the parameters.
const (
	messagesParam = "messages"
	packetsParam  = "packets"
	bufferParam   = "buffer"
	retriesParam  = "retries"
)

// Entry describes the system.
func Entry() spec.Entry {
	return spec.Entry{
		Name:    "transport",
		Summary: "reliable, ordered, message-oriented transport over datagrams",
		Notes: "With the defaults a send buffer is never full, so that nobody is told when it has room again: --set messages=3.\n" +
			"Timers fire in any order. Every node sends numbered messages to every other, and again when a connection\n" +
			"failed; the checked promise is that all are acknowledged, and delivered in order and once. That a\n" +
			"connection is given up because of its age is tried by exhaustive search but never happens in random walks:\n" +
			"it would heal every violation of liveness. So would a limit of retries, which is why there is none by default.",
		Params: []spec.Param{
			{Name: messagesParam, Kind: spec.Int, Default: "2", Min: 1, Max: 100,
				Help: "messages that each node sends to each other"},
			{Name: packetsParam, Kind: spec.Int, Default: "1", Min: 1, Max: MaxPackets,
				Help: "packets that a message takes"},
			{Name: bufferParam, Kind: spec.Int, Default: "2", Min: 1, Max: 1 << 20,
				Help: "packets that the send buffer of a connection holds"},
			{Name: retriesParam, Kind: spec.Int, Default: "0", Min: 0, Max: 100,
				Help: "how often a packet is sent again before its connection is given up; 0: as often as its age allows"},
		},
		MinNodes: 2, MaxNodes: 16, DefaultNodes: 2,
		Limits:   sim.Limits{sim.Crashes: 1, sim.Loss: 1, sim.Dup: 1},
		Bugs:     knownBugs(),
		Messages: append(Messages(), Numbered{}),
		Build:    build,
	}
}

func build(c spec.Config) (sim.System, error) {
	config := Config{Buffer: c.Int(bufferParam), Retries: c.Int(retriesParam)}
	messages, packets, set := c.Int(messagesParam), c.Int(packetsParam), spec.Bits[bugs](c.Bugs, knownBugs())
	return sim.System{
		Nodes: c.Nodes,
		New: func(sim.NodeID) sim.Service {
			n := &Talker{messages: messages, packets: packets}
			n.transport = New(n, config)
			n.transport.bugs = set
			return n
		},
		Network:    netsim.Datagrams{},
		Timing:     sim.AnyOrder,
		Actions:    []sim.AnyAction{sim.Action[*Talker]{Name: "send", When: (*Talker).CanSend, Do: (*Talker).Send}},
		Properties: properties(),
	}, nil
}
