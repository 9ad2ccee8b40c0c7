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

// State is how far a node has come.
type State uint8

const (
	PreJoining State = iota // has booted; nobody asked it to join
	Joining                 // waits for rows and a leaf set
	Joined                  // is a member of a ring
)

func (s State) String() string { return [...]string{"preJoining", "joining", "joined"}[s] }

// Node is the service of one node.
type Node struct {
	State State
	// Halves are the two sides of the leaf set. All leaves have been heard of from themselves.
	Halves [sides]Half
	// Table holds the nodes of the routing table, some of which are known by hearsay only. Keys say in
	// which row and cell a node is.
	Table Set
	// Peers are the nodes that this one joins by. Probed are those that were asked in this round of
	// recovery.
	Peers, Probed Set

	// The node's time counts changes of the leaf set and the table.
	clock, leavesChanged int
	rowChanged           []int // by row; later rows have not changed

	// While joining: which rows have come, whether a leaf set has, and from whom.
	rows     uint64
	leafset  bool
	sources  []source
	deferred []Join // that came while not joined
	echoed   bool   // whether the node got its own Join back

	found bool // whether a lookup of the node reached the one whose key it was for

	self    sim.NodeID
	space   *space `macemc:"-"`
	carrier transport.Carrier
	bugs    bugs
}

// source is a node that has sent parts of its routing table or its leaf set to a joiner.
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

// to returns what sends to a peer. A message that is refused because the buffer is full is no loss: all
// that matters is asked for again by some timer.
func (n *Node) to(env sim.Env, peer sim.NodeID) transport.Sender { return n.carrier.To(env, peer) }

// Receive implements [sim.Service].
func (n *Node) Receive(env sim.Env, from sim.NodeID, msg any) {
	if !n.carrier.Receive(env, from, msg) {
		n.deliver(env, from, msg)
	}
}

// service is how traces name a node above a transport.
const service = "pastry"

// Deliver handles a message that the transport delivers; it, Failed and ClearToSend implement
// [transport.Application].
func (n *Node) Deliver(env sim.Env, from sim.NodeID, msg any) {
	defer sim.Enter(env, service, "Deliver", from, msg).Leave()
	n.deliver(env, from, msg)
}

// Failed handles a failed connection of the transport.
func (n *Node) Failed(env sim.Env, peer sim.NodeID, err error) {
	defer sim.Enter(env, service, "Failed", peer, err).Leave()
	n.forget(env, peer)
}

// ClearToSend does nothing: what was refused is asked for again.
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

// asMember handles what only members care for.
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
