package chain

import (
	"testing"
	"time"

	"github.com/macemc/macemc/internal/refine"
	"github.com/macemc/macemc/internal/test/papers/smr"
	"github.com/macemc/macemc/internal/test/systest"
	"github.com/macemc/macemc/sim"
)

// All states of small settings, and nothing is wrong in any.
func TestStates(t *testing.T) {
	for _, c := range []struct {
		setting
		states int
	}{
		{setting{Setting: smr.Setting{Clients: 1, Requests: 1}, replicas: 1}, 6},
		{setting{Setting: smr.Setting{Clients: 2, Requests: 1, Failures: 1}, replicas: 2}, 3885},
		{setting{Setting: smr.Setting{Clients: 2, Requests: 1, Failures: 1}, replicas: 3}, 14_079},
		{setting{Setting: smr.Setting{Clients: 1, Requests: 2, Failures: 2}, replicas: 3}, 47_730},
		{setting{Setting: smr.Setting{Clients: 1, Requests: 2, Failures: 2}, replicas: 4}, 215_111},
		{setting{Setting: smr.Setting{Clients: 2, Requests: 2, Single: true}, replicas: 1}, 1461},
		{setting{Setting: smr.Setting{Clients: 1, Requests: 1, Failures: 2, Crashes: true}, replicas: 3}, 2521},
		{setting{Setting: smr.Setting{Clients: 2, Requests: 1, Failures: 1, Crashes: true}, replicas: 3}, 10_180},
		{setting{Setting: smr.Setting{Clients: 1, Requests: 1, Failures: 1, Crashes: true, Pause: time.Second}, replicas: 2}, 110},
		{setting{Setting: smr.Setting{Clients: 1, Requests: 2, Failures: 2, Crashes: true}, replicas: 3}, 24_267},
		{setting{Setting: smr.Setting{Clients: 1, Requests: 1, Failures: 1, Crashes: true, Process: 2}, replicas: 3}, 188},
		{setting{Setting: smr.Setting{Clients: 1, Requests: 1, Failures: 1, Crashes: true, Process: 2}, replicas: 4}, 567},
		{setting{Setting: smr.Setting{Clients: 1, Requests: 1, Failures: 1, Crashes: true, Process: 3}, replicas: 5}, 1016},
	} {
		c.Service = smr.Counter{}
		systest.Clean(t, c.system(), c.states)
	}
}

// fails: the chain violates something by itself.
const fails = "fails"

// A single node replaces a chain without a visible difference, and each defect has one.
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
		s := setting{Setting: smr.Setting{Clients: 2, Requests: 1, Failures: 1, Service: smr.Counter{}}, replicas: 3, bugs: c.bugs}
		impl, abs := s.machines(false).Sim("chain"), s.machines(true).Sim("single")
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
