package randtree

import (
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/nodeset"
	"github.com/macemc/macemc/systems/spec"
)

// Names of the parameters.
const (
	degreeParam     = "degree"
	bufferParam     = "buffer"
	shedsParam      = "sheds"
	strictRootParam = "strict-root"
)

// Entry describes the system.
func Entry() spec.Entry {
	return spec.Entry{
		Name:    "randtree",
		Summary: "random overlay tree of bounded degree that recovers from failures and partitions",
		Notes: "Timers fire in any order. Every node joins with the next node of the ring of addresses as its only peer;\n" +
			"the checked promise is that one spanning tree forms again after crashes and socket errors.",
		Params: []spec.Param{
			{Name: degreeParam, Kind: spec.Int, Default: "2", Min: 1, Max: nodeset.Max,
				Help: "number of children that a node may have"},
			{Name: bufferParam, Kind: spec.Int, Default: "20", Min: 1, Max: 1 << 20,
				Help: "messages that the send buffer of a stream holds"},
			{Name: shedsParam, Kind: spec.Int, Default: "1", Min: 0, Max: 1 << 20,
				Help: "how often each node tells a child to look for another place"},
			{Name: strictRootParam, Kind: spec.Bool, Default: "true",
				Help: "also check that a node which looks for a parent takes itself for the root"},
		},
		MinNodes: 1, MaxNodes: nodeset.Max, DefaultNodes: 3,
		Limits:   sim.Limits{Crashes: 1, NetErrors: 1},
		Bugs:     knownBugs(),
		Messages: []any{Join{}, JoinReply{}, Remove{}, Rejoin{}, UpdateSiblings{}, NewRoot{}, Probe{}, ProbeJoin{}},
		Build:    build,
	}
}

func build(c spec.Config) (sim.System, error) {
	degree, set := c.Int(degreeParam), bugsOf(c.Bugs)
	actions := []sim.AnyAction{sim.Action[*Node]{
		Name: "joinOverlay",
		When: func(n *Node) bool { return n.State == Init },
		Do: func(n *Node, env sim.Env) {
			n.JoinOverlay(env, nodeset.Of((env.Self()+1)%sim.NodeID(env.Nodes())))
		},
	}}
	if sheds := c.Int(shedsParam); sheds > 0 {
		actions = append(actions, sim.Action[*Node]{
			Name: "shed", Times: sheds,
			When: func(n *Node) bool { return n.State == Joined && n.Children != 0 },
			Do:   (*Node).Shed,
		})
	}
	return sim.System{
		Nodes:      c.Nodes,
		New:        func(sim.NodeID) sim.Service { return &Node{degree: degree, bugs: set} },
		Network:    netsim.Streams{Buffer: c.Int(bufferParam)},
		Timing:     sim.AnyOrder,
		Actions:    actions,
		Properties: properties(c.Bool(strictRootParam)),
	}, nil
}
