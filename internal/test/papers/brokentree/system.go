package brokentree

import (
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/nodeset"
	"github.com/macemc/macemc/systems/spec"
)

// Names of the parameters.
const (
	degreeParam = "degree"
	bufferParam = "buffer"
	noLoopParam = "no-loop"
)

// Entry describes the system.
func Entry() spec.Entry {
	return spec.Entry{
		Name:    "brokentree",
		Summary: "bandwidth-optimizing overlay tree that moves nodes at once, and so creates loops",
		Notes: "Timers fire in any order. No version of the protocol is free of loops. So unless the parameter no-loop is\n" +
			"set, only the absence of self-loops is checked. Overcast is the protocol without loops.",
		Params: []spec.Param{
			{Name: degreeParam, Kind: spec.Int, Default: "2", Min: 1, Max: nodeset.Max,
				Help: "maximum number of children of a node"},
			{Name: bufferParam, Kind: spec.Int, Default: "20", Min: 1, Max: 1 << 20,
				Help: "capacity of the send buffer of a stream, in messages"},
			{Name: noLoopParam, Kind: spec.Bool, Default: "false",
				Help: "also check that the tree has no loop; with four nodes or with faults it has one even without BT2"},
		},
		MinNodes: 2, MaxNodes: nodeset.Max, DefaultNodes: 3,
		Limits:   sim.Limits{sim.Crashes: 1, sim.NetErrors: 1},
		Bugs:     knownBugs(),
		Messages: []any{Join{}, JoinReply{}, Remove{}, Reorganise{}},
		Build:    build,
	}
}

func build(c spec.Config) (sim.System, error) {
	degree, set := c.Int(degreeParam), spec.Bits[bugs](c.Bugs, knownBugs())
	return sim.System{
		Nodes:   c.Nodes,
		New:     func(sim.NodeID) sim.Service { return &Node{degree: degree, bugs: set} },
		Network: netsim.Streams{Buffer: c.Int(bufferParam)},
		Timing:  sim.AnyOrder,
		Actions: []sim.AnyAction{sim.Action[*Node]{
			Name: "joinOverlay",
			When: func(n *Node) bool { return n.State == Init },
			Do:   (*Node).JoinOverlay,
		}},
		Properties: properties(c.Bool(noLoopParam)),
	}, nil
}
