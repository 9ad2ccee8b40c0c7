package commit_test

import (
	"testing"

	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/test/papers/commit"
	"github.com/macemc/macemc/internal/test/systest"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// All states of small settings, and nothing is wrong in any.
func TestStates(t *testing.T) {
	for _, c := range []struct {
		clients, writes, over string
		nodes, states         int
	}{{"1", "1", "queues", 4, 210}, {"1", "2", "queues", 4, 2263}, {"2", "1", "queues", 4, 985}, {"1", "2", "streams", 4, 2434}} {
		sys := systest.Build(t, commit.Entry(), spec.Config{Nodes: c.nodes, Params: map[string]string{"clients": c.clients, "writes": c.writes, "values": "1", "over": c.over}}, sim.Limits{})
		x, err := table.Explore(t.Context(), &sys, options.Options{})
		if err != nil || x.Finding != nil || !x.Complete {
			t.Fatalf("%+v: %v, %+v", c, err, x)
		}
		if x.States != c.states {
			t.Errorf("%+v: %d states", c, x.States)
		}
	}
}
