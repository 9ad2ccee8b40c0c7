package overcast

import (
	"fmt"
	"strings"

	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/nodeset"
)

// Names of the properties.
const (
	SpanningTree = "all nodes are in one tree"
	NoLoop       = "no loop"
)

func properties() []sim.Property {
	return []sim.Property{
		{Name: SpanningTree, Eventually: spanningTree, Explain: explain},
		{Name: NoLoop, Always: noLoop, Explain: explain},
	}
}

// node returns a node, or nil if it is down.
func node(v *sim.View, id sim.NodeID) *Node {
	n, _ := v.Service(id).(*Node)
	return n
}

// spanningTree checks that following children from the root visits every node, each has joined, and a node is a
// child of another exactly if that is its parent.
func spanningTree(v *sim.View) bool {
	visited, rest := nodeset.Of(Root), nodeset.Of(Root)
	for rest != 0 {
		id := rest.Lowest()
		n := node(v, id)
		if n == nil || n.State != Joined {
			return false
		}
		for child := range n.Children.All() {
			if c := node(v, child); c == nil || c.Parent != id || visited.Has(child) {
				return false
			}
		}
		rest = rest.Without(id) | n.Children
		visited |= n.Children
	}
	return visited.Len() == v.Len()
}

// noLoop checks that following parents from any node ends at a node without a parent or one that is down.
func noLoop(v *sim.View) bool {
	for id := range sim.NodeID(v.Len()) {
		at := id
		for steps := 0; at != None; steps++ {
			if steps == v.Len() {
				return false
			}
			n := node(v, at)
			if n == nil {
				break
			}
			at = n.Parent
		}
	}
	return true
}

func explain(v *sim.View) string {
	lines := make([]string, v.Len())
	for id := range sim.NodeID(v.Len()) {
		text := "down"
		if n := node(v, id); n != nil {
			text = fmt.Sprintf("%v, parent %d, children %v, round %d, locked by %d", n.State, n.Parent, n.Children, n.Round, n.Holder)
		}
		lines[id] = fmt.Sprintf("n%d: %s", id, text)
	}
	return strings.Join(lines, "\n")
}
