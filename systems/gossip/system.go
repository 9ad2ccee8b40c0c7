package gossip

import (
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// Names of the parameters.
const (
	indirectParam  = "indirect"
	suspicionParam = "suspicion"
	carryParam     = "carry"
	rejoinParam    = "rejoin"
)

const maxNodes = 8

// Entry describes the system.
func Entry() spec.Entry {
	return spec.Entry{
		Name:    "gossip",
		Summary: "membership by probes, suspicions and refutations (SWIM); demonstrates the timing modes",
		Notes: "Timers wait for messages (Prompt), as if they were long enough. Then no live node is declared dead unless\n" +
			"several messages in a row are lost. With --timing ByDeadline or AnyOrder messages may be slower than any\n" +
			"timer, and live nodes are declared dead; --property \"all live nodes agree on who is alive\" shows\n" +
			"that they agree again. With suspicion=0 the first probe without an answer is fatal.",
		Params: []spec.Param{
			{Name: indirectParam, Kind: spec.Int, Default: "1", Min: 0, Max: maxNodes,
				Help: "number of nodes asked to ping one that does not answer"},
			{Name: suspicionParam, Kind: spec.Int, Default: "2", Min: 0, Max: 100,
				Help: "periods until a suspect is declared dead; 0 means at once, without suspicion"},
			{Name: carryParam, Kind: spec.Int, Default: "2", Min: 0, Max: maxNodes,
				Help: "updates that a message carries, besides those about its sender and its receiver"},
			{Name: rejoinParam, Kind: spec.Bool, Default: "true",
				Help: "dead nodes come back with a later incarnation when they boot or learn of their death"},
		},
		MinNodes: 2, MaxNodes: maxNodes, DefaultNodes: 3,
		Limits:   sim.Limits{sim.Crashes: 1, sim.Loss: 2},
		Bugs:     knownBugs(),
		Messages: []any{Ping{}, Ack{}, PingReq{}, Relayed{}},
		Build:    build,
	}
}

func build(c spec.Config) (sim.System, error) {
	own := config{
		indirect:  c.Int(indirectParam),
		suspicion: c.Int(suspicionParam),
		carry:     c.Int(carryParam),
		rejoin:    c.Bool(rejoinParam),
		bugs:      spec.Bits[bugs](c.Bugs, knownBugs()),
	}
	return sim.System{
		Nodes:      c.Nodes,
		New:        func(sim.NodeID) sim.Service { return &Node{config: own} },
		Network:    netsim.Datagrams{},
		Timing:     sim.Prompt,
		Properties: properties(),
	}, nil
}
