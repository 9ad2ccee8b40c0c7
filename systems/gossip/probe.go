package gossip

import "github.com/macemc/macemc/sim"

// beginProbe pings a node, and also all suspects, so that they learn of it and can refute.
func (n *Node) beginProbe(env sim.Env) {
	target := None
	if others := n.others(func(m Member) bool { return m.Status != Dead || n.config.rejoin }); len(others) > 0 {
		target = others[env.Choose("whom to probe", len(others))]
		env.Send(target, Ping{None, n.news(target)})
		if n.Members[target].Status != Dead {
			n.Probed = target
			env.SetTimer(ackTimer{}, ackWait)
		}
	}
	for _, id := range n.others(func(m Member) bool { return m.Status == Suspect }) {
		if id != target {
			env.Send(id, Ping{None, n.news(id)})
		}
	}
}

// askOthers asks others to ping the node that has not answered.
func (n *Node) askOthers(env sim.Env) {
	helpers := n.others(func(m Member) bool { return m.Status != Dead })
	helpers = without(helpers, n.Probed)
	for range min(n.config.indirect, len(helpers)) {
		id := helpers[env.Choose("whom to ask", len(helpers))]
		helpers = without(helpers, id)
		env.Send(id, PingReq{n.Probed, n.news(id)})
	}
}

// answered ends the probe of a node that is alive.
func (n *Node) answered(env sim.Env, id sim.NodeID) {
	if id == n.Probed {
		n.Probed = None
		env.StopTimer(ackTimer{})
	}
}

// endProbe suspects the node that has not answered within the period.
func (n *Node) endProbe(env sim.Env) {
	if n.Probed == None {
		return
	}
	u := Update{n.Probed, Suspect, n.Members[n.Probed].Incarnation}
	if n.config.suspicion == 0 {
		u.Status = Dead
	}
	n.answered(env, n.Probed)
	n.learn(env, u)
}

// others returns the other nodes that satisfy holds, in order.
func (n *Node) others(holds func(Member) bool) []sim.NodeID {
	var ids []sim.NodeID
	for id, m := range n.Members {
		if sim.NodeID(id) != n.self && holds(m) {
			ids = append(ids, sim.NodeID(id))
		}
	}
	return ids
}

func without(ids []sim.NodeID, out sim.NodeID) []sim.NodeID {
	var rest []sim.NodeID
	for _, id := range ids {
		if id != out {
			rest = append(rest, id)
		}
	}
	return rest
}
