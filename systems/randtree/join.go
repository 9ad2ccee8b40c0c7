package randtree

import (
	"github.com/macemc/macemc/macetime"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/nodeset"
)

// join asks target for a place in its tree.
func (n *Node) join(env sim.Env, target sim.NodeID) {
	n.State = Joining
	n.Bootstrap = target
	// A refused Join may be lost: the timer tries again.
	_ = n.carrier.To(env, target).Send(Join{Source: n.self, Epoch: n.Epoch, RedirectedBy: nodeset.None})
	env.SetTimer(joinTimer{}, joinPeriod)
}

// joinTimedOut repeats the attempt at the next peer that is not a child.
func (n *Node) joinTimedOut(env sim.Env) {
	env.Assert(n.parent == nodeset.None, "joining again although there is a parent")
	if !n.bugs.has(rt15) {
		n.setRoot(env, n.self)
	}
	next := n.Peers.After(n.Bootstrap)
	for n.Children.Has(next) {
		if next == n.Bootstrap {
			n.settle(env) // all are below this node already
			return
		}
		next = n.Peers.After(next)
	}
	n.join(env, next)
}

// joinAsked takes a joiner as a child, or forwards the Join.
func (n *Node) joinAsked(env sim.Env, from sim.NodeID, m Join) {
	if n.State == Init {
		return // the joiner's timer tries again
	}
	// A mark means that this tree's root wants the joiner below this node. It may be out of date: the node, or one
	// between it and the root, may have moved since.
	marked := m.RedirectedBy == n.Root && from == n.parent
	isRoot := n.Root == n.self
	switch {
	case m.Source == n.self:
		if isRoot {
			n.forcedRoot(env, m.Epoch)
		}
	case m.Source == n.Root:
		n.reply(env, m, JoinReply{Answer: LoopError})
	case !isRoot && !marked:
		m.RedirectedBy = nodeset.None
		n.forward(env, n.Root, m)
	case isRoot && m.Source < n.self:
		n.reply(env, m, JoinReply{Answer: RootForce})
		if !n.bugs.has(rt1) {
			n.Peers = n.Peers.With(m.Source)
		}
		n.join(env, m.Source)
	case n.Children.Has(m.Source):
		// Its acceptance is on the way.
	case n.Children.Len() < n.degree:
		if !n.reply(env, m, JoinReply{Answer: Accepted, Root: n.Root, Siblings: n.Children}) {
			return
		}
		n.updateChildren(env, m.Source)
		n.Children = n.Children.With(m.Source)
		if isRoot {
			n.committed(env)
		}
		n.linked(env, m.Source)
	default:
		m.RedirectedBy = n.Root
		child := n.Children.At(env.Choose("child to join", n.Children.Len()))
		if n.forward(env, child, m) && isRoot {
			n.committed(env)
		}
	}
}

// reply answers a Join and reports whether there was room to send.
func (n *Node) reply(env sim.Env, m Join, r JoinReply) bool {
	r.Epoch = m.Epoch
	return n.carrier.To(env, m.Source).Send(r) == nil
}

// forward forwards a Join and reports whether there was room to send.
func (n *Node) forward(env sim.Env, to sim.NodeID, m Join) bool {
	if n.carrier.To(env, to).Send(m) != nil {
		n.reply(env, m, JoinReply{Answer: Unreachable})
		return false
	}
	return true
}

// committed records that a node was told to join below this root. An acceptance still in flight to the root itself must
// not count any more: it may come from below that joiner.
func (n *Node) committed(env sim.Env) {
	n.newEpoch(env)
	n.settle(env)
}

// joinAnswered handles the reply to a Join of this node.
func (n *Node) joinAnswered(env sim.Env, from sim.NodeID, m JoinReply) {
	switch m.Answer {
	case Accepted:
		switch {
		case n.State != Init && n.parent == nodeset.None && m.Epoch == n.Epoch:
			n.setParent(env, from, m)
		case n.State == Init && n.bugs.has(rt13):
		case from != n.parent:
			n.sendRemove(env, from)
		}
	case RootForce, LoopError:
		n.forcedRoot(env, m.Epoch)
	case Unreachable:
		// The timer tries again.
	}
}

// setParent makes the node a child of parent.
func (n *Node) setParent(env sim.Env, parent sim.NodeID, m JoinReply) {
	n.parent, n.Root, n.Siblings = parent, m.Root, m.Siblings
	n.owedRemove = n.owedRemove.Without(parent)
	n.newEpoch(env)
	n.settle(env)
	n.updateChildren(env, nodeset.None)
	n.linked(env, parent)
}

// forcedRoot makes the joining node a root. The attempt stays open: another node may still accept a root without
// children to be redirected to.
func (n *Node) forcedRoot(env sim.Env, epoch macetime.MonotoneTime) {
	if n.State == Joining && epoch == n.Epoch {
		env.Assert(n.Root == n.self, "made root while the root pointer names another")
		n.settle(env)
	}
}

// settle ends joining.
func (n *Node) settle(env sim.Env) {
	if n.State == Joining {
		n.State = Joined
		env.StopTimer(joinTimer{})
	}
}

// newEpoch invalidates replies to earlier Joins.
func (n *Node) newEpoch(env sim.Env) { n.Epoch = env.Clock().Tick() }
