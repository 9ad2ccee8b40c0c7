package multicast

import (
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/nodeset"
	"github.com/macemc/macemc/systems/randtree"
	"github.com/macemc/macemc/systems/spec"
	"github.com/macemc/macemc/systems/transport"
)

// publicationsParam is the name of the only parameter that the tree does not have.
const publicationsParam = "publications"

// Entry describes the system.
func Entry() spec.Entry {
	limits := sim.Limits{sim.Crashes: 1, sim.NetErrors: 1}
	return spec.Entry{
		Name:    "multicast",
		Summary: "publications flood a random overlay tree: an application over randtree over streams or transport",
		Notes: "Timers fire in any order. Every node joins the tree as in randtree, and publishes; the checked property is\n" +
			"that after crashes and socket errors all nodes have delivered the same, nothing twice. The log of a run shows\n" +
			"the calls between the services of a node.",
		Params: append(randtree.Params(), spec.Param{
			Name: publicationsParam, Kind: spec.Int, Default: "1", Min: 0, Max: 100, Help: "number of publications of each node"}),
		MinNodes: 1, MaxNodes: nodeset.Max, DefaultNodes: 3,
		Limits:   limits,
		LimitsOf: transport.LimitsOver(limits),
		Messages: append(randtree.Messages(), Batch{}),
		Build: func(c spec.Config) (sim.System, error) {
			config := randtree.ConfigOf(c)
			return system(c, func() *Member { return NewMember(config) }), nil
		},
	}
}

// system returns the system of the members made by newMember.
func system(c spec.Config, newMember func() *Member) sim.System {
	actions := randtree.Actions[*Member](c)
	if times := c.Int(publicationsParam); times > 0 {
		actions = append(actions, sim.Action[*Member]{
			Name: "publish", Times: times,
			When: func(m *Member) bool { return m.tree.State == randtree.Joined },
			Do:   (*Member).Publish,
		})
	}
	return sim.System{
		Nodes:      c.Nodes,
		New:        func(sim.NodeID) sim.Service { return newMember() },
		Network:    randtree.NetworkOf(c),
		Timing:     sim.AnyOrder,
		Actions:    actions,
		Properties: append(randtree.Properties[*Member](randtree.StrictRoot(c)), properties()...),
	}
}
