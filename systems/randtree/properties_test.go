package randtree

import (
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/replay"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/nodeset"
)

// member is a joined node.
func member(root, parent sim.NodeID, children ...sim.NodeID) Node {
	return Node{State: Joined, Root: root, parent: parent, Children: nodeset.Of(children...)}
}

// world makes a world in which the nodes have the given states, and those that are down are down.
func world(t *testing.T, nodes []Node, down nodeset.Set) sim.World {
	t.Helper()
	sys := sim.System{
		Nodes: len(nodes), New: func(sim.NodeID) sim.Service { return &Node{} }, Timing: sim.AnyOrder, Crashes: down.Len(),
		Actions: []sim.AnyAction{sim.Action[*Node]{Name: "become", Times: 1, Do: func(n *Node, env sim.Env) {
			self := n.self
			*n = nodes[self]
			n.self = self
			if n.State != Init {
				env.SetTimer(recoveryTimer{}, 0)
			}
		}}},
		Properties: Properties[*Node](true),
	}
	w, err := sim.NewWorld(&sys, sim.Options{})
	if err != nil {
		t.Fatal(err)
	}
	run := replay.NewRun(w)
	if err := run.Start(choose.First); err != nil {
		t.Fatal(err)
	}
	for i := range nodes {
		isBecome := func(ev sim.Event) bool { return ev.Kind == sim.DoAction && ev.Node == sim.NodeID(i) }
		if err := run.Step(slices.IndexFunc(w.Enabled(), isBecome), choose.First); err != nil {
			t.Fatal(err)
		}
	}
	for id := range down.All() {
		isCrash := func(ev sim.Event) bool { return ev.Kind == sim.Crash && ev.Node == id }
		if err := run.Step(len(w.Enabled())+slices.IndexFunc(w.Injections(nil), isCrash), choose.First); err != nil {
			t.Fatal(err)
		}
	}
	return w
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
			w := world(t, c.nodes, c.down)
			var broken []string
			for i := range w.System().Properties {
				if p := &w.System().Properties[i]; !w.Holds(p) {
					broken = append(broken, p.Name)
					if text := w.Explain(p); strings.Count(text, "\n") != len(c.nodes)-1 {
						t.Errorf("%s is explained as %q", p.Name, text)
					}
				}
			}
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
