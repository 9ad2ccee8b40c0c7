package multicast

import (
	"fmt"
	"slices"
	"strings"

	"github.com/macemc/macemc/sim"
)

// Names of the properties in addition to those of the tree.
const (
	SameDelivered = "all nodes have delivered the same"
	OnceDelivered = "nothing is delivered twice"
	OwnDelivered  = "what a node publishes it delivers itself"
	AllReached    = "something published by every node has reached all"
)

// properties returns the properties of the application. They follow those of the tree, which are checked first.
func properties() []sim.Property {
	return []sim.Property{
		{Name: SameDelivered, Eventually: sameDelivered, Explain: explain},
		{Name: OnceDelivered, Always: sim.Each(func(_ sim.NodeID, m *Member) bool { return m.repeated == 0 }), Explain: explain},
		{Name: OwnDelivered, Always: sim.Each(ownDelivered), Explain: explain},
		{Name: AllReached, Sometimes: allReached},
	}
}

// sameDelivered checks that all nodes are up, and have delivered the same.
func sameDelivered(v *sim.View) bool {
	var first *Member
	for id := range sim.NodeID(v.Len()) {
		m, _ := v.Service(id).(*Member)
		switch {
		case m == nil:
			return false
		case id == 0:
			first = m
		case !slices.Equal(m.Delivered, first.Delivered):
			return false
		}
	}
	return true
}

// ownDelivered checks that a node has delivered at least as many own publications as it has published.
func ownDelivered(id sim.NodeID, m *Member) bool {
	own := 0
	for _, p := range m.Delivered {
		if sim.NodeID(p.ID.Node) == id {
			own++
		}
	}
	return own >= m.published
}

func allReached(v *sim.View) bool {
	if !sameDelivered(v) {
		return false
	}
	m, _ := v.Service(0).(*Member)
	for id := range v.Len() {
		if !slices.ContainsFunc(m.Delivered, func(p Publication) bool { return p.ID.Node == id }) {
			return false
		}
	}
	return true
}

func explain(v *sim.View) string {
	lines := make([]string, v.Len())
	for id := range sim.NodeID(v.Len()) {
		m, _ := v.Service(id).(*Member)
		if m == nil {
			lines[id] = fmt.Sprintf("n%d: down", id)
			continue
		}
		var texts []string
		for _, p := range m.Delivered {
			texts = append(texts, fmt.Sprintf("n%d/%d", p.ID.Node, p.ID.Count))
		}
		lines[id] = fmt.Sprintf("n%d: neighbours %v, delivered {%s}", id, m.tree.Neighbours(), strings.Join(texts, " "))
		if m.repeated > 0 {
			lines[id] += fmt.Sprintf(", %d twice", m.repeated)
		}
	}
	return strings.Join(lines, "\n")
}
