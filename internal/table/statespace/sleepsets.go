package statespace

import (
	"github.com/macemc/macemc/internal/table/steptree"
	"github.com/macemc/macemc/sim"
)

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
	Sleepers     = 16 // bits of a set of nodes
	ToMonitors   = 1 << (Sleepers - 1)
	ToMore       = 1 << (Sleepers - 2) // in neverSleeps alone
	NeverSleeps  = 1<<Sleepers - 1     // peers of a transition that depends on more
	MostSleepers = Sleepers - 2        // nodes
	allNodes     = 1<<MostSleepers - 1
)

// sleepSet is what sleeps in the state that is expanded.
type sleepSet struct {
	nodes   uint16               // transitions of theirs
	but     uint16               // such that have none of these among their peers,
	shared  uint16               // nor, of these nodes,
	actor   uint16               // those that acted last, or whose connection broke,
	arrived [MostSleepers]uint32 // and do not take this datagram, by node, see nodeConfigs.takes; 0: none has arrived
	by      uint32               // the transition by which the state was found; 0: nothing is known of transitions of its node
	loops   bool                 // transitions that change nothing do, too
}

// canSleep reports whether transitions of a system are independent as described: what a node has yet to send keeps it from all else, and what does not fit is refused.
func canSleep(e *steptree.Engine) bool {
	return e.Nodes <= MostSleepers && !e.Inboxes.HoldsOutgoing && !e.Inboxes.Bounded
}

// peersOf are those of the transition of a node by an event and the answers to what was asked, from a packed vector, once its operations are listed. What quorums take
// depends on all that has arrived; what arrives, on whether a node is up.
func (s *NodeConfigs) peersOf(m *transition, ev *sim.Event, asked []asked, node int, packed []uint32) (peers uint16) {
	if !s.SleepSets || m.Kind == globalTransition || m.Global != packed[s.Global] || s.Engine.Sys.Timing == sim.Prompt && ev.Kind == sim.FireTimer {
		return NeverSleeps
	}
	if up := s.Tables[node].Up; up[m.Next] != up[packed[node]] {
		return NeverSleeps
	}
	for _, a := range asked {
		if a.room {
			peers |= 1 << s.Engine.Trees.Inner.At(a.inner).Peer
		}
	}
	for _, o := range s.ops[m.first : m.first+uint32(m.count)] {
		switch o.kind() {
		case opAnnounce:
			peers |= ToMonitors
		case opStream:
			peers |= 1 << o.Node()
		case opDatagram:
			if s.Engine.Quorums.Any {
				peers |= 1 << o.Peer
			}
		}
	}
	return peers
}

// nodesOf is the node that an event takes down, see nodeConfigs; 0: it takes none down, or what is lost with it is not known of other transitions.
func (s *NodeConfigs) nodesOf(ev *sim.Event) uint16 {
	if !s.SleepSets || !ev.Kind.TakesDown() || s.Engine.Layout.InboxCount > 0 && !s.Engine.Quorums.Any {
		return 0
	}
	return 1 << ev.Node
}

// takenBy is the datagram that an event takes from a node configuration, plus one; 0: none, or there is more to it.
func (s *NodeConfigs) takenBy(ev *sim.Event, node int, at uint32) uint32 {
	if !s.SleepSets || ev.Kind != sim.Deliver || s.ofStream(ev) {
		return 0
	}
	it := s.Engine.Inboxes.List[s.Tables[node].List[at].Inbox].Items[ev.Slot]
	return s.DatagramTo(sim.NodeID(node), it.From, it.Msg) + 1
}

// sleep finds out what sleeps in a state that was found by an edge of this name.
func (g *Graph) sleep(name uint32) {
	a := &g.sleepSet
	*a = sleepSet{loops: name != 0 && g.Configs.SleepSets}
	if g.Named {
		a.nodes, a.but = uint16(name), uint16(name>>Sleepers)
		return
	}
	if struck := g.Configs.DisabledBy[name]; struck != 0 {
		a.nodes, a.but, a.shared, a.actor = behindFault(struck)
		return
	}
	if g.Configs.Peers[name] == NeverSleeps {
		return
	}
	a.by = name
	a.nodes, a.but, a.shared, a.actor = g.Configs.behind(name)
	for _, o := range g.Configs.OpsOf(name) {
		if o.kind() != opDatagram {
			continue
		}
		if a.arrived[o.Peer] != 0 {
			a.nodes &^= 1 << o.Peer
		}
		a.arrived[o.Peer] = o.Index + 1
	}
}

// behind tells what sleeps after a transition, see sleepSet.
func (s *NodeConfigs) behind(k uint32) (nodes, but, shared, actor uint16) {
	peers, node := s.Peers[k], s.Actor(k)
	nodes, but, actor = 1<<node-1, peers&ToMonitors|ToMore, 1<<node
	if s.Engine.Quorums.Any {
		return nodes &^ peers, but | actor, 0, actor
	}
	return nodes, but, peers, actor
}

// behindFault tells what sleeps after the fall of one node, or the break of the connection of two, see sleepSet.
func behindFault(struck uint16) (nodes, but, shared, actor uint16) {
	if falls := struck&(struck-1) == 0; falls {
		return allNodes, ToMore | struck, 0, struck
	}
	return allNodes, ToMore, struck, struck
}

// independent are the transitions of a span, by place, that sleep if their node does. Those beyond the 64th do not.
func (s *NodeConfigs) independent(sp span, but uint16, arrived uint32) (asleep uint64) {
	for i := range min(sp.end-sp.begin, 64) {
		if taken := s.Takes[sp.begin+i]; s.Peers[sp.begin+i]&but == 0 && (taken == 0 || taken != arrived) {
			asleep |= 1 << i
		}
	}
	return asleep
}

// nameFor is a name for edges by a transition that means the same in other processes.
func (s *NodeConfigs) nameFor(k uint32) uint32 {
	if s.Peers[k] == NeverSleeps {
		return 0
	}
	nodes, but, shared, _ := s.behind(k)
	nodes &^= shared
	for _, o := range s.OpsOf(k) {
		if o.kind() == opDatagram {
			nodes &^= 1 << o.Peer
		}
	}
	return uint32(but)<<Sleepers | uint32(nodes)
}

func (s *NodeConfigs) Actor(k uint32) int { return int(s.Transitions[k].note & NoteNode) }

func (s *NodeConfigs) OpsOf(k uint32) []EffectOp {
	m := &s.Transitions[k]
	return s.ops[m.first : m.first+uint32(m.count)]
}
