package randtree

import (
	"fmt"
	"strings"

	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/nodeset"
)

// Names of the properties.
const (
	EveryNodeJoined   = "every node has joined"
	OneRoot           = "all nodes agree on one root"
	FamiliesAgree     = "parents and children agree"
	NoLoop            = "no loop but the root's own"
	RecoveryTimerSet  = "the recovery timer is set exactly outside init"
	JoiningIsRootless = "joining implies that the root is self"
)

// Holder is a service with a tree: the tree itself, or a service above it.
type Holder interface {
	sim.Service
	// Tree returns the tree.
	Tree() *Node
}

// Tree implements [Holder].
func (n *Node) Tree() *Node { return n }

// Properties returns the properties of the trees of services of type S.
func Properties[S Holder](strictRoot bool) []sim.Property {
	return properties(strictRoot,
		func(p func(sim.NodeID, *Node) bool) func(*sim.View) bool {
			return sim.Each(func(id sim.NodeID, s S) bool { return p(id, s.Tree()) })
		},
		func(timer any, p func(sim.NodeID, *Node, bool) bool) func(*sim.View) bool {
			return sim.EachArmed(timer, func(id sim.NodeID, s S, armed bool) bool { return p(id, s.Tree(), armed) })
		})
}

// properties returns the properties, cheap ones first: the evaluation of those that should hold together stops at the
// first that does not. The three liveness properties together mean that all nodes are in one spanning tree. Each and
// armed lift predicates over one node to all nodes.
func properties(strictRoot bool, each func(func(sim.NodeID, *Node) bool) func(*sim.View) bool,
	armed func(any, func(sim.NodeID, *Node, bool) bool) func(*sim.View) bool) []sim.Property {
	props := []sim.Property{
		{Name: EveryNodeJoined, Eventually: each(hasJoined), Explain: explainStates},
		{Name: OneRoot, Eventually: oneRoot, Explain: explainTree},
		{Name: FamiliesAgree, Eventually: familiesAgree, Explain: explainTree},
		{Name: NoLoop, Always: noLoop, Explain: explainTree},
		{Name: RecoveryTimerSet, Always: armed(recoveryTimer{}, recoveryTimerSet), Explain: explainStates},
	}
	if strictRoot {
		props = append(props, sim.Property{Name: JoiningIsRootless, Always: each(joiningIsRootless), Explain: explainTree})
	}
	return props
}

func hasJoined(_ sim.NodeID, n *Node) bool { return n.State == Joined }

func joiningIsRootless(id sim.NodeID, n *Node) bool { return n.State != Joining || n.Root == id }

// node returns a node, or nil if it is down. Loops over all nodes repeat this code, because the function cannot be
// inlined.
func node(v *sim.View, id sim.NodeID) *Node {
	n, own := v.Service(id).(*Node)
	if !own {
		n = below(v.Service(id))
	}
	return n
}

// below returns the tree below a service, or nil if there is none.
func below(s sim.Service) *Node {
	if h, ok := s.(Holder); ok {
		return h.Tree()
	}
	return nil
}

// oneRoot reports whether all nodes are up and hold the same root pointer, and exactly the node that it names is its
// own parent.
func oneRoot(v *sim.View) bool {
	root := nodeset.None
	for id := range sim.NodeID(v.Len()) {
		n, own := v.Service(id).(*Node)
		if !own {
			n = below(v.Service(id))
		}
		if n == nil {
			return false
		}
		if id == 0 {
			root = n.Root
		}
		if n.Root != root || (n.Parent() == id) != (id == root) {
			return false
		}
	}
	return true
}

// familiesAgree reports whether all nodes are up and the relations child and parent agree.
func familiesAgree(v *sim.View) bool {
	for id := range sim.NodeID(v.Len()) {
		n := node(v, id)
		if n == nil {
			return false
		}
		if p := n.Parent(); p != id && p != nodeset.None {
			parent := node(v, p)
			if parent == nil || !parent.Children.Has(id) {
				return false
			}
		}
		for rest := n.Children; rest != 0; rest &= rest - 1 {
			child := node(v, rest.Lowest())
			if child == nil || child.Parent() != id {
				return false
			}
		}
	}
	return true
}

// noLoop reports whether following parents from any node ends at a root, at a node without a parent or at a node that
// is down.
func noLoop(v *sim.View) bool {
	var parents [nodeset.Max]int8 // small, because it is cleared for every state
	var ends, rest nodeset.Set    // nodes on paths that are known to end, and the others
	for id := range sim.NodeID(v.Len()) {
		n, own := v.Service(id).(*Node)
		if !own {
			n = below(v.Service(id))
		}
		parent := nodeset.None
		if n != nil {
			parent = n.Parent()
		}
		if parent == nodeset.None || parent == id {
			ends = ends.With(id)
			continue
		}
		parents[id] = int8(parent)
		rest = rest.With(id)
	}
	for rest != 0 {
		before := rest
		for check := rest; check != 0; check &= check - 1 {
			if id := check.Lowest(); ends.Has(sim.NodeID(parents[id])) {
				ends, rest = ends.With(id), rest.Without(id)
			}
		}
		if rest == before {
			return false
		}
	}
	return true
}

func recoveryTimerSet(_ sim.NodeID, n *Node, armed bool) bool { return armed == (n.State != Init) }

func explainStates(v *sim.View) string {
	return explain(v, func(n *Node) string {
		return fmt.Sprintf("%v, recovery timer set: %v", n.State, v.TimerSet(n.self, recoveryTimer{}))
	})
}

func explainTree(v *sim.View) string {
	return explain(v, func(n *Node) string {
		return fmt.Sprintf("%v, root %d, parent %d, children %v", n.State, n.Root, n.Parent(), n.Children)
	})
}

func explain(v *sim.View, tell func(*Node) string) string {
	lines := make([]string, v.Len())
	for id := range sim.NodeID(v.Len()) {
		text := "down"
		if n := node(v, id); n != nil {
			text = tell(n)
		}
		lines[id] = fmt.Sprintf("n%d: %s", id, text)
	}
	return strings.Join(lines, "\n")
}
