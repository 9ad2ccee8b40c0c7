package live_test

import (
	"testing"

	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/randtree"
	"github.com/macemc/macemc/systems/spec"
)

// oneTree: all nodes are up and hang together, with agreeing families.
func oneTree(services []sim.Service) bool {
	root := sim.NodeID(-1)
	for id, s := range services {
		n, ok := s.(*randtree.Node)
		if !ok || n.State != randtree.Joined {
			return false
		}
		if id == 0 {
			root = n.Root
		}
		p := n.Parent()
		if n.Root != root || p < 0 || (p == sim.NodeID(id)) != (root == sim.NodeID(id)) {
			return false
		}
		if up, ok := services[p].(*randtree.Node); p != sim.NodeID(id) && (!ok || !up.Children.Has(sim.NodeID(id))) {
			return false
		}
	}
	return true
}

func TestRandTreeFormsOneTreeAndHeals(t *testing.T) {
	x := newCluster(t, "randtree", spec.Config{Nodes: 5}, true)
	x.act("joinOverlay")
	x.until("one tree", oneTree)
	if err := x.nodes[2].end(); err != nil {
		t.Fatal(err)
	}
	x.nodes[2] = nil
	x.start(2)
	x.act("joinOverlay")
	x.until("one tree again", oneTree)
	m := x.merged()
	agrees(t, m)
	if l := m.System.Limits(); l.Crashes != 1 {
		t.Errorf("the run has limits %+v, want one crash", l)
	}
}
