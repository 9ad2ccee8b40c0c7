package randtree

import (
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/nodeset"
)

// setRoot changes the root pointer and notifies the children.
func (n *Node) setRoot(env sim.Env, root sim.NodeID) {
	if root == n.Root {
		return
	}
	n.Root = root
	for child := range n.Children.All() {
		if n.carrier.To(env, child).Send(NewRoot{root}) != nil {
			n.owedUpdate = n.owedUpdate.With(child)
		}
	}
}

// updateChildren sends every child the root and its siblings; joiner is a further child that has received them already,
// or None.
func (n *Node) updateChildren(env sim.Env, joiner sim.NodeID) {
	for child := range n.Children.All() {
		n.updateChild(env, child, joiner)
	}
}

func (n *Node) updateChild(env sim.Env, child, joiner sim.NodeID) {
	siblings := n.Children.Without(child)
	if joiner != nodeset.None {
		siblings = siblings.With(joiner)
	}
	if n.carrier.To(env, child).Send(UpdateSiblings{n.Root, siblings}) != nil {
		n.owedUpdate = n.owedUpdate.With(child)
	}
}

// sendRemove notifies a peer that this node is not its child.
func (n *Node) sendRemove(env sim.Env, peer sim.NodeID) {
	if n.carrier.To(env, peer).Send(Remove{}) != nil && !n.bugs.has(rt12) {
		n.owedRemove = n.owedRemove.With(peer)
	}
}

// PeerReady implements [sim.PeerReadyHandler].
func (n *Node) PeerReady(env sim.Env, peer sim.NodeID) {
	if n.up != nil {
		defer sim.Enter(env, service, "PeerReady", peer).Leave()
	}
	n.peerReady(env, peer)
}

// peerReady sends the refused messages.
func (n *Node) peerReady(env sim.Env, peer sim.NodeID) {
	if n.owedRemove.Has(peer) {
		n.owedRemove = n.owedRemove.Without(peer)
		n.sendRemove(env, peer)
	}
	if n.owedUpdate.Has(peer) {
		n.owedUpdate = n.owedUpdate.Without(peer)
		n.updateChild(env, peer, nodeset.None)
	}
	if n.up != nil {
		n.up.Ready(env, peer)
	}
}

// removed handles a Remove.
func (n *Node) removed(env sim.Env, from sim.NodeID) {
	if n.bugs.has(rt10) && n.State == Joining {
		return
	}
	if n.Children.Has(from) {
		n.dropChild(from)
		n.updateChildren(env, nodeset.None)
	}
}

func (n *Node) dropChild(child sim.NodeID) {
	n.Children = n.Children.Without(child)
	n.owedUpdate = n.owedUpdate.Without(child)
}

// rejoin handles a Rejoin: the node leaves its parent and starts over at the root.
func (n *Node) rejoin(env sim.Env, from sim.NodeID) {
	if from != n.parent {
		return
	}
	root := n.Root
	n.sendRemove(env, from)
	n.leaveParent(env)
	n.setRoot(env, n.self)
	if root == n.self {
		return
	}
	if !n.bugs.has(rt9) {
		n.Peers = n.Peers.With(root)
	}
	n.join(env, root)
}

// PeerError implements [sim.PeerErrorHandler].
func (n *Node) PeerError(env sim.Env, peer sim.NodeID, err error) {
	if n.up != nil {
		defer sim.Enter(env, service, "PeerError", peer, err).Leave()
	}
	n.peerFailed(env, peer)
}

// peerFailed handles the failure of the connection to a peer, which can be child and parent at once.
func (n *Node) peerFailed(env sim.Env, peer sim.NodeID) {
	n.owedRemove = n.owedRemove.Without(peer)
	if n.Children.Has(peer) {
		n.dropChild(peer)
		n.updateChildren(env, nodeset.None)
	}
	if peer == n.parent {
		n.parentLost(env, peer)
	}
}

// parentLost looks for another parent. If the root itself is lost, the siblings agree without communication: the lowest
// is the new root.
func (n *Node) parentLost(env sim.Env, parent sim.NodeID) {
	root, lowest := n.Root, n.Siblings.With(n.self).Lowest()
	n.leaveParent(env)
	switch {
	case root == n.self, parent == root && lowest == n.self:
		n.setRoot(env, n.self)
	case parent == root:
		if !n.bugs.has(rt15 | rt16) {
			n.setRoot(env, n.self)
		}
		if !n.bugs.has(rt5) {
			n.Peers = n.Peers.With(lowest)
		}
		n.join(env, lowest)
	default:
		if !n.bugs.has(rt15 | rt17) {
			n.setRoot(env, n.self)
		}
		if !n.bugs.has(rt6) {
			n.Peers = n.Peers.With(root)
		}
		n.join(env, root)
	}
}

func (n *Node) leaveParent(env sim.Env) {
	n.parent, n.Siblings = nodeset.None, 0
	n.newEpoch(env)
}
