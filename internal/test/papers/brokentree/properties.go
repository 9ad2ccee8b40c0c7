package brokentree

import (
	"fmt"
	"strings"

	"github.com/macemc/macemc/sim"
)

// Names of the properties.
const (
	NoSelfLoop = "no node is its own parent"
	NoLoop     = "no loop"
)

// properties returns the properties. Freedom from loops is checked only on request, since no version of the
// protocol has it.
func properties(loops bool) []sim.Property {
	props := []sim.Property{{Name: NoSelfLoop, Always: sim.Each(noSelfLoop), Explain: explain}}
	if loops {
		props = append(props, sim.Property{Name: NoLoop, Always: noLoop, Explain: explain})
	}
	return props
}

func noSelfLoop(id sim.NodeID, n *Node) bool { return n.Parent != id }

// noLoop checks that following parents from any node ends at a node without a parent or one that is down.
func noLoop(v *sim.View) bool {
	for id := range sim.NodeID(v.Len()) {
		at := id
		for steps := 0; at != None; steps++ {
			if steps == v.Len() {
				return false
			}
			n, _ := v.Service(at).(*Node)
			if n == nil {
				break
			}
			at = n.Parent
		}
	}
	return true
}

func explain(v *sim.View) string {
	lines := make([]string, v.Len())
	for id := range sim.NodeID(v.Len()) {
		text := "down"
		if n, ok := v.Service(id).(*Node); ok {
			text = fmt.Sprintf("%v, parent %d, children %v", n.State, n.Parent, n.Children)
		}
		lines[id] = fmt.Sprintf("n%d: %s", id, text)
	}
	return strings.Join(lines, "\n")
}
