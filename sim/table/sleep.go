package table

import "github.com/macemc/macemc/sim"

// Sleep sets. Let a and b be steps of different nodes from a state s, b's node having the lower number, so that b comes before a in the
// list. If neither reads what the other changes, both orders lead to one state v, by way of s.a and of s.b. When s.a was found from s,
// s.b had been found by then, so it is expanded before s.a and leads to v, by a or by what was left out there for the same
// reason, which has a node with a higher number: v has been found when s.a is expanded, whose edge by b is not listed. Nothing changes but
// that an edge to a state which is known is not looked up: numbers of states and paths are what they are without.
//
// Where the states of a level are expanded in any order, by several processes, that order is not needed to come to v at the same level. If v is
// one step farther from the start than s.a, then s.b is as far as s.a, and was found, as all states of that level were. Its edge by a is listed, or
// sleeps because of one by which s.b was found, of a node with a higher number than that of a, and so on: of nodes there is a last one.
//
// A move reads the site of its node, the frame, connections of its node and whether their other ends are up, and monitors by what it announces.
// It changes its site, the frame, the sites of nodes that it sends to, those connections, and those monitors. So a and b do not
// disturb each other when both leave the frame as it is, neither has the node of the other among its peers, and not both announce.
// That both send to a third node does no harm: what arrives from two nodes makes the same bag in either order, see [sim.Parted].
//
// The peers of a move are a set of nodes, as bits, with the bit of monitors when it announces. What sleeps in s.a are the nodes before
// that of a which are not its peers: moves of theirs that do not have a's node among their peers, nor the monitors if a announces. Both
// are kept with s.a, see [explore.Edges].

const (
	sleepers     = 16 // bits of a set of nodes
	toMonitors   = 1 << (sleepers - 1)
	neverAsleep  = 1<<sleepers - 1 // peers of a move that depends on more
	mostSleepers = sleepers - 1    // nodes
)

// canSleep reports whether moves of a system are independent as described. Under Prompt they depend on all nodes.
func (e *engine) canSleep() bool {
	return e.nodes <= mostSleepers && e.sys.Timing != sim.Prompt && !e.bags.holds && !e.bags.bounded
}

// wakesAfter is what sleeps after a move of a node that has no peers.
func (s *sites) wakesAfter(node int) uint32 {
	if !s.sleeps {
		return 0
	}
	self := uint32(1) << node
	return self<<sleepers | self - 1
}

// after is what sleeps after a move with these peers.
func after(sleeps uint32, peers uint16) uint32 {
	sleeps &^= uint32(peers)
	return sleeps | uint32(peers&toMonitors)<<sleepers
}

// peersOf are those of the move by an event, once its operations are listed.
func (s *sites) peersOf(m *move, ev *sim.Event, sameFrame bool) (peers uint16) {
	if !s.sleeps || !sameFrame || m.kind == loneMove {
		return neverAsleep
	}
	if s.ofStream(ev) {
		peers |= 1 << ev.Peer
	}
	for _, o := range s.ops[m.first : m.first+uint32(m.count)] {
		switch o.peer >> opKind {
		case opAnnounce:
			peers |= toMonitors
		case opDatagram, opStream:
			peers |= 1 << (o.peer & (1<<opKind - 1))
		}
	}
	return peers
}
