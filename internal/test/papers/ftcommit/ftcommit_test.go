package ftcommit

import (
	"testing"

	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/test/papers/smr/group"
)

// The paper's claim: with a single node for each participant all states are visited.
// Without it there are more than ten times as many as fit into memory.
func TestAbstractionMakesItFinite(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	s := setting{coordinators: 2, participants: 2, group: group.Group{Replicas: 2, Failures: 1}}
	const memory = 2 << 20
	for _, c := range []struct {
		by       string
		replicas int
		memory   int
		stopped  string
	}{
		{"single", 2, memory, ""},
		{"chain", 2, 10 * memory, "memory"},
		{"paxos", 3, 10 * memory, "memory"},
	} {
		s.group.By, s.group.Replicas = c.by, c.replicas
		sys := s.system()
		x, err := table.Explore(t.Context(), &sys, options.Options{MaxBytes: c.memory})
		if err != nil || x.Finding != nil || x.Stopped != c.stopped {
			t.Fatalf("%+v: %v, %+v", c, err, x)
		}
		if c.by == "single" && x.States != 2487 {
			t.Errorf("%d states", x.States)
		}
	}
}
