package realnet_test

import (
	"testing"
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/recording"
	"github.com/macemc/macemc/internal/replay"
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

// Eight nodes form one tree; two are stopped and started again, and it heals. The checker reaches the same states
// on every node.
func TestRandTreeFormsOneTreeAndHeals(t *testing.T) {
	x := newCluster(t, "randtree", spec.Config{Nodes: 8}, true)
	x.act("joinOverlay")
	x.until("one tree", oneTree)
	x.kill(2, 5)
	x.start(2)
	x.start(5)
	x.act("joinOverlay")
	x.until("one tree again", oneTree)
	m := x.merged()
	agrees(t, m)
	if l := m.System.Limits(); l[sim.Crashes] != 2 || l[sim.NetErrors] != 0 {
		t.Errorf("the run has limits %+v, want two crashes", l)
	}
	if m.Compared < 8 {
		t.Errorf("%d states were compared, want those of 8 nodes at least", m.Compared)
	}
	for i, o := range m.Origins {
		if o.Node >= 0 && o.Clock[o.Node] < 1 {
			t.Errorf("step %d: vector clock %v", i+1, o.Clock)
		}
	}
}

// The systems of the paper, and stacks of them, reach states in which all their liveness properties hold.
func TestBundledSystemsBecomeLive(t *testing.T) {
	for _, s := range []struct {
		name  string
		nodes int
		over  string
	}{
		{"transport", 3, ""}, {"pastry", 4, ""}, {"overcast", 4, ""}, {"multicast", 3, ""}, {"gossip", 3, ""}, {"superstep", 4, ""},
		{"randtree", 4, "transport"}, {"pastry", 3, "transport"}, {"multicast", 3, "transport"},
	} {
		t.Run(s.name+" "+s.over, func(t *testing.T) {
			t.Parallel()
			c := spec.Config{Nodes: s.nodes}
			if s.over != "" {
				c.Params = map[string]string{"over": s.over}
			}
			x := newCluster(t, s.name, c, true)
			names := x.sys.ActionNames()
			for limit := time.Now().Add(3 * time.Minute); !x.live() && time.Now().Before(limit); time.Sleep(50 * time.Millisecond) {
				x.act(names...)
			}
			m := x.merged()
			agrees(t, m)
			w, err := kernel.NewWorld(&m.System, kernel.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if !ends(t, w, m).Live() {
				t.Error("the run does not end in a live state")
			}
		})
	}
}

// ends executes the merged run.
func ends(t *testing.T, w kernel.World, m *recording.Merged) kernel.World {
	t.Helper()
	run := replay.NewRun(w)
	src := &choose.Prefix{Path: m.Path}
	err := run.Start(src)
	for err == nil {
		index, ok := src.Take()
		if !ok {
			return w
		}
		err = run.Step(index, src)
	}
	t.Fatal(err)
	return nil
}
