package pastry

import (
	"time"

	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/transport"
)

const (
	joinPeriod     = 2 * time.Second
	tablePeriod    = 10 * time.Second
	leafPeriod     = 5 * time.Second
	recoveryPeriod = 10 * time.Second
)

// State is the progress of a node.
type State uint8

const (
	PreJoining State = iota // has booted; not yet asked to join
	Joining                 // waits for rows and a leaf set
	Joined                  // is a member of a ring
)

func (s State) String() string { return [...]string{"preJoining", "joining", "joined"}[s] }

// Node is the service of one node, with all fields of the protocol.
type Node struct {
	State State
	// Halves are the two sides of the leaf set. All leaves have confirmed their membership themselves.
	Halves [sides]Half
	// Table holds the nodes of the routing table, some of which are known by hearsay only. Keys determine the row and
	// cell of a node.
	Table Set
	// Peers are the nodes that this one joins by. Probed are those that were asked in the current round of recovery.
	Peers, Probed Set

	// The node's time counts changes of the leaf set and the table.
	clock, leavesChanged int
	rowChanged           []int // by row; later rows have not changed

	// While joining: the received rows, whether the leaf set was received, and the senders.
	rows     uint64
	leafset  bool
	sources  []source
	deferred []Join // received while not joined
	echoed   bool   // whether the node got its own Join back

	found bool // whether a lookup of the node reached the owner of its key

	self    sim.NodeID
	space   *space `macemc:"-"`
	carrier transport.Carrier
	bugs    bugs
}

// source is a node that has sent rows or its leaf set to a joiner.
type source struct {
	node    sim.NodeID
	rows    uint64
	stamp   int // of the oldest row
	leafset bool
	leaves  int // stamp of the leaf set
}

func (n *Node) key() Key { return n.space.keys[n.self] }

// Boot implements [sim.Service].
func (n *Node) Boot(env sim.Env) {
	n.self = env.Self()
	n.Halves[left].Bound, n.Halves[right].Bound = None, None
	n.carrier.Boot(env)
}

// to returns the sender for a peer. Messages that are refused because the buffer is full may be lost, as some timer
// repeats all requests that matter.
func (n *Node) to(env sim.Env, peer sim.NodeID) transport.Sender { return n.carrier.To(env, peer) }

// Receive implements [sim.Service].
func (n *Node) Receive(env sim.Env, from sim.NodeID, msg any) {
	if !n.carrier.Receive(env, from, msg) {
		n.deliver(env, from, msg)
	}
}

// service is the name of a node above a transport in traces.
const service = "pastry"

// Deliver handles a message from the transport; it, Failed and ClearToSend implement [transport.Application].
func (n *Node) Deliver(env sim.Env, from sim.NodeID, msg any) {
	defer sim.Enter(env, service, "Deliver", from, msg).Leave()
	n.deliver(env, from, msg)
}

// Failed handles a failed connection of the transport.
func (n *Node) Failed(env sim.Env, peer sim.NodeID, err error) {
	defer sim.Enter(env, service, "Failed", peer, err).Leave()
	n.forget(env, peer)
}

// ClearToSend does nothing: timers repeat refused messages.
func (n *Node) ClearToSend(sim.Env, sim.NodeID) {}

func (n *Node) deliver(env sim.Env, from sim.NodeID, msg any) {
	switch m := msg.(type) {
	case Join:
		n.joinAsked(env, from, m)
	case Remove:
		n.forget(env, from)
	case RowInfo:
		n.rowCame(env, from, m)
	case LeafsetInfo:
		n.leafsetCame(env, from, m)
	default:
		if n.State == Joined {
			n.asMember(env, from, msg)
		}
	}
}

// asMember handles messages that only members handle.
func (n *Node) asMember(env sim.Env, from sim.NodeID, msg any) {
	switch m := msg.(type) {
	case Probe:
		n.probed(env, from)
	case ProbeReply:
		n.probe(env, m.Closer)
	case Match:
		n.hear(env, Set(0).With(from))
	case NoMatch:
		_ = n.to(env, from).Send(InformRequest{})
	default:
		n.meet(env, from)
		n.fromMember(env, from, msg)
	}
}

// fromMember handles messages of members to members.
func (n *Node) fromMember(env sim.Env, from sim.NodeID, msg any) {
	switch m := msg.(type) {
	case InformRequest:
		_ = n.to(env, from).Send(Inform{})
	case RowRequest:
		n.hear(env, m.Nodes)
		n.sendRow(env, from, m.Row)
	case LeafsetRequest:
		n.hear(env, m.Leaves)
		n.sendLeafset(env, from)
	case RowInfoReply:
		for row := range n.rowChanged {
			if m.Rows>>row&1 == 1 && n.rowNewer(row, m.Stamp) {
				n.sendRow(env, from, row)
			}
		}
	case LeafsetReply:
		if n.leavesChanged > m.Stamp {
			n.sendLeafset(env, from)
		}
	case Lookup:
		n.lookup(env, m)
	case Found:
		n.lookedUp(from, m)
	}
}

// Timer implements [sim.Service].
func (n *Node) Timer(env sim.Env, t any) {
	if n.carrier.Timer(env, t) {
		return
	}
	switch t.(type) {
	case joinTimer:
		n.join(env)
	case tableTimer:
		n.maintainTable(env)
	case leafTimer:
		n.maintainLeaves(env)
	case recoveryTimer:
		n.recover(env)
	}
}

// PeerError implements [sim.PeerErrorHandler].
func (n *Node) PeerError(env sim.Env, peer sim.NodeID, _ error) { n.forget(env, peer) }
