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
		memory  int
		stopped string
	}{
		{true, memory, ""},
		{false, 10 * memory, "memory"},
	} {
		s.single = c.single
		sys := s.system()
		x, err := table.Explore(t.Context(), &sys, table.ExploreOptions{MaxBytes: c.memory})
		if err != nil || x.Finding != nil || x.Stopped != c.stopped {
			t.Fatalf("%+v: %v, %+v", c, err, x)
		}
		if c.single && x.States != 2487 {
			t.Errorf("%d states", x.States)
		}
	}
}
