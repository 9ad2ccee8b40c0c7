package pastry

import (
	"math/bits"
	"slices"

	"github.com/macemc/macemc/sim"
)

// JoinOverlay makes the node join the ring with peers as members. Without peers it starts its own ring. The node must
// be in [PreJoining].
func (n *Node) JoinOverlay(env sim.Env, peers Set) {
	n.Peers = peers.Without(n.self)
	if n.Peers == 0 {
		n.becomeMember(env)
		return
	}
	n.State = Joining
	n.join(env)
}

// join requests the missing information.
func (n *Node) join(env sim.Env) {
	env.SetTimer(joinTimer{}, joinPeriod)
	peer := n.Peers.At(env.Choose("peer to join by", n.Peers.Len()))
	_ = n.to(env, peer).Send(Join{Who: n.self, StartRow: bits.TrailingZeros64(^n.rows)})
}

// joinAsked sends the rows that a joiner can use, and forwards the Join to a closer node.
func (n *Node) joinAsked(env sim.Env, from sim.NodeID, m Join) {
	switch {
	case m.Who == n.self:
		n.echoed = true
		return
	case n.State != Joined && (from == m.Who || n.bugs.has(p4|p5)):
		n.deferJoin(m)
		return
	case n.State != Joined:
		_ = n.to(env, from).Send(Remove{}) // the node that forwarded it takes this node for a member
		return
	}
	except := m.Who
	if n.bugs.has(p4) {
		except = None
	}
	if !n.bugs.has(p4|p5) && !n.Leaves().Has(m.Who) {
		n.removeFromTable(m.Who)
	}
	next, rare := n.nextHop(n.space.keys[m.Who], except, m.Rare)
	if next == n.self {
		n.welcome(env, m)
		return
	}
	shared := n.space.row(n.self, m.Who)
	n.sendRows(env, m.Who, m.StartRow, shared)
	m.StartRow, m.Rare = max(m.StartRow, shared+1), rare
	if n.bugs.has(p1) {
		m.StartRow = 1
	}
	_ = n.to(env, next).Send(m)
}

// welcome answers a joiner with a key that this node owns: it sends the remaining rows and the leaf set. The joiner
// asks again for what does not fit into the send buffer.
func (n *Node) welcome(env sim.Env, m Join) {
	if n.sendRows(env, m.Who, m.StartRow, n.space.rows-1) {
		n.sendLeafset(env, m.Who)
	}
}

// sendRows sends rows first to last, and reports whether there was room for all.
func (n *Node) sendRows(env sim.Env, to sim.NodeID, first, last int) bool {
	for row := first; row <= last; row++ {
		if !n.sendRow(env, to, row) {
			return false
		}
	}
	return true
}

// deferJoin keeps a Join until this node is a member itself.
func (n *Node) deferJoin(m Join) {
	n.deferred = slices.DeleteFunc(n.deferred, func(j Join) bool { return j.Who == m.Who })
	n.deferred = append(n.deferred, m)
}

// rowCame handles a row.
func (n *Node) rowCame(env sim.Env, from sim.NodeID, m RowInfo) {
	if n.State == PreJoining {
		return
	}
	n.meet(env, from)
	n.hear(env, m.Nodes)
	if n.State == Joining {
		n.rows |= 1 << m.Row
		s := n.source(from)
		if s.rows == 0 {
			s.stamp = m.Stamp
		}
		s.rows |= 1 << m.Row
		s.stamp = min(s.stamp, m.Stamp)
		n.finishJoin(env)
	}
}

// leafsetCame handles a leaf set.
func (n *Node) leafsetCame(env sim.Env, from sim.NodeID, m LeafsetInfo) {
	if n.State == PreJoining {
		return
	}
	n.meet(env, from)
	n.hear(env, m.Leaves)
	if n.State == Joining {
		n.leafset = true
		s := n.source(from)
		s.leafset, s.leaves = true, m.Stamp
		n.finishJoin(env)
	}
}

// source returns the record of a node that has sent information for a join.
func (n *Node) source(from sim.NodeID) *source {
	for i := range n.sources {
		if n.sources[i].node == from {
			return &n.sources[i]
		}
	}
	n.sources = append(n.sources, source{node: from})
	return &n.sources[len(n.sources)-1]
}

// finishJoin makes the node a member once it has everything, and informs all nodes that it has learned of. It reports
// to the senders of rows and of the leaf set the age of their information.
func (n *Node) finishJoin(env sim.Env) {
	if n.rows != n.space.allRows() || !n.leafset {
		return
	}
	env.StopTimer(joinTimer{})
	n.becomeMember(env)
	for peer := range (n.Table | n.Leaves()).All() {
		if n.wanted(peer) {
			_ = n.to(env, peer).Send(InformRequest{})
		} else {
			_ = n.to(env, peer).Send(Inform{})
		}
	}
	for _, s := range n.sources {
		if s.rows != 0 {
			_ = n.to(env, s.node).Send(RowInfoReply{s.rows, s.stamp})
		}
		if s.leafset {
			_ = n.to(env, s.node).Send(LeafsetReply{s.leaves})
		}
	}
	n.rows, n.leafset, n.sources = 0, false, nil
}

// becomeMember ends joining and answers the deferred Joins.
func (n *Node) becomeMember(env sim.Env) {
	n.State = Joined
	env.SetTimer(tableTimer{}, tablePeriod)
	env.SetTimer(leafTimer{}, leafPeriod)
	if n.Peers != 0 {
		env.SetTimer(recoveryTimer{}, recoveryPeriod)
	}
	for _, m := range n.deferred {
		n.joinAsked(env, m.Who, m)
	}
	n.deferred = nil
}
