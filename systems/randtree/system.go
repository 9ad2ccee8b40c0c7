package randtree

import (
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/nodeset"
	"github.com/macemc/macemc/systems/spec"
	"github.com/macemc/macemc/systems/transport"
)

// Names of the parameters.
const (
	degreeParam     = "degree"
	bufferParam     = "buffer"
	shedsParam      = "sheds"
	strictRootParam = "strict-root"
)

// Params returns the parameters of a tree; a system above it shares them.
func Params() []spec.Param {
	return []spec.Param{
		{Name: degreeParam, Kind: spec.Int, Default: "2", Min: 1, Max: nodeset.Max,
			Help: "number of children that a node may have"},
		{Name: bufferParam, Kind: spec.Int, Default: "20", Min: 1, Max: 1 << 20,
			Help: "messages in the send buffer of a stream, or packets over transport"},
		{Name: shedsParam, Kind: spec.Int, Default: "1", Min: 0, Max: 1 << 20,
			Help: "number of times that each node tells a child to look for another place"},
		{Name: strictRootParam, Kind: spec.Bool, Default: "true",
			Help: "also check that a node without a parent takes itself for the root"},
		transport.OverParam(),
	}
}

// Entry describes the system.
func Entry() spec.Entry {
	return spec.Entry{
		Name:    "randtree",
		Summary: "random overlay tree of bounded degree that recovers from failures and partitions",
		Notes: "Timers fire in any order. Every node joins with the next node of the ring of addresses as its only peer;\n" +
			"the checked promise is that one spanning tree forms again after crashes and socket errors.",
		Params:   Params(),
		MinNodes: 1, MaxNodes: nodeset.Max, DefaultNodes: 3,
		Limits:   sim.Limits{sim.Crashes: 1, sim.NetErrors: 1},
		LimitsOf: transport.LimitsOver(sim.Limits{sim.Crashes: 1, sim.NetErrors: 1}),
		Bugs:     knownBugs(),
		Messages: Messages(),
		Build:    build,
	}
}

// ConfigOf returns the settings of a tree for the parameters.
func ConfigOf(c spec.Config) Config {
	return Config{Degree: c.Int(degreeParam), Datagrams: transport.OverTransport(c), Buffer: c.Int(bufferParam)}
}

// StrictRoot reports whether the parameters request strict [Properties].
func StrictRoot(c spec.Config) bool { return c.Bool(strictRootParam) }

// NetworkOf returns the network of a tree for the parameters.
func NetworkOf(c spec.Config) sim.Network {
	if transport.OverTransport(c) {
		return netsim.Datagrams{}
	}
	return netsim.Streams{Buffer: c.Int(bufferParam)}
}

// Actions returns the application's actions on the trees of services of type S.
func Actions[S Holder](c spec.Config) []sim.AnyAction {
	return actions(c,
		func(s S) bool { return mayJoin(s.Tree()) }, func(s S, env sim.Env) { join(s.Tree(), env) },
		func(s S) bool { return mayShed(s.Tree()) }, func(s S, env sim.Env) { s.Tree().Shed(env) })
}

func actions[S sim.Service](c spec.Config, mayJoin func(S) bool, join func(S, sim.Env), mayShed func(S) bool,
	shed func(S, sim.Env)) []sim.AnyAction {
	list := []sim.AnyAction{sim.Action[S]{Name: "joinOverlay", When: mayJoin, Do: join}}
	if sheds := c.Int(shedsParam); sheds > 0 {
		list = append(list, sim.Action[S]{Name: "shed", Times: sheds, When: mayShed, Do: shed})
	}
	return list
}

func mayJoin(n *Node) bool { return n.State == Init }

func join(n *Node, env sim.Env) {
	n.JoinOverlay(env, nodeset.Of((env.Self()+1)%sim.NodeID(env.Nodes())))
}

func mayShed(n *Node) bool { return n.State == Joined && n.Children != 0 }

func build(c spec.Config) (sim.System, error) {
	config, set := ConfigOf(c), spec.Bits[bugs](c.Bugs, knownBugs())
	return sim.System{
		Nodes: c.Nodes,
		New: func(sim.NodeID) sim.Service {
			n := New(nil, config)
			n.bugs = set
			return n
		},
		Network:    NetworkOf(c),
		Timing:     sim.AnyOrder,
		Actions:    actions(c, mayJoin, join, mayShed, (*Node).Shed),
		Properties: properties(StrictRoot(c), sim.Each[*Node], sim.EachArmed[*Node]),
	}, nil
}
