package overcast

import (
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/nodeset"
	"github.com/macemc/macemc/systems/spec"
)

// Names of the parameters.
const (
	degreeParam = "degree"
	trainParam  = "train"
	bufferParam = "buffer"
)

// Entry describes the system.
func Entry() spec.Entry {
	return spec.Entry{
		Name:    "overcast",
		Summary: "bandwidth-optimizing overlay tree that locks the nodes that it probes",
		Notes: "Timers fire in any order, leases included. Bandwidth is not measured: the node to probe and whether to\n" +
			"move under it are choices. The checked properties are that the tree never has a loop, and that it spans all\n" +
			"nodes again after crashes and socket errors.",
		Params: []spec.Param{
			{Name: degreeParam, Kind: spec.Int, Default: "2", Min: 1, Max: nodeset.Max,
				Help: "maximum number of children of a node"},
			{Name: trainParam, Kind: spec.Int, Default: "2", Min: 1, Max: 100,
				Help: "number of messages of a bandwidth probe"},
			{Name: bufferParam, Kind: spec.Int, Default: "20", Min: 1, Max: 1 << 20,
				Help: "capacity of the send buffer of a stream, in messages"},
		},
		MinNodes: 2, MaxNodes: nodeset.Max, DefaultNodes: 3,
		Limits:   sim.Limits{sim.Crashes: 1, sim.NetErrors: 1},
		Bugs:     knownBugs(),
		Messages: []any{Join{}, Accept{}, Remove{}, Reorganise{}, Lock{}, Locked{}, Refused{}, Unlock{}, Probe{}, Probed{}, Move{}},
		Build:    build,
	}
}

func build(c spec.Config) (sim.System, error) {
	degree, train, set := c.Int(degreeParam), c.Int(trainParam), spec.Bits[bugs](c.Bugs, knownBugs())
	return sim.System{
		Nodes:   c.Nodes,
		New:     func(sim.NodeID) sim.Service { return &Node{degree: degree, train: train, bugs: set} },
		Network: netsim.Streams{Buffer: c.Int(bufferParam)},
		Timing:  sim.AnyOrder,
		Actions: []sim.AnyAction{sim.Action[*Node]{
			Name: "joinOverlay",
			When: func(n *Node) bool { return n.State == Init },
			Do:   (*Node).JoinOverlay,
		}},
		Properties: properties(),
	}, nil
}
