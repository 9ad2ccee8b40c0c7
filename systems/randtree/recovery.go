package randtree

import (
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/nodeset"
)

// recover looks for nodes in other trees.
func (n *Node) recover(env sim.Env) {
	if n.bugs.has(rt3) && n.State != Joined {
		return
	}
	env.SetTimer(recoveryTimer{}, recoveryPeriod)
	for peer := range n.Neighbours().All() {
		n.carrier.Check(env, peer)
	}
	family := n.Children.With(n.Root).With(n.self)
	if n.parent != nodeset.None {
		family = family.With(n.parent)
	}
	if others := n.Peers &^ family; others != 0 {
		n.Probed = others.After(n.Probed)
		_ = n.carrier.To(env, n.Probed).Send(Probe{n.Root}) // the next period probes again
	}
}

// probed handles a Probe: of two trees the one with the higher root joins the other.
func (n *Node) probed(env sim.Env, m Probe) {
	if n.State == Joining || n.State == Init && !n.bugs.has(rt11) {
		return
	}
	switch {
	case m.Root > n.Root:
		_ = n.carrier.To(env, m.Root).Send(ProbeJoin{n.Root})
	case m.Root < n.Root && n.Root != n.self:
		_ = n.carrier.To(env, n.Root).Send(ProbeJoin{m.Root})
	case m.Root < n.Root:
		if !n.bugs.has(rt7) {
			n.Peers = n.Peers.With(m.Root)
		}
		n.join(env, m.Root)
	}
}

// probeJoin handles a ProbeJoin. A node that has ceased to be a root leaves it to the next probe.
func (n *Node) probeJoin(env sim.Env, m ProbeJoin) {
	if n.State == Joining || n.State == Init && !n.bugs.has(rt14) {
		return
	}
	if n.Root == n.self && m.Root < n.self {
		if !n.bugs.has(rt8) {
			n.Peers = n.Peers.With(m.Root)
		}
		n.join(env, m.Root)
	}
}
