package table_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// fickle does otherwise when it does the same for the fourth time, and once only.
type fickle struct {
	sim.Nop
	Drew []int
	Got  int
	Odd  bool
	did  map[[2]int]int
}

func (f *fickle) Receive(_ sim.Env, _ sim.NodeID, msg any) {
	f.did[[2]int{f.Got, msg.(int)}]++
	f.Odd = f.Odd != (f.did[[2]int{f.Got, msg.(int)}] == 4)
	f.Got |= 1 << msg.(int)
}

// Nondeterminism that shows only once is reported, even if it shows while a step is executed for the tables.
func TestExplore_ReportsNondeterminismShownOnce(t *testing.T) {
	did := map[[2]int]int{}
	sys := sim.System{
		Name: "fickle", Nodes: 2, Network: netsim.Datagrams{}, New: func(sim.NodeID) sim.Service { return &fickle{did: did} },
		State: []sim.StateRule{sim.IgnoreField[fickle]("did")},
		Actions: []sim.AnyAction{sim.Action[*fickle]{
			Name: "draw", Times: 3, At: func(id sim.NodeID) bool { return id == 0 },
			Do: func(f *fickle, env sim.Env) {
				if f.Drew = append(f.Drew, env.Choose("a", 8)); slices.Equal(f.Drew, []int{3, 5, 6}) {
					for i := range 9 {
						env.Send(1, i)
					}
				}
			},
		}},
	}
	x, err := table.Explore(t.Context(), &sys, options.Options{})
	var f *sim.Finding
	if err != nil || !errors.As(x.Finding, &f) || f.Kind != sim.Nondeterminism {
		t.Errorf("%v, %v after %d states", err, x.Finding, x.States)
	}
}
