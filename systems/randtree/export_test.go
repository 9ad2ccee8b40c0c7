package randtree

import "github.com/macemc/macemc/sim"

// SearchEnds says that the join timer's search for another peer ends. It would not when it could
// never meet the bootstrap again and all it meets are children.
var SearchEnds = sim.Property{
	Name: "the search for a peer ends",
	Always: sim.EachArmed(joinTimer{}, func(_ sim.NodeID, n *Node, armed bool) bool {
		return !armed || n.Peers.Has(n.Bootstrap) || n.Peers&^n.Children != 0
	}),
}
