package table

import "github.com/macemc/macemc/sim"

// Sleep sets. Let a and b be moves from a state s which do not disturb each other: both orders are possible and lead to one state v, by way of s.a
// and of s.b. Let b come before a in the list of s. When s.a was found from s, s.b had been found by then, so it is expanded before s.a, and
// leads to v by a, or knows v already for the same reason: v has been found when s.a is expanded, whose edge by b is not listed. Nothing
// changes but that an edge to a state which is known is not looked up: numbers of states and paths are what they are without. What sleeps in a
// state is told by the move by which it was found, the name of the edge, see [explore.Edges].
//
// A move of a node reads the site of its node, the frame, connections of its node and whether their other ends are up, and monitors by what it announces.
// It changes its site, the frame, the sites of nodes that it sends datagrams to, those connections, and those monitors. Moves of two nodes, b's
// having the lower number, do not disturb each other when both leave the frame as it is, neither has the other's node among its
// peers, with whom it shares a connection, not both announce, and b does not take a datagram that a has sent: one that arrives changes nothing about what
// else a node that is up can do, see [sim.Parted]. Where there are quorums, which may take all that has arrived, those that it sends to are peers, too. That
// both send to one node does no harm, either. Moves that take a datagram each
// at one node are tried in both orders, see diamondsOf.
//
// Where the states of a level are expanded in any order, by several processes, that order is not needed to come to v at the same level, if only
// moves of lower nodes sleep. If v is one step farther from the start than s.a, then s.b is as far as s.a, and was found, as all states of that
// level were. Its edge by a is listed, or sleeps because of the one by which s.b was found, of a node with a higher number than that of a, and so on:
// of nodes there is a last one. Moves have other numbers there: an edge is named by the nodes that sleep, those that nothing was sent to.

const (
	sleepers     = 16 // bits of a set of nodes
	toMonitors   = 1 << (sleepers - 1)
	neverAsleep  = 1<<sleepers - 1 // peers of a move that depends on more
	mostSleepers = sleepers - 1    // nodes
)

// asleep is what sleeps in the state that is expanded.
type asleep struct {
	nodes   uint16               // moves of theirs
	but     uint16               // such that have none of these among their peers,
	arrived [mostSleepers]uint32 // and do not take this datagram, by node, see sites.takes; 0: none has arrived
	by      uint32               // the move by which the state was found; 0: nothing is known of moves of its node
}

// canSleep reports whether moves of a system are independent as described. Under Prompt they depend on all nodes; what a node has yet to send keeps it from all
// else, and what does not fit is refused.
func (e *engine) canSleep() bool {
	return e.nodes <= mostSleepers && e.sys.Timing != sim.Prompt && !e.bags.holds && !e.bags.bounded
}

// peersOf are those of the move of a node by an event, from a packed vector, once its operations are listed. What quorums take depends on all that
// has arrived; what arrives, on whether a node is up.
func (s *sites) peersOf(m *move, ev *sim.Event, node int, packed []uint32) (peers uint16) {
	if !s.sleeps || m.kind == loneMove || m.frame != packed[s.frame] {
		return neverAsleep
	}
	if up := s.places[node].up; up[m.next] != up[packed[node]] {
		return neverAsleep
	}
	if s.ofStream(ev) {
		peers |= 1 << ev.Peer
	}
	for _, o := range s.ops[m.first : m.first+uint32(m.count)] {
		switch o.kind() {
		case opAnnounce:
			peers |= toMonitors
		case opStream:
			peers |= 1 << o.node()
		case opDatagram:
			if s.e.quorums.any {
				peers |= 1 << o.peer
			}
		}
	}
	return peers
}

// takenBy is the datagram that an event takes from a site, plus one; 0: none, or there is more to it.
func (s *sites) takenBy(ev *sim.Event, node int, at uint32) uint32 {
	if !s.sleeps || ev.Kind != sim.Deliver || s.ofStream(ev) {
		return 0
	}
	it := s.e.bags.list[s.places[node].list[at].bag].items[ev.Slot]
	return s.datagramTo(sim.NodeID(node), it.from, it.msg) + 1
}

// sleep finds out what sleeps in a state that was found by an edge of this name.
func (g *graph) sleep(name uint32) {
	a := &g.asleep
	*a = asleep{}
	if g.named {
		a.nodes, a.but = uint16(name), uint16(name>>sleepers)
		return
	}
	if g.sites.peers[name] == neverAsleep {
		return
	}
	a.by = name
	a.nodes, a.but = g.sites.behind(name)
	for _, o := range g.sites.opsOf(name) {
		if o.kind() != opDatagram {
			continue
		}
		if a.arrived[o.peer] != 0 {
			a.nodes &^= 1 << o.peer
		}
		a.arrived[o.peer] = o.index + 1
	}
}

// behind are the nodes that sleep after a move, and who must not be among the peers of their moves.
func (s *sites) behind(k uint32) (nodes, but uint16) {
	peers, node := s.peers[k], s.actor(k)
	return (1<<node - 1) &^ peers, 1<<node | peers&toMonitors
}

// undisturbed are the moves of a span, by place, that sleep if their node does. Those beyond the 64th do not.
func (s *sites) undisturbed(sp span, but uint16, arrived uint32) (asleep uint64) {
	for i := range min(sp.end-sp.begin, 64) {
		if taken := s.takes[sp.begin+i]; s.peers[sp.begin+i]&but == 0 && (taken == 0 || taken != arrived) {
			asleep |= 1 << i
		}
	}
	return asleep
}

// nameFor is a name for edges by a move that means the same in other processes.
func (s *sites) nameFor(k uint32) uint32 {
	if s.peers[k] == neverAsleep {
		return 0
	}
	nodes, but := s.behind(k)
	for _, o := range s.opsOf(k) {
		if o.kind() == opDatagram {
			nodes &^= 1 << o.peer
		}
	}
	return uint32(but)<<sleepers | uint32(nodes)
}

func (s *sites) actor(k uint32) int { return int(s.moves[k].note & noteNode) }

func (s *sites) opsOf(k uint32) []moveOp {
	m := &s.moves[k]
	return s.ops[m.first : m.first+uint32(m.count)]
}
