package por_test

import (
	"testing"
	"time"

	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// lap counts to 300, and then in a circle of 250 numbers, a step at a time.
type lap struct {
	sim.Nop
	N int
}

func (l *lap) Boot(env sim.Env) { env.SetTimer(word{}, time.Second) }

func (l *lap) Timer(env sim.Env, _ any) {
	if l.N++; l.N == 550 {
		l.N = 300
	}
	env.SetTimer(word{}, time.Second)
}

// first keeps the first of two actions, so that these do not commute.
type first struct {
	sim.Nop
	Action string
}

// The chain from the start is cut after 500 steps, inside the cycle. The next chain goes once around the cycle and
// ends in a state that the first one passed. That must not change the end of the first one when it is followed
// again.
func TestReduction_LongChainIntoCycle(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	act := func(name string) sim.AnyAction {
		return sim.Action[*first]{
			Name: name, Times: 1, At: func(id sim.NodeID) bool { return id == 0 },
			Do: func(f *first, _ sim.Env) {
				if f.Action == "" {
					f.Action = name
				}
			},
		}
	}
	sys := sim.System{
		Name: "lap", Nodes: 2, Network: netsim.Datagrams{}, Actions: []sim.AnyAction{act("a"), act("b")},
		New: func(id sim.NodeID) sim.Service {
			if id == 0 {
				return new(first)
			}
			return new(lap)
		},
		Properties: []sim.Property{{Name: "counts", Always: sim.Each(func(_ sim.NodeID, l *lap) bool { return l.N >= 0 })}},
	}
	x, err := table.Explore(t.Context(), &sys, options.Options{Reduce: options.ReduceFull})
	if err != nil {
		t.Fatal(err)
	}
	if !x.Complete || x.Finding != nil || x.Reduced.Used != options.ReduceFull {
		t.Errorf("got complete %v (%s), finding %v, %+v; want all states visited, reduced in full", x.Complete, x.Stopped, x.Finding, x.Reduced)
	}
}
