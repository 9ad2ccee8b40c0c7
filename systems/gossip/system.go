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
		Summary: "membership by probes, suspicions and refutations (SWIM); shows what each timing mode means",
		Notes: "Timers wait for messages (Prompt), as if they were set long enough. Then no live node is declared dead unless\n" +
			"several messages in a row are lost. With --timing ByDeadline or AnyOrder messages may be slower than any\n" +
			"timer, and live nodes are declared dead; with --property \"all live nodes agree on who is alive\" it is\n" +
			"seen that they find together again. With suspicion=0 the first probe without an answer is fatal.",
		Params: []spec.Param{
			{Name: indirectParam, Kind: spec.Int, Default: "1", Min: 0, Max: maxNodes,
				Help: "number of nodes that are asked to ping one that does not answer"},
			{Name: suspicionParam, Kind: spec.Int, Default: "2", Min: 0, Max: 100,
				Help: "periods after which a suspect is declared dead; 0: at once, without suspecting it"},
			{Name: carryParam, Kind: spec.Int, Default: "2", Min: 0, Max: maxNodes,
				Help: "pieces of news that a message carries, besides those on its sender and its receiver"},
			{Name: rejoinParam, Kind: spec.Bool, Default: "true",
				Help: "whether a node that is dead comes back when it boots or hears of it, with a later incarnation"},
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
