package table

import "github.com/macemc/macemc/sim"

// Sleep sets. Let a and b be moves from a state s which do not disturb each other: both orders are possible and lead to one state v, by way of s.a
// and of s.b. Let b come before a in the list of s. When s.a was found from s, s.b had been found by then, so it is expanded before s.a, and
// leads to v by a, or knows v already for the same reason: v has been found when s.a is expanded, whose edge by b is not listed. Nothing
// changes but that an edge to a state which is known is not looked up: numbers of states and paths are what they are without. What sleeps in a
// state is told by the transition by which it was found, the name of the edge, see [explore.Edges].
//
// A move of a node reads the node configuration of its node, the global part, connections of its node and whether their other ends are up, and monitors by what it announces.
// It changes its node configuration, the global part, the node configurations of nodes that it sends datagrams to, those connections, and those monitors. Moves of two nodes, b's
// having the lower number, do not disturb each other when both leave the global part as it is, not both touch the connection of these nodes, and see it so by their
// peers, not both announce, and b does not take a datagram that a has sent: one that arrives changes nothing about what
// else a node that is up can do, see [sim.Parted]. Where there are quorums, which may take all that has arrived, those that it sends to are peers, too,
// and neither may have the other's node among its peers. That both send to one node does no harm. Timers of systems that are Prompt depend on all nodes, and
// what else happens there does not depend on whether they can fire. Moves that take a datagram each
// at one node are tried in both orders, see commutingPairs.
//
// Let a be the crash or the halt of a node, or the break of a connection, which come after all ordinary transitions in the list. Of the global part it changes nothing
// but what faults are left, which says of ordinary transitions whether they may end in a crash or a halt, and those that do so change the global part. Ordinary transitions of
// all nodes sleep, but for those that touch a connection, or see it so by its peer, that a touches: all those of a node that falls, and the one that
// breaks. A datagram to a node that is down is lost: where there are any, nothing sleeps behind a fall, unless those that it is sent to are peers.
// A break is no transition, but it has one for a name, see breakOf.
//
// A move that changes nothing leads to the state itself, and sleeps wherever anything may.
//
// Where the states of a level are expanded in any order, by several processes, that order is not needed to come to v at the same level, if only
// transitions of lower nodes sleep. If v is one step farther from the start than s.a, then s.b is as far as s.a, and was found, as all states of that
// level were. Its edge by a is listed, or sleeps because of the one by which s.b was found, of a node with a higher number than that of a, and so on:
// of nodes there is a last one. Moves have other numbers there: an edge is named by the nodes that sleep, those that nothing was sent to.

const (
	sleepers     = 16 // bits of a set of nodes
	toMonitors   = 1 << (sleepers - 1)
	toMore       = 1 << (sleepers - 2) // in neverSleeps alone
	neverSleeps  = 1<<sleepers - 1     // peers of a transition that depends on more
	mostSleepers = sleepers - 2        // nodes
	allNodes     = 1<<mostSleepers - 1
)

// sleepSet is what sleeps in the state that is expanded.
type sleepSet struct {
	nodes   uint16               // transitions of theirs
	but     uint16               // such that have none of these among their peers,
	shared  uint16               // nor, of these nodes,
	actor   uint16               // those that acted last, or whose connection broke,
	arrived [mostSleepers]uint32 // and do not take this datagram, by node, see nodeConfigs.takes; 0: none has arrived
	by      uint32               // the transition by which the state was found; 0: nothing is known of transitions of its node
	loops   bool                 // transitions that change nothing do, too
}

// canSleep reports whether transitions of a system are independent as described: what a node has yet to send keeps it from all else, and what does not fit is refused.
func canSleep(e *engine) bool {
	return e.nodes <= mostSleepers && !e.inboxes.holds && !e.inboxes.bounded
}

