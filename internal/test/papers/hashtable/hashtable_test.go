package hashtable

import (
	"testing"

	"github.com/macemc/macemc/internal/refine"
	"github.com/macemc/macemc/internal/test/papers/smr"
	"github.com/macemc/macemc/internal/test/papers/smr/group"
	"github.com/macemc/macemc/internal/test/systest"
	"github.com/macemc/macemc/sim"
)

// All states of small settings, and nothing is wrong in any.
func TestStates(t *testing.T) {
	for _, c := range []struct {
		clients, requests, members, moves int
		by                                string
		states                            int
	}{
		{1, 1, 1, 0, "single", 14},
		{1, 2, 2, 2, "single", 7712},
		{2, 1, 2, 1, "single", 2819},
		{1, 2, 2, 1, "paxos", 113_756},
		{2, 1, 2, 1, "chain", 23_977},
	} {
		s := setting{Setting: smr.Setting{Clients: c.clients, Requests: c.requests, Service: smr.Table{}}, members: c.members, moves: c.moves, group: group.Group{By: c.by, Replicas: 2}}
		systest.Clean(t, s.system(), c.states)
	}
}

// One node replaces all without a difference visible to clients, and each defect has one.
func TestSingleNodeStandsForAll(t *testing.T) {
	for _, c := range []struct {
		bugs bugs
		what string
	}{{0, ""}, {ht1, refine.MustGoOn}, {ht2, refine.MustGoOn}, {ht3, refine.NeverDone}, {ht5, refine.MustGoOn}} {
		s := setting{Setting: smr.Setting{Clients: 2, Requests: 1, Service: smr.Table{}}, members: 2, moves: 1, group: group.Group{By: "single"}, bugs: c.bugs}
		impl, abs := s.machines(false).Sim("hashtable"), s.machines(true).Sim("single")
		r, err := refine.Compare(t.Context(), &impl, &abs, refine.Options{Clients: []sim.NodeID{0, 1}})
		if err != nil || r.What != c.what {
			t.Errorf("%d: %+v, %v", c.bugs, r, err)
		}
	}
}
