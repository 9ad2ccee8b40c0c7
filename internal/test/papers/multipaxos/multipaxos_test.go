package multipaxos

import (
	"testing"

	"github.com/macemc/macemc/internal/refine"
	"github.com/macemc/macemc/internal/test/papers/smr"
	"github.com/macemc/macemc/internal/test/systest"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// All states of small settings, and nothing is wrong in any.
func TestStates(t *testing.T) {
	for _, c := range []struct {
		setting
		states int
	}{
		{setting{Setting: smr.Setting{Clients: 1, Requests: 1}, replicas: 1}, 24},
		{setting{Setting: smr.Setting{Clients: 1, Requests: 1}, replicas: 3}, 314},
		{setting{Setting: smr.Setting{Clients: 1, Requests: 1, Failures: 1, Crashes: true}, replicas: 3}, 10_730},
		{setting{Setting: smr.Setting{Clients: 2, Requests: 1}, replicas: 3}, 11_434},
		{setting{Setting: smr.Setting{Clients: 1, Requests: 1}, replicas: 3, changes: 1}, 70_929},
	} {
		if testing.Short() && c.states > 20_000 {
			continue
		}
		c.Service = smr.Counter{}
		systest.Clean(t, c.system(), c.states)
	}
}

// Each bug is found with its kind, and nothing is found in the same settings without it.
func TestBugs(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	e := Entry()
	for _, b := range e.Bugs {
		c := b.Apply(spec.Config{})
		sys := systest.Build(t, e, c, b.Defaults.Limits)
		res := systest.Search(t, search.Config{System: sys, MaxPaths: 40_000}, 50)
		if res.Finding == nil || !b.Accepts(res.Finding.Kind) {
			t.Errorf("%s: %+v", b.ID, res.Finding)
		}
		c.Bugs = nil
		sys = systest.Build(t, e, c, b.Defaults.Limits)
		if res := systest.Search(t, search.Config{System: sys, MaxPaths: 200}, 50); res.Finding != nil {
			t.Errorf("without %s: %+v", b.ID, res.Finding)
		}
	}
}

// A single node replaces Multi-Paxos without a difference visible to clients.
func TestSingleNodeStandsForPaxos(t *testing.T) {
	s := setting{Setting: smr.Setting{Clients: 2, Requests: 1, Service: smr.Counter{}}, replicas: 3}
	impl, abs := s.machines(false).Sim("paxos"), s.machines(true).Sim("single")
	for _, way := range [][2]*sim.System{{&impl, &abs}, {&abs, &impl}} {
		if r, err := refine.Compare(t.Context(), way[0], way[1], refine.Options{Clients: []sim.NodeID{0, 1}}); err != nil || r.What != "" {
			t.Errorf("%+v, %v", r, err)
		}
	}
}
