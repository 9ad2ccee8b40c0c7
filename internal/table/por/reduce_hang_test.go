package por_test

import (
	"sync/atomic"
	"testing"

	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/table/store"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// A property that does not return, even in unreachable combinations of local states, is not evaluated again and
// again: each time takes the time limit.
func TestReduction_PropertyHangs(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	t.Parallel()
	for _, reached := range []bool{false, true} {
		for _, predicate := range []bool{false, reached} {
			asked, end := atomic.Int32{}, make(chan struct{})
			hang := func() bool {
				asked.Add(1)
				<-end
				return true
			}
			sys := hanging(reached, predicate, hang)
			x, err := table.Explore(t.Context(), &sys,
				options.Options{Reduce: options.ReduceFull, World: kernel.Options{Overdue: func(ticks int) bool { return ticks > 20 }}})
			close(end)
			if err != nil {
				t.Fatal(err)
			}
			if (x.Finding != nil) != reached || !reached && !x.Complete {
				t.Errorf("reached %v, predicate %v: found %v, stopped: %q", reached, predicate, x.Finding, x.Stopped)
			}
			if n := asked.Load(); n > 4 {
				t.Errorf("reached %v, predicate %v: it was asked %d times", reached, predicate, n)
			}
		}
	}
}

// hanging is a system with a property that hangs when one node has a value, or when two have it, which is reachable
// only if reached is set.
func hanging(reached, predicate bool, hang func() bool) sim.System {
	own := func(id sim.NodeID) bool { return id == 0 }
	return sim.System{
		Name: "hanging", Nodes: 3, Network: netsim.Datagrams{}, New: func(sim.NodeID) sim.Service { return new(lives) },
		Actions: []sim.AnyAction{
			// It notifies only one of the two, unless both must be reached.
			sim.Action[*lives]{Name: "tell", Times: 1, At: own, When: func(s *lives) bool { return reached || !s.Moved }, Do: func(s *lives, env sim.Env) {
				s.Wrote = true
				env.Send(1, word{})
			}},
			sim.Action[*lives]{Name: "tell the other", Times: 1, At: own, When: func(s *lives) bool { return reached || !s.Wrote }, Do: func(s *lives, env sim.Env) {
				s.Moved = true
				env.Send(2, word{})
			}},
			sim.Action[*lives]{Name: "move", Times: 3, At: func(id sim.NodeID) bool { return id == 2 }, Do: func(s *lives, env sim.Env) { s.Second = !s.Second }},
		},
		Properties: []sim.Property{{Name: "returns", Always: func(v *sim.View) bool {
			if predicate {
				return sim.Each(func(_ sim.NodeID, s *lives) bool { return !s.Heard || !s.Second || hang() })(v)
			}
			a, _ := v.Service(1).(*lives)
			b, _ := v.Service(2).(*lives)
			return !a.Heard || !b.Heard || hang()
		}}},
	}
}

// A node predicate may not return in a local state that is first reached during a check of visibility. That is a
// finding, and the search ends.
func TestReduction_PredicateHangs(t *testing.T) {
	t.Parallel()
	end := make(chan struct{})
	defer close(end)
	sys := sim.System{
		Name: "hanging alone", Nodes: 1, New: func(sim.NodeID) sim.Service { return new(lives) },
		Actions: []sim.AnyAction{
			sim.Action[*lives]{Name: "hear", Times: 1, Do: func(s *lives, _ sim.Env) { s.Heard = true }},
			sim.Action[*lives]{Name: "move", Times: 1, When: func(s *lives) bool { return s.Heard }, Do: func(s *lives, _ sim.Env) { s.Moved = true }},
		},
		Properties: []sim.Property{{Name: "returns", Always: sim.Each(func(_ sim.NodeID, s *lives) bool {
			if s.Moved {
				<-end
			}
			return true
		})}},
	}
	x, err := table.Explore(t.Context(), &sys,
		options.Options{Reduce: options.ReduceFull, World: kernel.Options{Overdue: func(ticks int) bool { return ticks > 20 }}})
	if err != nil {
		t.Fatal(err)
	}
	if !store.IsOverdue(x.Finding) {
		t.Errorf("found %v, stopped: %q", x.Finding, x.Stopped)
	}
}
