package sim_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/sim"
)

func TestContainersValidate(t *testing.T) {
	for _, c := range []struct {
		containers [][]sim.NodeID
		want       string
	}{
		{nil, ""},
		{[][]sim.NodeID{{2, 0}, {1, 3}}, ""},
		{[][]sim.NodeID{{1}}, "Containers 0 has 1 nodes"},
		{[][]sim.NodeID{{0, 1}, {}}, "Containers 1 has 0 nodes"},
		{[][]sim.NodeID{{0, 4}}, "Containers 0: there is no node 4: nodes are 0 to 3"},
		{[][]sim.NodeID{{-1, 0}}, "there is no node -1"},
		{[][]sim.NodeID{{0, 1, 0}}, "Containers 0 names node 0 twice"},
		{[][]sim.NodeID{{0, 1}, {2, 1}}, "node 1 is in Containers 0 and 1"},
	} {
		sys := sim.System{Name: "s", Nodes: 4, New: func(sim.NodeID) sim.Service { return &sim.Nop{} }, Containers: c.containers}
		err := sys.Validate()
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v: %v, want %q", c.containers, err, c.want)
		}
	}
}

func TestProcess(t *testing.T) {
	sys := sim.System{Nodes: 6, Containers: [][]sim.NodeID{{3, 0, 4}, {1, 2}}}
	for id, want := range [][]sim.NodeID{{0, 3, 4}, {1, 2}, {1, 2}, {0, 3, 4}, {0, 3, 4}, {5}} {
		if got := sys.Process(sim.NodeID(id)); !slices.Equal(got, want) {
			t.Errorf("node %d: %v, want %v", id, got, want)
		}
	}
	if sys.Containers[0][0] != 3 {
		t.Error("Process changed the system")
	}
}
