package search_test

import (
	"slices"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/search/runs"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// teller has a timer that can always fire. One of the two nodes sends news to the other, once.
type teller struct {
	sim.Nop
	Told  bool
	Ticks int
	self  sim.NodeID
}

func (s *teller) Boot(env sim.Env)                       { s.self = env.Self(); env.SetTimer("tick", 1) }
func (s *teller) Timer(env sim.Env, t any)               { s.Ticks = (s.Ticks + 1) % 3; env.SetTimer(t, 1) }
func (s *teller) Receive(_ sim.Env, _ sim.NodeID, _ any) { s.Told = true }

func tellers() sim.System {
	return sim.System{
		Name: "tellers", Nodes: 2, New: func(sim.NodeID) sim.Service { return &teller{} }, Network: netsim.Datagrams{},
		Actions: []sim.AnyAction{sim.Action[*teller]{
			Name: "tell", Times: 1, When: func(s *teller) bool { return s.self == 1 },
			Do: func(_ *teller, env sim.Env) { env.Send(0, "news") },
		}},
		Properties: []sim.Property{{Name: "untold", Always: sim.Each(func(_ sim.NodeID, s *teller) bool { return !s.Told })}},
	}
}

// At first n0's tick, n1's tell and n1's tick are listed; after tell n0's tick, n0's news and n1's tick. By likelihood,
// tell and news come first, which is the first run of two choices. With equal weights, in list order, three runs that
// begin with n0's tick come before, and one of those that begin with tell.
func TestWeights_LikelyAlternativesFirst(t *testing.T) {
	for _, c := range []struct {
		weights search.Weights
		paths   int
	}{
		{search.DefaultWeights(), 1},
		{search.Weights{Action: 1, Message: 1, Timer: 1, Consequence: 1}, 5},
	} {
		res := run(t, search.Config{
			System: tellers(), Workers: 1, Alone: true, Visited: runs.AllStates, Weights: c.weights, DeepenBy: 2, MaxDepth: 2,
		})
		if f := res.Finding; f == nil || !slices.Equal(f.Path, choose.Path{1, 1}) || res.Stats.Paths != c.paths {
			t.Errorf("weights %+v: %+v after %d paths, want 1 1 after %d", c.weights, f, res.Stats.Paths, c.paths)
		}
	}
}

// The order does not affect the explored states: all within 3 choices. Of the 3 x 3 counts of ticks, 8 take at most 3
// choices, 6 the 2 that are left after news was sent, 3 the one that is left after it was received.
func TestWeights_KeepStates(t *testing.T) {
	states := map[int]int{}
	for _, w := range []search.Weights{search.DefaultWeights(), {Timer: 40, Message: 8, Action: 1, Consequence: 1}} {
		for _, workers := range []int{1, 2} {
			sys := tellers()
			sys.Properties = nil
			s := run(t, search.Config{System: sys, Workers: workers, Alone: true, Weights: w, MaxDepth: 3}).Stats
			states[s.States]++
		}
	}
	if len(states) != 1 || states[8+6+3] != 4 {
		t.Errorf("numbers of states, and how often: %v", states)
	}
}
