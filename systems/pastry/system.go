package pastry

import (
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/nodeset"
	"github.com/macemc/macemc/systems/spec"
	"github.com/macemc/macemc/systems/transport"
)

// Names of the parameters.
const (
	bitsParam    = "bits"
	digitParam   = "digit"
	leavesParam  = "leaves"
	bufferParam  = "buffer"
	lookupsParam = "lookups"
	saltParam    = "salt"
)

// Entry describes the system.
func Entry() spec.Entry {
	return spec.Entry{
		Name:    "pastry",
		Summary: "ring of keys with leaf sets and routing tables, joined through one node",
		Notes: "Timers fire in any order. All nodes join through node 0, and again after a crash; the checked promise is\n" +
			"that one ring with symmetric leaf sets forms again after crashes, socket errors and partitions. A join takes\n" +
			"one message for each row of the routing table: runs with many nodes and long keys need a larger walk limit.",
		Params: []spec.Param{
			{Name: bitsParam, Kind: spec.Int, Default: "160", Min: 8, Max: keyBits,
				Help: "length of a key in bits, a multiple of a digit's"},
			{Name: digitParam, Kind: spec.OneOf, Default: "4", Values: []string{"4", "8"},
				Help: "bits of a digit"},
			{Name: leavesParam, Kind: spec.OneOf, Default: "16", Values: []string{"2", "4", "8", "16", "32"},
				Help: "size of a leaf set, both halves together"},
			{Name: bufferParam, Kind: spec.Int, Default: "20", Min: 1, Max: 1 << 20,
				Help: "messages in the send buffer of a stream, or packets over transport"},
			{Name: lookupsParam, Kind: spec.Int, Default: "0", Min: 0, Max: 1 << 20,
				Help: "number of lookups of each node"},
			{Name: saltParam, Kind: spec.Int, Default: "0", Min: 0, Max: 1 << 20,
				Help: "selects another arrangement of the nodes on the ring"},
			transport.OverParam(),
		},
		MinNodes: 1, MaxNodes: nodeset.Max, DefaultNodes: 3,
		Limits:   sim.Limits{sim.Crashes: 1, sim.NetErrors: 1},
		LimitsOf: transport.LimitsOver(sim.Limits{sim.Crashes: 1, sim.NetErrors: 1}),
		Bugs:     knownBugs(),
		Messages: append(transport.Messages(), Join{}, RowInfo{}, LeafsetInfo{}, RowInfoReply{}, LeafsetReply{}, Remove{},
			Inform{}, InformRequest{}, RowRequest{}, LeafsetRequest{}, Lookup{}, Found{}, Probe{}, ProbeReply{}, Match{},
			NoMatch{}),
		Build: build,
	}
}

func build(c spec.Config) (sim.System, error) {
	s, err := newSpace(c.Nodes, c.Int(bitsParam), c.Int(digitParam), c.Int(leavesParam), c.Int(saltParam))
	if err != nil {
		return sim.System{}, err
	}
	set := spec.Bits[bugs](c.Bugs, knownBugs())
	actions := []sim.AnyAction{sim.Action[*Node]{
		Name: "joinOverlay",
		When: func(n *Node) bool { return n.State == PreJoining },
		Do:   func(n *Node, env sim.Env) { n.JoinOverlay(env, nodeset.Of(0)) },
	}}
	network := sim.Network(netsim.Both{Streams: netsim.Streams{Buffer: c.Int(bufferParam)}})
	over := transport.OverTransport(c)
	if over {
		network = netsim.Datagrams{}
	}
	lookups := c.Int(lookupsParam)
	if lookups > 0 {
		actions = append(actions, sim.Action[*Node]{
			Name: "lookup", Times: lookups,
			When: func(n *Node) bool { return n.State == Joined },
			Do:   (*Node).Lookup,
		})
	}
	return sim.System{
		Nodes: c.Nodes,
		New: func(sim.NodeID) sim.Service {
			n := &Node{space: s, bugs: set}
			if over {
				n.carrier = transport.Over(n, transport.Config{Buffer: c.Int(bufferParam)})
			}
			return n
		},
		Network: network,
		Timing:  sim.AnyOrder,
		// The key space is immutable, so all copies of a node can share it.
		State:      []sim.StateRule{sim.CopyBy(func(s *space) *space { return s })},
		Actions:    actions,
		Properties: properties(lookups > 0),
	}, nil
}
