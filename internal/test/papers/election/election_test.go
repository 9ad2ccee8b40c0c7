package election

import (
	"testing"

	"github.com/macemc/macemc/internal/refine"
	"github.com/macemc/macemc/internal/test/systest"
	"github.com/macemc/macemc/sim"
)

// All states of small settings, and nothing is wrong in any.
func TestStates(t *testing.T) {
	for _, c := range []struct {
		setting
		states int
	}{
		{setting{nodes: 2, failures: 1}, 17},
		{setting{nodes: 3, failures: 1}, 127},
		{setting{nodes: 3, failures: 2}, 912},
		{setting{nodes: 4, failures: 1}, 14_249},
		{setting{nodes: 3, failures: 1, abstract: true}, 1625},
	} {
		systest.Clean(t, c.system(), c.states)
	}
}

// Nodes that follow arbitrary others abstract the election, and have more behaviors.
func TestAnyLeadersStandForElection(t *testing.T) {
	s := setting{nodes: 3, failures: 1}
	impl, abs := s.machines(false).Sim("election"), s.machines(true).Sim("any leaders")
	for _, c := range []struct {
		impl, abs *sim.System
		what      string
	}{{&impl, &abs, ""}, {&abs, &impl, refine.NeverDone}} {
		if r, err := refine.Compare(t.Context(), c.impl, c.abs, refine.Options{Clients: []sim.NodeID{client}}); err != nil || r.What != c.what {
			t.Errorf("%+v, %v", r, err)
		}
	}
}
