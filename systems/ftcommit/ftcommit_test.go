package ftcommit

import (
	"testing"

	"github.com/macemc/macemc/sim/table"
)

// The paper's claim: with a single node for each participant all states are visited, without it there are more than ten times the memory holds.
func TestAbstractionMakesItFinite(t *testing.T) {
	s := setting{coordinators: 2, participants: 2, replicas: 2, failures: 1, single: true}
	const memory = 2 << 20
	for _, c := range []struct {
		single  bool
		reduce  table.Reduction
		memory  int
		stopped string
	}{
		{true, table.ReduceNone, memory, ""},
		{false, table.ReduceNone, 10 * memory, "memory"},
		{true, table.ReduceFull, memory, ""},
		{false, table.ReduceFull, 10 * memory, "memory"},
	} {
		s.single = c.single
		sys := s.system()
		if c.reduce != table.ReduceNone { // which keeps no fair runs
			sys.Monitors = nil
		}
		x, err := table.Explore(t.Context(), &sys, table.ExploreOptions{Reduce: c.reduce, MaxBytes: c.memory})
		if err != nil || x.Finding != nil || x.Stopped != c.stopped {
			t.Fatalf("%+v: %v, %+v", c, err, x)
		}
		t.Logf("%+v: %d states, %s, %d bytes", c, x.States, x.Stopped, x.Bytes)
	}
}
