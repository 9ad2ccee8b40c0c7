package randtree

import (
	"time"

	"github.com/macemc/macemc/macetime"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/nodeset"
	"github.com/macemc/macemc/systems/transport"
)

const (
	joinPeriod     = 500 * time.Millisecond
	recoveryPeriod = time.Second
)

// State is the progress of a node.
type State uint8

const (
	Init    State = iota // has booted; not yet asked to join
	Joining              // looks for a parent
	Joined               // has a parent, or is a root
)

func (s State) String() string { return [...]string{"init", "joining", "joined"}[s] }

// Node is the service of one node, with all fields of the protocol.
type Node struct {
	State State
	// Root is the root of the node's tree in the node's view; the node itself if it has no parent.
	Root sim.NodeID
	// Children and Siblings are the nodes below and next to this one, Peers those that it may ask to
	// join or probe.
	Children, Siblings, Peers nodeset.Set
	// Bootstrap is the node that was asked to join last, Probed the one that was probed last.
	Bootstrap, Probed sim.NodeID
	// Epoch distinguishes attempts to join. Only an acceptance of the current one counts.
	Epoch macetime.MonotoneTime

	parent sim.NodeID // None for a root and while joining
	// Peers with a send buffer that had no room for a Remove, and for the root or the siblings.
	owedRemove, owedUpdate nodeset.Set

	self    sim.NodeID
	degree  int // maximum number of children
	carrier transport.Carrier
	up      Application // nil means none
	bugs    bugs
}

// Parent returns the node's parent as seen by others: a root is its own parent. It returns None if the node has not
// joined.
func (n *Node) Parent() sim.NodeID {
	if n.parent == nodeset.None && n.State == Joined && !n.bugs.has(rt2) {
		return n.self
	}
	return n.parent
}

// Boot implements [sim.Service].
func (n *Node) Boot(env sim.Env) {
	if n.up != nil {
		defer sim.Enter(env, service, "Boot").Leave()
	}
	n.self = env.Self()
	n.Root, n.parent = n.self, nodeset.None
	n.Bootstrap, n.Probed = nodeset.None, n.self
	n.carrier.Boot(env)
	n.newEpoch(env)
}

// JoinOverlay makes the node join the tree with peers as members. It must be in [Init].
func (n *Node) JoinOverlay(env sim.Env, peers nodeset.Set) {
	if n.up != nil {
		defer sim.Enter(env, service, "JoinOverlay", peers).Leave()
	}
	n.Peers = peers.Without(n.self)
	env.SetTimer(recoveryTimer{}, recoveryPeriod)
	if n.Peers == 0 {
		n.State = Joined
		return
	}
	n.join(env, n.Peers.After(n.self))
}

// Shed tells a random child to look for another place. The node must have a child.
func (n *Node) Shed(env sim.Env) {
	if n.up != nil {
		defer sim.Enter(env, service, "Shed").Leave()
	}
	child := n.Children.At(env.Choose("child to shed", n.Children.Len()))
	_ = n.carrier.To(env, child).Send(Rejoin{})
}

// Receive implements [sim.Service].
func (n *Node) Receive(env sim.Env, from sim.NodeID, msg any) {
	if n.up != nil {
		defer sim.Enter(env, service, "Receive", from, msg).Leave()
	}
	if !n.carrier.Receive(env, from, msg) {
		n.deliver(env, from, msg)
	}
}

// Timer implements [sim.Service].
func (n *Node) Timer(env sim.Env, t any) {
	if n.up != nil {
		defer sim.Enter(env, service, "Timer", t).Leave()
	}
	if n.carrier.Timer(env, t) {
		return
	}
	switch t.(type) {
	case joinTimer:
		n.joinTimedOut(env)
	case recoveryTimer:
		n.recover(env)
	}
}

func (n *Node) deliver(env sim.Env, from sim.NodeID, msg any) {
	switch m := msg.(type) {
	case Join:
		n.joinAsked(env, from, m)
	case JoinReply:
		n.joinAnswered(env, from, m)
	case Remove:
		n.removed(env, from)
	case Rejoin:
		n.rejoin(env, from)
	case UpdateSiblings:
		if from == n.parent {
			n.Siblings = m.Siblings
			n.setRoot(env, m.Root)
		}
	case NewRoot:
		if from == n.parent || n.bugs.has(rt4) && n.State == Joined {
			n.setRoot(env, m.Root)
		}
	case Probe:
		n.probed(env, m)
	case ProbeJoin:
		n.probeJoin(env, m)
	case Payload:
		if n.up != nil {
			n.up.Deliver(env, from, m.Body)
		}
	}
}
