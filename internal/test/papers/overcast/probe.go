package overcast

import (
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/nodeset"
)

// probe is the state of a comparison of the parent with another node. It has no times, since nothing is measured.
type probe struct {
	target sim.NodeID  // the node that it may move under; valid only if of contains it
	of     nodeset.Set // the probed nodes; empty without a probe
	locked nodeset.Set // those of them that have confirmed the lock
	done   nodeset.Set // those of them that have answered the train
}

// reorganise may begin a probe of the parent and of a node that could replace it.
func (n *Node) reorganise(env sim.Env, from sim.NodeID, m Reorganise) {
	if from != n.Parent || n.probe.of != 0 {
		return
	}
	var places nodeset.Set
	if n.Holder == None {
		places = m.Siblings &^ n.Children
		if m.Grandparent != None {
			places = places.With(m.Grandparent)
		}
	}
	pick := env.Choose("whom to probe", 1+places.Len())
	if pick == 0 {
		n.learnRound(env, m.Round)
		return
	}
	// The node does not learn the round, so that those who have may take it.
	target := places.At(pick - 1)
	n.probe = probe{target: target, of: nodeset.Of(n.Parent, target)}
	env.SetTimer(probeTimer{}, probeLimit)
	for peer := range n.probe.of.All() {
		if env.Stream(peer).Send(Lock{n.Round}) != nil {
			n.endProbe(env)
			return
		}
	}
}

// lockAsked grants a lock to a child, and to a node for which there is room and which could become a child of this
// one.
func (n *Node) lockAsked(env sim.Env, from sim.NodeID, m Lock) {
	child := n.Children.Has(from)
	if !n.free() || !child && (n.Children.Len() >= n.degree || n.Round <= m.Round) {
		_ = env.Stream(from).Send(Refused{}) // otherwise the prober gives up by its timer
		return
	}
	if env.Stream(from).Send(Locked{}) != nil {
		return
	}
	n.Holder = from
	if !n.bugs.has(ov1) {
		env.SetTimer(leaseTimer{}, lease)
	}
}

// release ends the lock on this node.
func (n *Node) release(env sim.Env) {
	n.Holder = None
	env.StopTimer(leaseTimer{})
}

// locked sends the trains when all nodes to probe are locked.
func (n *Node) locked(env sim.Env, from sim.NodeID) {
	p := &n.probe
	if !p.of.Has(from) {
		n.unlock(env, from) // the probe has ended
		return
	}
	if p.locked.Has(from) {
		return
	}
	if p.locked = p.locked.With(from); p.locked != p.of {
		return
	}
	for peer := range p.of.All() {
		for i := range n.train {
			if env.Stream(peer).Send(Probe{Last: i == n.train-1}) != nil {
				n.endProbe(env)
				return
			}
		}
	}
}

// probed compares the nodes, by a choice, when all trains have arrived.
func (n *Node) probed(env sim.Env, from sim.NodeID) {
	p := &n.probe
	if !p.of.Has(from) || p.done.Has(from) {
		return
	}
	if p.done = p.done.With(from); p.done != p.of {
		return
	}
	if env.Choose("stay or move", 2) == 0 || env.Stream(p.target).Send(Move{}) != nil {
		n.endProbe(env)
	}
}

// moveAsked takes the holder of the lock as a child. The lock may have ended, and this node may have lost its
// parent.
func (n *Node) moveAsked(env sim.Env, from sim.NodeID) {
	if n.Holder == from && n.State == Joined && n.Children.Len() < n.degree {
		n.accept(env, from)
		return
	}
	if n.Holder == from {
		n.release(env)
	}
	_ = env.Stream(from).Send(Refused{})
}

// refused ends the probe when one of the probed nodes cannot take part. That one is not locked.
func (n *Node) refused(env sim.Env, by sim.NodeID) {
	if n.probe.of.Has(by) {
		n.probe.of = n.probe.of.Without(by)
		n.endProbe(env)
	}
}

// endProbe ends the node's own probe, if there is one, and its locks.
func (n *Node) endProbe(env sim.Env) {
	if n.probe.of == 0 {
		return
	}
	of := n.probe.of
	n.probe = probe{}
	env.StopTimer(probeTimer{})
	for peer := range of.All() {
		n.unlock(env, peer)
	}
}

// unlock ends the lock on a peer.
func (n *Node) unlock(env sim.Env, peer sim.NodeID) {
	if env.Stream(peer).Send(Unlock{}) != nil && !n.bugs.has(ov1) {
		n.owedUnlock = n.owedUnlock.With(peer)
	}
}
