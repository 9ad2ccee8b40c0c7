package pastry

import "github.com/macemc/macemc/sim"

// recover asks the nodes through which this one joined whether its ring is theirs.
func (n *Node) recover(env sim.Env) {
	if n.bugs.has(p2) {
		return
	}
	env.SetTimer(recoveryTimer{}, recoveryPeriod)
	n.Probed = 0
	for peer := range n.Peers.All() {
		n.probe(env, peer)
	}
}

// probe asks a node for the one with the key next to this node's own; at most once per node and round.
func (n *Node) probe(env sim.Env, peer sim.NodeID) {
	if !n.Probed.With(n.self).Has(peer) {
		n.Probed = n.Probed.With(peer)
		env.Send(peer, Probe{})
	}
}

// probed answers a Probe.
func (n *Node) probed(env sim.Env, from sim.NodeID) {
	next, _ := n.nextHop(n.space.keys[from], from, false)
	switch {
	case next != n.self:
		env.Send(from, ProbeReply{next})
	case n.Leaves().Has(from):
		env.Send(from, Match{})
	default:
		env.Send(from, NoMatch{})
	}
}
