package basicpaxos

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
		{setting{clients: 1, acceptors: 3, ballots: 1}, 146},
		{setting{clients: 1, acceptors: 3, ballots: 2, failures: 1}, 22_592},
		{setting{clients: 2, acceptors: 1, ballots: 2}, 1347},
		{setting{clients: 2, acceptors: 2, ballots: 1}, 2039},
		{setting{clients: 2, acceptors: 3, ballots: 1}, 270_215},
		{setting{clients: 3, acceptors: 3, ballots: 1, abstract: true}, 253},
	} {
		systest.Clean(t, c.system(), c.states)
	}
}

// The register can replace the acceptors, and they the register: clients see a difference only with defects.
func TestRegisterStandsForPaxos(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	for _, c := range []struct {
		bugs bugs
		what string
	}{{0, ""}, {bp1, refine.NeverDone}} {
		s := setting{clients: 2, acceptors: 3, ballots: 1, bugs: c.bugs}
		impl, abs := s.machines(false).Sim("paxos"), s.machines(true).Sim("register")
		if r, err := refine.Compare(t.Context(), &impl, &abs, refine.Options{Clients: []sim.NodeID{0, 1}}); err != nil || r.What != c.what {
			t.Errorf("%d: %+v, %v", c.bugs, r, err)
		}
		if r, err := refine.Compare(t.Context(), &abs, &impl, refine.Options{Clients: []sim.NodeID{0, 1}}); c.bugs == 0 && (err != nil || r.What != "") {
			t.Errorf("the other way: %+v, %v", r, err)
		}
	}
}
