package search_test

import (
	"slices"
	"testing"

	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// taker receives messages, and reports the current call of Receive.
type taker struct {
	sim.Nop
	Drew, Got []int
	tell      func(got, msg int)
}

func (s *taker) Receive(_ sim.Env, _ sim.NodeID, msg any) {
	got := 0
	for _, m := range s.Got {
		got |= 1 << m
	}
	s.tell(got, msg.(int))
	if s.Got = append(s.Got, msg.(int)); len(s.Got) > 2 {
		s.Got = s.Got[1:]
	}
	slices.Sort(s.Got)
}

func takers(tell func(got, msg int)) sim.System {
	return sim.System{
		Name: "takers", Nodes: 2, Network: netsim.Datagrams{}, New: func(sim.NodeID) sim.Service { return &taker{tell: tell} },
		State: []sim.StateRule{sim.IgnoreField[taker]("tell"), sim.CopyBy(func(f func(int, int)) func(int, int) { return f })},
		Actions: []sim.AnyAction{sim.Action[*taker]{
			Name: "draw", Times: 3, At: func(id sim.NodeID) bool { return id == 0 },
			Do: func(s *taker, env sim.Env) {
				if s.Drew = append(s.Drew, env.Choose("a", 8)); slices.Equal(s.Drew, []int{3, 5, 6}) {
					for i := range 6 {
						env.Send(1, i)
					}
				}
			},
		}},
	}
}

// A handler that ends the process when it repeats an earlier call is found at that call. If it is not found, there is
// no verdict.
func TestCalls_SkippedRepetition(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	calls := &options.Calls{At: new(uint64)}
	called, again := map[[2]int]int{}, []uint64{}
	sys := takers(func(got, msg int) {
		at := [2]int{got, msg}
		if called[at]++; called[at] == 2 && *calls.At != 0 {
			again = append(again, *calls.At)
		}
	})
	if res := run(t, search.Config{System: sys, Strategy: search.BFS, Reduce: options.ReduceNone, Calls: calls}); res.Verdict != search.OK || len(again) == 0 {
		t.Fatalf("%s, %d calls again", res.Verdict, len(again))
	}
	for _, call := range again {
		calls = &options.Calls{At: new(uint64), Skipped: []uint64{call}}
		if res := run(t, search.Config{System: sys, Strategy: search.BFS, Reduce: options.ReduceNone, Calls: calls}); res.Verdict == search.OK || res.Finding == nil {
			t.Errorf("%x is passed over: %s, %s", call, res.Verdict, res.Stopped)
		}
	}
}
