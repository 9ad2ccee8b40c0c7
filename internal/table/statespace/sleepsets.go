package statespace

import (
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/table/steptree"
	"github.com/macemc/macemc/sim"
)

// Sleep sets. Let a and b be independent transitions of a state s: both orders are possible and lead to one state
// v, through s.a and s.b. Let b precede a in the list of s. When s.a was found from s, s.b had been found before.
// So s.b is expanded before s.a, and either leads to v by a or omits that edge for the same reason. In both cases v
// is known when s.a is expanded, and the edge of s.a by b is not listed. Only look-ups of known states are saved: numbers of
// states and paths do not change. The sleep set of a state is determined by the transition by which it was found,
// the name of the edge, see [graph.Edges].
//
// A transition of a node reads the node configuration of its node, the global part, connections of its node and
// whether their other ends are up, and monitors that it notifies. It changes its node configuration, the global
// part, the node configurations of nodes that it sends datagrams to, those connections, and those monitors.
// Transitions a and b of two nodes, b's with the lower number, are independent if
//
//   - both leave the global part unchanged,
//   - not both touch the connection of these nodes; their peers show that,
//   - not both announce, and
//   - b does not take a datagram that a has sent. An arriving datagram does not change what else a node that is up can
//     do, see [netmodel.Parted].
//
// Quorums may take everything that has arrived. Thus with quorums the receivers of datagrams are peers, too, and
// neither transition may have the other's node among its peers. Both may send to the same node. Timers of Prompt
// systems depend on all nodes, and nothing else depends on whether they can fire. Two transitions that take a
// datagram each at one node are tried in both orders, see commutingPairs.
//
// Let a be the crash or the halt of a node, or the break of a connection. These come after all ordinary transitions
// in the list. In the global part a changes only the remaining faults. They decide whether ordinary transitions may
// end in a crash or a halt, and those that do change the global part. Ordinary transitions of all nodes sleep
// unless they touch a connection that a touches, as their peers show: all connections of a node that fails, or the
// one that breaks. A datagram to a node that is down is lost. Thus if there are datagrams, nothing sleeps behind a
// failure unless receivers are peers. A break is not a transition, but one names it, see breakOf.
//
// A transition that changes nothing leads to the state itself, and sleeps wherever any may.
//
// Several processes may expand the states of a level in any order. Then v is still reached at the same level if
// only transitions of lower nodes sleep. If v is one step farther from the start than s.a, then s.b is as far as
// s.a and was found, like all states of that level. Its edge by a is listed, or sleeps because of the edge by which
// s.b was found, of a node with a higher number than that of a, and so on. This ends because the nodes are finite.
// Numbers of transitions differ between processes. Thus an edge is named by the nodes that sleep, without those that
// a datagram was sent to.

const (
	Sleepers     = 16 // bits of a set of nodes
	ToMonitors   = 1 << (Sleepers - 1)
	ToMore       = 1 << (Sleepers - 2) // only in NeverSleeps
	NeverSleeps  = 1<<Sleepers - 1     // peers of a transition that depends on more
	MostSleepers = Sleepers - 2        // maximum number of nodes
	allNodes     = 1<<MostSleepers - 1
)

// sleepSet describes the transitions that sleep in the state under expansion.
type sleepSet struct {
	nodes   uint16               // transitions of these nodes sleep
	but     uint16               // if none of these is among their peers,
	shared  uint16               // nor, for these nodes,
	actor   uint16               // one of those that acted last, or that lost a connection,
	arrived [MostSleepers]uint32 // and if they do not take this datagram, by node, see NodeConfigs.Takes; 0: none has arrived
	by      uint32               // the transition by which the state was found; 0: nothing is known about transitions of its node
	loops   bool                 // transitions that change nothing sleep, too
}

// canSleep reports whether transitions of a system are independent as described. They are not if outgoing messages
// block a node, or if full queues refuse messages.
func canSleep(e *steptree.Engine) bool {
	return e.Nodes <= MostSleepers && !e.Inboxes.HoldsOutgoing && !e.Inboxes.Bounded
}

// peersOf returns the peers of a node's transition from a packed vector, after its operations were listed. Sets
// taken by quorums depend on everything that has arrived. Arrivals depend on whether a node is up.
func (s *NodeConfigs) peersOf(m *transition, ev *netmodel.Event, asked []asked, node int, packed []uint32) (peers uint16) {
	if !s.SleepSets || m.Kind == globalTransition || m.Global != packed[s.Global] || s.Engine.Sys.Timing == sim.Prompt &&
		ev.Kind == eventkind.FireTimer {
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

// nodesOf returns the node that an event takes down, see NodeConfigs.DisabledBy. It returns 0 if there is none, or
// if the losses may affect other transitions.
func (s *NodeConfigs) nodesOf(ev *netmodel.Event) uint16 {
	if !s.SleepSets || !ev.Kind.TakesDown() || s.Engine.Layout.InboxCount > 0 && !s.Engine.Quorums.Any {
		return 0
	}
	return 1 << ev.Node
}

// takenBy returns the number of the datagram that an event takes from a node configuration, plus one. It returns 0
// if there is none, or if the event has other effects.
func (s *NodeConfigs) takenBy(ev *netmodel.Event, node int, at uint32) uint32 {
	if !s.SleepSets || ev.Kind != eventkind.Deliver || s.ofStream(ev) {
		return 0
	}
	it := s.Engine.Inboxes.List[s.Tables[node].List[at].Inbox].Items[ev.Slot]
	return s.DatagramTo(sim.NodeID(node), it.From, it.Msg) + 1
}

// sleep computes the sleep set of a state that was found by an edge of this name.
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

// behind returns the sleep set after a transition, see sleepSet.
func (s *NodeConfigs) behind(k uint32) (nodes, but, shared, actor uint16) {
	peers, node := s.Peers[k], s.Actor(k)
	nodes, but, actor = 1<<node-1, peers&ToMonitors|ToMore, 1<<node
	if s.Engine.Quorums.Any {
		return nodes &^ peers, but | actor, 0, actor
	}
	return nodes, but, peers, actor
}

// behindFault returns the sleep set after the failure of a node, or after the break of a connection, see sleepSet.
func behindFault(struck uint16) (nodes, but, shared, actor uint16) {
	if falls := struck&(struck-1) == 0; falls {
		return allNodes, ToMore | struck, 0, struck
	}
	return allNodes, ToMore, struck, struck
}

// independent returns the transitions of a span that sleep if their node does, as bits by place. Places from 64 on
// never sleep.
func (s *NodeConfigs) independent(sp span, but uint16, arrived uint32) (asleep uint64) {
	for i := range min(sp.end-sp.begin, 64) {
		if taken := s.Takes[sp.begin+i]; s.Peers[sp.begin+i]&but == 0 && (taken == 0 || taken != arrived) {
			asleep |= 1 << i
		}
	}
	return asleep
}

// nameFor returns a name for edges by a transition that is valid in other processes.
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
