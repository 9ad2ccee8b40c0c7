package por_test

import (
	"testing"

	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/table/por"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// taker takes two votes, and then that of node 1 if it is left.
type taker struct {
	sim.Nop
	First, Second int
}

type ballot struct{}

// It matters which set is taken if its leftovers may be taken later, or if another set has another effect.
func TestReduction_ChoiceOfSet(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		without options.Mutation
		choosy  bool // the first set shows in the state
		found   bool
	}{{"", false, true}, {"", true, true}, {por.NoLeftovers, false, false}} {
		one := func(*taker) int { return 1 }
		sys := sim.System{
			Name: "taker", Nodes: 4, Network: netsim.Datagrams{}, New: func(sim.NodeID) sim.Service { return new(taker) },
			Actions: []sim.AnyAction{sim.Action[*taker]{Name: "vote", Times: 1, At: func(id sim.NodeID) bool { return id == 0 },
				Do: func(_ *taker, env sim.Env) {
					for id := range sim.NodeID(3) {
						env.Send(1+id, ballot{})
					}
				}}},
			Quorums: []sim.AnyQuorum{
				sim.Quorum[*taker, vote]{Name: "first", Need: func(*taker) int { return 2 },
					Fits: func(s *taker, _ sim.NodeID, _ vote) bool { return s.First == 0 },
					Do: func(s *taker, _ sim.Env, set []sim.From[vote]) {
						if s.First = 1; c.choosy && min(set[0].From, set[1].From) == 2 {
							s.First = 2
						}
					}},
				sim.Quorum[*taker, vote]{Name: "second", Need: one,
					Fits: func(s *taker, from sim.NodeID, _ vote) bool { return s.First == 1 && from == 1 && !c.choosy },
					Do:   func(s *taker, _ sim.Env, _ []sim.From[vote]) { s.Second = 1 }},
			},
			Properties: []sim.Property{{Name: "only one", Always: sim.Each(func(_ sim.NodeID, s *taker) bool { return s.Second == 0 && s.First < 2 })}},
		}
		w := options.Rules{DeadMessages: true, SingletonAmple: true, Chains: true, Mutation: c.without}
		x, err := table.Explore(t.Context(), &sys, options.Options{Reduce: options.ReduceFull, Rules: &w})
		if err != nil || (x.Finding != nil) != c.found {
			t.Errorf("%+v: %v, found %v, %d states", c, err, x.Finding, x.States)
		}
	}
}

// Receive sends a vote for each ballot.
func (s *taker) Receive(env sim.Env, _ sim.NodeID, _ any) { env.Send(0, vote{}) }
