package chain

import (
	"testing"
	"time"

	"github.com/macemc/macemc/refine"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/sim/table"
)

// All states of small settings, and nothing is wrong in any.
func TestStates(t *testing.T) {
	for _, c := range []struct {
		setting
		states int
	}{
		{setting{clients: 1, requests: 1, replicas: 1}, 6},
		{setting{clients: 2, requests: 1, replicas: 2, failures: 1}, 3885},
		{setting{clients: 2, requests: 1, replicas: 3, failures: 1}, 14_079},
		{setting{clients: 1, requests: 2, replicas: 3, failures: 2}, 47_730},
		{setting{clients: 1, requests: 2, replicas: 4, failures: 2}, 215_111},
		{setting{clients: 2, requests: 2, replicas: 1, single: true}, 1461},
		{setting{clients: 1, requests: 1, replicas: 3, failures: 2, crashes: true}, 2521},
		{setting{clients: 2, requests: 1, replicas: 3, failures: 1, crashes: true}, 10_180},
		{setting{clients: 1, requests: 1, replicas: 2, failures: 1, crashes: true, pause: time.Second}, 110},
		{setting{clients: 1, requests: 2, replicas: 3, failures: 2, crashes: true}, 24_267},
	} {
		sys := c.system()
		x, err := table.Explore(t.Context(), &sys, table.ExploreOptions{})
		if err != nil || x.Finding != nil || !x.Complete || x.Dead > 0 || !x.Fairness.Judged || x.Fairness.Starvation != nil {
			t.Fatalf("%+v: %v, %+v", c.setting, err, x)
		}
		if x.States != c.states {
			t.Errorf("%+v: %d states, want %d", c.setting, x.States, c.states)
		}
	}
}

// fails: the chain violates something by itself.
const fails = "fails"

// A single node stands for a chain, and clients see of each defect that something else happens.
func TestSingleNodeStandsForChain(t *testing.T) {
	for _, c := range []struct {
		name string
		bugs bugs
		what string
	}{
		{"no defect", 0, ""},
		{"CR1", cr1, refine.MustGoOn},
		{"CR2", cr2, fails},
		{"CR3", cr3, refine.MustGoOn},
		{"CR4", cr4, refine.NeverDone},
		{"CR5", cr5, refine.NeverDone},
		{"CR6", cr6, refine.MustGoOn},
	} {
		s := setting{clients: 2, requests: 1, replicas: 3, failures: 1, bugs: c.bugs}
		one := s
		one.single = true
		impl, abs := s.machines().Sim("chain"), one.machines().Sim("single")
		r, err := refine.Compare(t.Context(), &impl, &abs, refine.Options{Clients: []sim.NodeID{0, 1}})
		if c.what == fails {
			if err == nil {
				t.Errorf("%s: %+v", c.name, r)
			}
			continue
		}
		if err != nil || r.What != c.what {
			t.Errorf("%s: %+v, %v", c.name, r, err)
		}
	}
}
