package overcast

import (
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/test/systest"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/nodeset"
)

func TestProperties(t *testing.T) {
	member := func(parent sim.NodeID, children ...sim.NodeID) Node {
		return Node{State: Joined, Parent: parent, Children: nodeset.Of(children...), Holder: None}
	}
	// tree is 0 above 1 and 2, 2 above 3.
	tree := func() []Node { return []Node{member(None, 1, 2), member(0), member(0, 3), member(2)} }
	with := func(change func(n []Node)) []Node { n := tree(); change(n); return n }
	for _, c := range []struct {
		name   string
		nodes  []Node
		down   nodeset.Set
		broken string // names of the properties that do not hold, in order, separated by ", "
	}{
		{"a tree", tree(), 0, ""},
		{"the root alone", []Node{member(None)}, 0, ""},
		{"one has just booted", []Node{member(None), {Parent: None, Holder: None}}, 0, SpanningTree},
		{"one looks for a parent, with its old one", with(func(n []Node) { n[3].State = Joining }), 0, SpanningTree},
		{"one looks for a parent", with(func(n []Node) { n[3].State, n[3].Parent, n[2].Children = Joining, None, 0 }), 0, SpanningTree},
		{"a child too many", with(func(n []Node) { n[1].Children = nodeset.Of(3) }), 0, SpanningTree},
		{"a child too few", with(func(n []Node) { n[2].Children = 0 }), 0, SpanningTree},
		{"a leaf is down", tree(), nodeset.Of(3), SpanningTree},
		{"the root is down", tree(), nodeset.Of(0), SpanningTree},
		{"one that is down between two that are up", tree(), nodeset.Of(2), SpanningTree},
		{"a node below itself", []Node{member(None), member(1, 1)}, 0, SpanningTree + ", " + NoLoop},
		{"a loop of two", []Node{member(None), member(2, 2), member(1, 1)}, 0, SpanningTree + ", " + NoLoop},
		{"a loop of all", []Node{member(2, 1), member(0, 2), member(1, 0)}, 0, SpanningTree + ", " + NoLoop},
		{"a node behind a loop", []Node{member(None), member(2, 2), member(1, 1, 3), member(2)}, 0, SpanningTree + ", " + NoLoop},
		{"what would be a loop, with a node that is down", []Node{member(None), member(2, 2), member(1, 1)}, nodeset.Of(2), SpanningTree},
	} {
		t.Run(c.name, func(t *testing.T) {
			sys := sim.System{
				Nodes: len(c.nodes), New: func(sim.NodeID) sim.Service { return &Node{} }, Timing: sim.AnyOrder, Properties: properties(),
			}
			w := systest.World(t, sys, func(n *Node, env sim.Env) { *n = c.nodes[env.Self()] }, c.down)
			if got := strings.Join(systest.Broken(t, w), ", "); got != c.broken {
				t.Errorf("do not hold: %s\nwant: %s", got, c.broken)
			}
		})
	}
}
