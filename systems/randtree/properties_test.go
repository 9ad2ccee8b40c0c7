package randtree

import (
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/test/systest"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/nodeset"
)

// member is a joined node.
func member(root, parent sim.NodeID, children ...sim.NodeID) Node {
	return Node{State: Joined, Root: root, parent: parent, Children: nodeset.Of(children...)}
}

// world returns a world in which the nodes have the given states, except those that are down.
func world(t *testing.T, nodes []Node, down nodeset.Set) kernel.World {
	sys := sim.System{
		Nodes: len(nodes), New: func(sim.NodeID) sim.Service { return &Node{} }, Timing: sim.AnyOrder,
		Properties: Properties[*Node](true),
	}
	return systest.World(t, sys, func(n *Node, env sim.Env) {
		*n = nodes[env.Self()]
		n.self = env.Self()
		if n.State != Init {
			env.SetTimer(recoveryTimer{}, 0)
		}
	}, down)
}

func TestProperties(t *testing.T) {
	// tree is 0 above 1 and 2, 2 above 3.
	tree := func() []Node {
		return []Node{member(0, nodeset.None, 1, 2), member(0, 0), member(0, 0, 3), member(0, 2)}
	}
	with := func(change func(n []Node)) []Node { n := tree(); change(n); return n }
	for _, c := range []struct {
		name   string
		nodes  []Node
		down   nodeset.Set
		broken string // names of the properties that do not hold, in order, separated by ", "
	}{
		{"a tree", tree(), 0, ""},
		{"alone", []Node{member(0, nodeset.None)}, 0, ""},
		{"one has just booted", []Node{member(0, nodeset.None), {Root: 1, parent: nodeset.None}}, 0, EveryNodeJoined + ", " + OneRoot},
		{"one looks for a parent", with(func(n []Node) { n[3].State, n[3].parent, n[3].Root, n[2].Children = Joining, nodeset.None, 3, 0 }), 0,
			EveryNodeJoined + ", " + OneRoot},
		{"one looks for a parent with an old root", with(func(n []Node) { n[3].State, n[3].parent, n[2].Children = Joining, nodeset.None, 0 }), 0,
			EveryNodeJoined + ", " + JoiningIsRootless},
		{"two trees", []Node{member(0, nodeset.None, 1), member(0, 0), member(2, nodeset.None)}, 0, OneRoot},
		{"an old root pointer", with(func(n []Node) { n[3].Root = 1 }), 0, OneRoot},
		{"a second root that names the first", with(func(n []Node) { n[3].parent, n[2].Children = nodeset.None, 0 }), 0, OneRoot},
		{"a child too many", with(func(n []Node) { n[1].Children = nodeset.Of(3) }), 0, FamiliesAgree},
		{"a child too few", with(func(n []Node) { n[2].Children = 0 }), 0, FamiliesAgree},
		{"a leaf is down", tree(), nodeset.Of(3), OneRoot + ", " + FamiliesAgree},
		{"the root is down", tree(), nodeset.Of(0), OneRoot + ", " + FamiliesAgree},
		{"a loop of two", []Node{member(0, nodeset.None), member(0, 2, 2), member(0, 1, 1)}, 0, NoLoop},
		{"a node below itself and a loop of three behind it", []Node{member(0, 1, 2), member(0, 2, 0), member(0, 0, 1), member(0, 2)}, 0,
			OneRoot + ", " + FamiliesAgree + ", " + NoLoop},
	} {
		t.Run(c.name, func(t *testing.T) {
			broken := systest.Broken(t, world(t, c.nodes, c.down))
			if got := strings.Join(broken, ", "); got != c.broken {
				t.Errorf("do not hold: %s\nwant: %s", got, c.broken)
			}
		})
	}
}

// The timer property fails both ways: armed in init, and not armed outside it.
func TestRecoveryTimerProperty(t *testing.T) {
	for _, c := range []struct {
		state       State
		armed, want bool
	}{{Init, false, true}, {Init, true, false}, {Joining, false, false}, {Joining, true, true}, {Joined, false, false}, {Joined, true, true}} {
		if got := recoveryTimerSet(0, &Node{State: c.state}, c.armed); got != c.want {
			t.Errorf("%v, armed %v: %v", c.state, c.armed, got)
		}
	}
}
