package pastry

import (
	"fmt"
	"strings"

	"github.com/macemc/macemc/sim"
)

// Names of the properties.
const (
	EveryNodeJoined = "every node has joined"
	OneRing         = "right neighbours lead to all nodes"
	Symmetric       = "leaf sets are symmetric"
	BoundsAgree     = "the bounds of a leaf set are its furthest nodes"
	NoOwnJoin       = "no node gets its own join"
	LookupFound     = "a lookup reaches the node whose key it is for"
)

// properties returns the properties, cheap ones first: the evaluation of those that should hold together stops at the
// first that does not.
func properties(lookups bool) []sim.Property {
	props := []sim.Property{
		{Name: EveryNodeJoined, Eventually: everyNodeJoined, Explain: explainStates},
		{Name: OneRing, Eventually: oneRing, Explain: explainLeaves},
		{Name: Symmetric, Eventually: symmetric, Explain: explainLeaves},
		{Name: BoundsAgree, Always: sim.Each(boundsAgree), Explain: explainLeaves},
		{Name: NoOwnJoin, Always: sim.Each(noOwnJoin), Explain: explainStates},
	}
	if lookups {
		props = append(props, sim.Property{Name: LookupFound, Sometimes: lookupFound})
	}
	return props
}

func noOwnJoin(_ sim.NodeID, n *Node) bool { return !n.echoed }

// member returns a joined node, or nil if the node has not joined or is down.
func member(v *sim.View, id sim.NodeID) *Node {
	if n, _ := v.Service(id).(*Node); n != nil && n.State == Joined {
		return n
	}
	return nil
}

// everyNodeJoined reports whether all nodes are up and have joined.
func everyNodeJoined(v *sim.View) bool {
	for id := range sim.NodeID(v.Len()) {
		if member(v, id) == nil {
			return false
		}
	}
	return true
}

// oneRing reports whether all nodes have joined, and right neighbours lead from each node to all nodes. This holds if
// the path from node 0 returns to it after visiting all of them.
func oneRing(v *sim.View) bool {
	id := sim.NodeID(0)
	var seen Set
	for range v.Len() {
		n := member(v, id)
		if n == nil {
			return false
		}
		seen = seen.With(id)
		if id = n.Right(); id == None {
			return v.Len() == 1
		}
	}
	return id == 0 && seen.Len() == v.Len()
}

// symmetric reports whether all nodes have joined and the leaf relation is symmetric.
func symmetric(v *sim.View) bool {
	for id := range sim.NodeID(v.Len()) {
		n := member(v, id)
		if n == nil {
			return false
		}
		for leaves := n.Leaves(); leaves != 0; leaves &= leaves - 1 {
			if peer := member(v, leaves.Lowest()); peer == nil || !peer.Leaves().Has(id) {
				return false
			}
		}
	}
	return true
}

// boundsAgree reports whether each half of the leaf set respects its maximum size, and its bound is the furthest of its
// nodes.
func boundsAgree(_ sim.NodeID, n *Node) bool {
	for s := range sides {
		h := &n.Halves[s]
		if h.Nodes.Len() > n.space.half || (h.Bound == None) != (h.Nodes == 0) || h.Bound != None && !h.Nodes.Has(h.Bound) {
			return false
		}
		for nodes := h.Nodes; nodes != 0; nodes &= nodes - 1 {
			if n.distance(s, h.Bound).Less(n.distance(s, nodes.Lowest())) {
				return false
			}
		}
	}
	return true
}

func lookupFound(v *sim.View) bool {
	for _, n := range sim.Nodes[*Node](v) {
		if n.found {
			return true
		}
	}
	return false
}

func explainStates(v *sim.View) string {
	return explain(v, func(n *Node) string {
		text := fmt.Sprintf("%v, routing table %v", n.State, n.Table)
		if n.echoed {
			text += ", got its own join"
		}
		return text
	})
}

func explainLeaves(v *sim.View) string {
	return explain(v, func(n *Node) string {
		text := n.State.String()
		for s := range sides {
			h := &n.Halves[s]
			text += fmt.Sprintf(", %v leaves %v", s, h.Nodes)
			if h.Bound != None {
				text += fmt.Sprintf(" to %d", h.Bound)
			}
		}
		return text
	})
}

// explain returns one line for each node.
func explain(v *sim.View, tell func(*Node) string) string {
	lines := make([]string, v.Len())
	for id := range sim.NodeID(v.Len()) {
		lines[id] = fmt.Sprintf("n%d: down", id)
		if n, _ := v.Service(id).(*Node); n != nil {
			lines[id] = fmt.Sprintf("n%d %v: %s", id, n.key(), tell(n))
		}
	}
	return strings.Join(lines, "\n")
}
