package gossip

import (
	"fmt"
	"strings"

	"github.com/macemc/macemc/sim"
)

// Names of the properties.
const (
	NoFalseDeath = "no live node is declared dead"
	Agreement    = "all live nodes agree on who is alive"
	Refuted      = "a live node has refuted a suspicion"
)

func properties() []sim.Property {
	return []sim.Property{
		{Name: NoFalseDeath, Always: noFalseDeath, Explain: explain},
		{Name: Agreement, Eventually: agreement, Explain: explain},
		{Name: Refuted, Sometimes: refuted},
	}
}

// in returns a participating node, or nil if the node is down or out.
func in(v *sim.View, id sim.NodeID) *Node {
	if n, ok := v.Service(id).(*Node); ok && !n.Out {
		return n
	}
	return nil
}

// noFalseDeath reports whether no node is believed dead in an incarnation that it has had since it booted. A belief
// that it died before that is correct.
func noFalseDeath(v *sim.View) bool {
	for i, n := range sim.Nodes[*Node](v) {
		if n.Out {
			continue
		}
		for id, m := range n.Members {
			if sim.NodeID(id) == i || m.Status != Dead {
				continue
			}
			if o := in(v, sim.NodeID(id)); o != nil && (m.Incarnation >= o.Born || !n.config.rejoin) {
				return false
			}
		}
	}
	return true
}

// agreement reports whether all participating nodes believe that exactly the participating nodes are alive.
func agreement(v *sim.View) bool {
	for i, n := range sim.Nodes[*Node](v) {
		if n.Out {
			continue
		}
		for id, m := range n.Members {
			want := Dead
			if in(v, sim.NodeID(id)) != nil {
				want = Alive
			}
			if sim.NodeID(id) != i && m.Status != want {
				return false
			}
		}
	}
	return true
}

func refuted(v *sim.View) bool {
	for id, n := range sim.Nodes[*Node](v) {
		if n.Members[id].Incarnation > n.Born {
			return true
		}
	}
	return false
}

func explain(v *sim.View) string {
	lines := make([]string, v.Len())
	for id := range lines {
		text := "down"
		if n, ok := v.Service(sim.NodeID(id)).(*Node); ok && n.Out {
			text = "out"
		} else if ok {
			text = fmt.Sprintf("incarnation %d, believes", n.Members[id].Incarnation)
			for i, m := range n.Members {
				if i != id {
					text += fmt.Sprintf(" n%d %v", i, m)
				}
			}
		}
		lines[id] = fmt.Sprintf("n%d: %s", id, text)
	}
	return strings.Join(lines, "\n")
}
