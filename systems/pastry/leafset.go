package pastry

import "github.com/macemc/macemc/sim"

// side is a direction on the ring.
type side int

const (
	left  side = iota // towards lower keys
	right             // towards higher keys
	sides
)

func (s side) String() string { return [...]string{"left", "right"}[s] }

// Half is the half of a leaf set on one side: the next nodes in that direction. In a small ring a node can be in both
// halves.
type Half struct {
	Nodes Set
	// Bound is the furthest of Nodes, Lmin or Lmax: a full half excludes nodes that are further. None if there are no
	// nodes.
	Bound sim.NodeID
}

// Leaves returns the leaf set.
func (n *Node) Leaves() Set { return n.Halves[left].Nodes | n.Halves[right].Nodes }

// distance returns the distance to peer in the direction of the side.
func (n *Node) distance(s side, peer sim.NodeID) Key {
	if s == left {
		return n.space.clockwise[peer][n.self]
	}
	return n.space.clockwise[n.self][peer]
}

// atMost compares distances.
func (n *Node) atMost(d, e Key) bool {
	if n.bugs.has(p3) {
		return !e.Minus(d).overflown()
	}
	return !e.Less(d)
}

// admits reports whether a half has room for peer, or a node that is further.
func (n *Node) admits(s side, peer sim.NodeID) bool {
	h := &n.Halves[s]
	switch {
	case h.Nodes.Has(peer):
		return false
	case h.Nodes.Len() < n.space.half:
		return true
	}
	return n.distance(s, peer).Less(n.distance(s, h.Bound))
}

// wanted reports whether peer belongs in the leaf set but is not in it.
func (n *Node) wanted(peer sim.NodeID) bool {
	return !n.Leaves().Has(peer) && (n.admits(left, peer) || n.admits(right, peer))
}

// addLeaf adds peer to the leaf set if it belongs there, and reports whether it was added.
func (n *Node) addLeaf(peer sim.NodeID) bool {
	before := n.Leaves()
	for s := range sides {
		if !n.admits(s, peer) {
			continue
		}
		h := &n.Halves[s]
		switch {
		case h.Nodes.Len() == n.space.half:
			h.Nodes = h.Nodes.Without(h.Bound).With(peer)
			h.Bound = n.furthest(s, h.Nodes)
		case h.Bound == None || n.distance(s, h.Bound).Less(n.distance(s, peer)):
			h.Nodes, h.Bound = h.Nodes.With(peer), peer
		default:
			h.Nodes = h.Nodes.With(peer)
		}
	}
	n.stampLeaves(before)
	return n.Leaves()&^before != 0
}

// furthest returns the furthest of nodes, or None if there are none.
func (n *Node) furthest(s side, nodes Set) sim.NodeID {
	bound := None
	for peer := range nodes.All() {
		if bound == None || n.atMost(n.distance(s, bound), n.distance(s, peer)) {
			bound = peer
		}
	}
	return bound
}

// removeLeaf removes peer from the leaf set, and reports whether it was a leaf.
func (n *Node) removeLeaf(peer sim.NodeID) bool {
	before := n.Leaves()
	for s := range sides {
		h := &n.Halves[s]
		h.Nodes = h.Nodes.Without(peer)
		if h.Bound == peer {
			h.Bound = n.furthest(s, h.Nodes)
		}
	}
	n.stampLeaves(before)
	return before.Has(peer)
}

// stampLeaves records the time if the leaf set differs from before.
func (n *Node) stampLeaves(before Set) {
	if n.Leaves() != before {
		n.clock++
		n.leavesChanged = n.clock
	}
}

// covers reports whether a key lies within the bounds of the leaf set, which then holds the node closest to it.
func (n *Node) covers(k Key) bool {
	return n.within(left, n.key().Minus(k)) || n.within(right, k.Minus(n.key()))
}

// within reports whether a distance in the direction of the side is at most that of the bound.
func (n *Node) within(s side, d Key) bool {
	bound := n.Halves[s].Bound
	return bound != None && !n.distance(s, bound).Less(d)
}

// Right returns the right neighbour: the next leaf in clockwise direction, or None.
func (n *Node) Right() sim.NodeID {
	next := None
	var nearest Key
	for leaves := n.Halves[right].Nodes; leaves != 0; leaves &= leaves - 1 {
		peer := leaves.Lowest()
		if d := n.distance(right, peer); next == None || d.Less(nearest) {
			next, nearest = peer, d
		}
	}
	return next
}
