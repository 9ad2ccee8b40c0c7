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
		Notes: "With the defaults a send buffer is never full, so clear-to-send call-backs need --set messages=3.\n" +
			"Timers fire in any order. Every node sends numbered messages to every other, and resends them after a\n" +
			"failure of the connection; the checked promise is that all are acknowledged, and delivered in order and once. Exhaustive\n" +
			"search also closes connections because of their age. Random walks never do, as this would heal every\n" +
			"violation of liveness. A limit of retries would, too, so there is none by default.",
		Params: []spec.Param{
			{Name: messagesParam, Kind: spec.Int, Default: "2", Min: 1, Max: 100,
				Help: "messages from each node to each other"},
			{Name: packetsParam, Kind: spec.Int, Default: "1", Min: 1, Max: MaxPackets,
				Help: "packets of a message"},
			{Name: bufferParam, Kind: spec.Int, Default: "2", Min: 1, Max: 1 << 20,
				Help: "packets in the send buffer of a connection"},
			{Name: retriesParam, Kind: spec.Int, Default: "0", Min: 0, Max: 100,
				Help: "number of times that a packet is resent before its connection is closed; 0 means no limit but its age"},
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
