package randtree

import (
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/nodeset"
	"github.com/macemc/macemc/systems/transport"
)

// service is the name of the tree in traces.
const service = "randtree"

// Application is the service above a tree. The calls are made within the handlers of the node; they may
// send.
type Application interface {
	// Deliver handles a message that the application of another node sent.
	Deliver(env sim.Env, from sim.NodeID, msg any)
	// Linked reports that a peer has become the parent or a child. Earlier messages to it may be lost.
	Linked(env sim.Env, peer sim.NodeID)
	// Ready reports that there may be room again for a peer for which a message was refused.
	Ready(env sim.Env, peer sim.NodeID)
}

// Config holds the settings of a tree.
type Config struct {
	// Degree is the number of children that a node may have, at least 1.
	Degree int
	// Datagrams makes the tree use its own transport over datagrams instead of streams.
	Datagrams bool
	// Buffer is the number of packets in the send buffer of that transport; 0 means its default.
	Buffer int
}

// New returns a tree for the application up, which calls Boot, Receive, Timer, PeerError and PeerReady
// from its own handlers. Without an application the tree is the service of a node itself.
func New(up Application, c Config) *Node {
	n := &Node{up: up, degree: c.Degree}
	if c.Datagrams {
		n.carrier = transport.Over(n, transport.Config{Buffer: c.Buffer})
	}
	return n
}

// Neighbours returns the parent and the children.
func (n *Node) Neighbours() nodeset.Set {
	if n.parent == nodeset.None {
		return n.Children
	}
	return n.Children.With(n.parent)
}

// Send sends a message to the application of a peer, which should be a neighbour. It returns [sim.ErrFull] if the send
// buffer has no room; Ready is called once it has.
func (n *Node) Send(env sim.Env, to sim.NodeID, msg any) error {
	defer sim.Enter(env, service, "Send", to, msg).Leave()
	return n.carrier.To(env, to).Send(Payload{msg})
}

func (n *Node) linked(env sim.Env, peer sim.NodeID) {
	if n.up != nil {
		n.up.Linked(env, peer)
	}
}

// The transport's application: Deliver, Failed and ClearToSend implement [transport.Application].

// Deliver handles a message that the transport delivers.
func (n *Node) Deliver(env sim.Env, from sim.NodeID, msg any) {
	defer sim.Enter(env, service, "Deliver", from, msg).Leave()
	n.deliver(env, from, msg)
}

// Failed handles a failed connection of the transport.
func (n *Node) Failed(env sim.Env, peer sim.NodeID, err error) {
	defer sim.Enter(env, service, "Failed", peer, err).Leave()
	n.peerFailed(env, peer)
}

// ClearToSend handles the notification that the transport has room again.
func (n *Node) ClearToSend(env sim.Env, peer sim.NodeID) {
	defer sim.Enter(env, service, "ClearToSend", peer).Leave()
	n.peerReady(env, peer)
}
