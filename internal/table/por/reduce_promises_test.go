package por_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/table/por"
	"github.com/macemc/macemc/internal/test/reductions"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// vote is a message for quorums.
type vote struct{}

// promising is a service with a quorum that breaks its contract between two actions, in one order of these.
type promising struct {
	sim.Nop
	First, Second bool
	Seen          int
}

func (s *promising) between() bool { return s.Second && !s.First }

func promisingSystem(q sim.Quorum[*promising, vote]) sim.System {
	q.Name = "some"
	if q.Do == nil {
		q.Do = func(*promising, sim.Env, []sim.From[vote]) {}
	}
	return sim.System{
		Name: "promising", Nodes: 1, Network: netsim.Datagrams{}, New: func(sim.NodeID) sim.Service { return new(promising) },
		Actions: []sim.AnyAction{
			sim.Action[*promising]{Name: "send", Times: 1, Do: func(_ *promising, env sim.Env) { env.Send(0, vote{}) }},
			sim.Action[*promising]{Name: "first", Times: 1, Do: func(s *promising, _ sim.Env) { s.First = true }},
			sim.Action[*promising]{Name: "second", Times: 1, Do: func(s *promising, _ sim.Env) { s.Second = true }},
		},
		Quorums: []sim.AnyQuorum{q},
	}
}

// A promise that is broken in states that would be left out is found all the same.
func TestPromises_BrokenFound(t *testing.T) {
	t.Parallel()
	for name, q := range map[string]sim.Quorum[*promising, vote]{
		"never again": {Need: func(s *promising) int {
			if s.between() {
				return 2
			}
			return -1
		}},
		"a guard that panics": {Need: func(*promising) int { return 1 }, Guard: func(s *promising, _ []sim.From[vote]) bool {
			if s.between() {
				panic("between")
			}
			return false
		}},
		"a guard that changes something": {Need: func(*promising) int { return 1 }, Guard: func(s *promising, _ []sim.From[vote]) bool {
			if s.between() {
				s.Seen++
			}
			return false
		}},
		"a key that panics": {Need: func(*promising) int { return 3 }, Key: func(vote) any { return []int{} }},
	} {
		for _, how := range []options.Reduction{options.ReduceNone, options.ReduceDrop, options.ReduceFull, options.ReduceAuto} {
			sys := promisingSystem(q)
			x, err := table.Explore(context.Background(), &sys, options.Options{Reduce: how})
			if err != nil || x.Finding == nil {
				t.Errorf("%s, %s: %v, found %v, %+v", name, how, err, x.Finding, x.Reduced)
			}
		}
	}
}

// Without that it is not found: the states are left out.
func TestPromises_NotFoundWithoutCheck(t *testing.T) {
	t.Parallel()
	sys := promisingSystem(sim.Quorum[*promising, vote]{Need: func(s *promising) int {
		if s.between() {
			return 2
		}
		return -1
	}})
	w := por.RulesOf(options.ReduceFull)
	w.Mutation = por.NoQuorumContract
	x, err := table.Explore(context.Background(), &sys, options.Options{Reduce: options.ReduceFull, Rules: &w})
	if err != nil || x.Finding != nil || !x.Complete {
		t.Errorf("%v, found %v", err, x.Finding)
	}
}

// In a system without an end of states events are put off forever, and so is one that breaks a promise: auto gives that up.
func TestPromises_EndlessSystem(t *testing.T) {
	t.Parallel()
	const number = 2460
	sys, err := reductions.System(rand.New(rand.NewPCG(1, number)), reductions.Usual).Only("live", "seen")
	if err != nil {
		t.Fatal(err)
	}
	for _, how := range []options.Reduction{options.ReduceNone, options.ReduceDrop, options.ReduceFull, options.ReduceAuto} {
		x, err := table.Explore(context.Background(), &sys,
			options.Options{Reduce: how, MaxStates: 2 * reductions.MostStates, MaxBytes: 512 << 20, SkipRehearsal: true})
		if err != nil || x.Finding == nil {
			t.Errorf("%s: %v, found %v", how, err, x.Finding)
		}
	}
	x, err := table.Explore(context.Background(), &sys, options.Options{
		Reduce: options.ReduceFull, Rules: &options.Rules{SingletonAmple: true}, MaxStates: 2 * reductions.MostStates, SkipRehearsal: true,
	})
	if err != nil || x.Complete {
		t.Errorf("events that are alone put off: %v, complete %v", err, x.Complete)
	}
}

// Quorums that break their contract are found with any reduction. Most of the random systems have such quorums.
func TestPromises_RandomQuorums(t *testing.T) {
	var c reductions.Tally
	n := 30
	if testing.Short() {
		n = 5
	}
	err := c.CompareEach(0, n, func(number uint64) error {
		return compareSystem(reductions.System(rand.New(rand.NewPCG(2, number)), reductions.Breaking), number, "", &c)
	})
	if err != nil {
		t.Error(err)
	}
	t.Logf("%d systems, %d violations", c.Systems.Load(), c.Violated.Load())
}
