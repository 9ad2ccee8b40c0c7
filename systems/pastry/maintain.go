package pastry

import "github.com/macemc/macemc/sim"

// meet records that a peer has confirmed that it is a member. A new leaf is informed, so that it can add this node as a
// leaf, too.
func (n *Node) meet(env sim.Env, peer sim.NodeID) {
	n.addToTable(peer)
	if n.addLeaf(peer) && n.State == Joined {
		_ = n.to(env, peer).Send(Inform{})
	}
}

// hear records nodes that another node has named. Hearsay suffices for the routing table; a leaf must confirm its
// membership first.
func (n *Node) hear(env sim.Env, nodes Set) {
	for peer := range nodes.Without(n.self).All() {
		n.addToTable(peer)
		if n.State == Joined && n.wanted(peer) {
			_ = n.to(env, peer).Send(InformRequest{})
		}
	}
}

// forget removes a peer that failed or is not a member. Other nodes may take its place.
func (n *Node) forget(env sim.Env, peer sim.NodeID) {
	n.removeFromTable(peer)
	if n.removeLeaf(peer) && n.State == Joined {
		n.hear(env, n.Table)
	}
}

// maintainTable exchanges a row with a node of that row.
func (n *Node) maintainTable(env sim.Env) {
	env.SetTimer(tableTimer{}, tablePeriod)
	if n.Table == 0 {
		return
	}
	peer := n.Table.At(env.Choose("node to exchange its row with", n.Table.Len()))
	row := n.space.row(n.self, peer)
	_ = n.to(env, peer).Send(RowRequest{row, n.row(row)})
}

// maintainLeaves exchanges leaf sets with the furthest leaves, and repeats requests to nodes of the table that none has
// reached.
func (n *Node) maintainLeaves(env sim.Env) {
	env.SetTimer(leafTimer{}, leafPeriod)
	n.hear(env, n.Table)
	var furthest Set // often the same on both sides
	for s := range sides {
		if bound := n.Halves[s].Bound; bound != None {
			furthest = furthest.With(bound)
		}
	}
	for peer := range furthest.All() {
		_ = n.to(env, peer).Send(LeafsetRequest{n.Leaves()})
	}
}

func (n *Node) sendRow(env sim.Env, to sim.NodeID, row int) bool {
	return n.to(env, to).Send(RowInfo{row, n.row(row).Without(to), n.clock}) == nil
}

func (n *Node) sendLeafset(env sim.Env, to sim.NodeID) {
	_ = n.to(env, to).Send(LeafsetInfo{n.Leaves().Without(to), n.clock})
}