// peersOf are those of the transition of a node by an event and the answers to what was asked, from a packed vector, once its operations are listed. What quorums take
// depends on all that has arrived; what arrives, on whether a node is up.
func (s *nodeConfigs) peersOf(m *transition, ev *sim.Event, asked []asked, node int, packed []uint32) (peers uint16) {
	if !s.sleepSets || m.kind == globalTransition || m.global != packed[s.global] || s.e.sys.Timing == sim.Prompt && ev.Kind == sim.FireTimer {
		return neverSleeps
	}
	if up := s.tables[node].up; up[m.next] != up[packed[node]] {
		return neverSleeps
	}
	for _, a := range asked {
		if a.room {
			peers |= 1 << s.e.steps.inner.at(a.inner).peer
		}
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

// nodesOf is the node that an event takes down, see nodeConfigs; 0: it takes none down, or what is lost with it is not known of other transitions.
func (s *nodeConfigs) nodesOf(ev *sim.Event) uint16 {
	if !s.sleepSets || !ev.Kind.TakesDown() || s.e.layout.inboxCount > 0 && !s.e.quorums.any {
		return 0
	}
	return 1 << ev.Node
}

// takenBy is the datagram that an event takes from a node configuration, plus one; 0: none, or there is more to it.
func (s *nodeConfigs) takenBy(ev *sim.Event, node int, at uint32) uint32 {
	if !s.sleepSets || ev.Kind != sim.Deliver || s.ofStream(ev) {
		return 0
	}
	it := s.e.inboxes.list[s.tables[node].list[at].inbox].items[ev.Slot]
	return s.datagramTo(sim.NodeID(node), it.from, it.msg) + 1
}

// sleep finds out what sleeps in a state that was found by an edge of this name.
func (g *graph) sleep(name uint32) {
	a := &g.sleepSet
	*a = sleepSet{loops: name != 0 && g.sites.sleepSets}
	if g.named {
		a.nodes, a.but = uint16(name), uint16(name>>sleepers)
		return
	}
	if struck := g.sites.disabledBy[name]; struck != 0 {
		a.nodes, a.but, a.shared, a.actor = behindFault(struck)
		return
	}
	if g.sites.peers[name] == neverSleeps {
		return
	}
	a.by = name
	a.nodes, a.but, a.shared, a.actor = g.sites.behind(name)
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

// behind tells what sleeps after a transition, see sleepSet.
func (s *nodeConfigs) behind(k uint32) (nodes, but, shared, actor uint16) {
	peers, node := s.peers[k], s.actor(k)
	nodes, but, actor = 1<<node-1, peers&toMonitors|toMore, 1<<node
	if s.e.quorums.any {
		return nodes &^ peers, but | actor, 0, actor
	}
	return nodes, but, peers, actor
}

// behindFault tells what sleeps after the fall of one node, or the break of the connection of two, see sleepSet.
func behindFault(struck uint16) (nodes, but, shared, actor uint16) {
	if falls := struck&(struck-1) == 0; falls {
		return allNodes, toMore | struck, 0, struck
	}
	return allNodes, toMore, struck, struck
}

// independent are the transitions of a span, by place, that sleep if their node does. Those beyond the 64th do not.
func (s *nodeConfigs) independent(sp span, but uint16, arrived uint32) (asleep uint64) {
	for i := range min(sp.end-sp.begin, 64) {
		if taken := s.takes[sp.begin+i]; s.peers[sp.begin+i]&but == 0 && (taken == 0 || taken != arrived) {
			asleep |= 1 << i
		}
	}
	return asleep
}

// nameFor is a name for edges by a transition that means the same in other processes.
func (s *nodeConfigs) nameFor(k uint32) uint32 {
	if s.peers[k] == neverSleeps {
		return 0
	}
	nodes, but, shared, _ := s.behind(k)
	nodes &^= shared
	for _, o := range s.opsOf(k) {
		if o.kind() == opDatagram {
			nodes &^= 1 << o.peer
		}
	}
	return uint32(but)<<sleepers | uint32(nodes)
}

func (s *nodeConfigs) actor(k uint32) int { return int(s.transitions[k].note & noteNode) }

func (s *nodeConfigs) opsOf(k uint32) []effectOp {
	m := &s.transitions[k]
	return s.ops[m.first : m.first+uint32(m.count)]
}
