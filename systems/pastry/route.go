package pastry

import "github.com/macemc/macemc/sim"

// nextHop returns the next hop, which is never except, of a message for the owner of key; the node itself if it is the
// owner. Rare means that the message is routed by distance alone, as it must be once the prefix did not help or the
// leaf set was used: otherwise the two rules could route it in a cycle.
func (n *Node) nextHop(key Key, except sim.NodeID, rare bool) (next sim.NodeID, nextRare bool) {
	if n.covers(key) {
		return n.closest(key, n.self, n.Leaves().Without(except)), true
	}
	if !rare {
		if cell := n.cell(key).Without(except); cell != 0 {
			return n.closest(key, cell.Lowest(), cell), false
		}
	}
	return n.closest(key, n.self, (n.Leaves() | n.Table).Without(except)), true
}

// closest returns the node with the key closest to key: first, or one of nodes.
func (n *Node) closest(key Key, first sim.NodeID, nodes Set) sim.NodeID {
	least := apart(n.space.keys[first], key)
	for ; nodes != 0; nodes &= nodes - 1 {
		peer := nodes.Lowest()
		if d := apart(n.space.keys[peer], key); d.Less(least) {
			first, least = peer, d
		}
	}
	return first
}

// Lookup looks up the owner of a random key: the key of some node. The node must have joined.
func (n *Node) Lookup(env sim.Env) {
	id := env.Choose("whose key to look up", env.Nodes())
	n.lookup(env, Lookup{Key: n.space.keys[id], Source: n.self})
}

// lookup forwards a Lookup, or answers it.
func (n *Node) lookup(env sim.Env, m Lookup) {
	next, rare := n.nextHop(m.Key, None, m.Rare)
	m.Rare = rare
	switch {
	case next != n.self:
		_ = n.to(env, next).Send(m)
	case m.Source != n.self:
		_ = n.to(env, m.Source).Send(Found{m.Key})
	default:
		n.lookedUp(n.self, Found{m.Key})
	}
}

func (n *Node) lookedUp(from sim.NodeID, m Found) {
	n.found = n.found || n.space.keys[from] == m.Key
}
