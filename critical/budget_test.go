package critical

import (
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/sim"
)

// All searches of one run together stay within the budget of states, and nothing is proven without a search.
func TestSearchesShareABudget(t *testing.T) {
	sys := sim.System{
		Name: "idle", Nodes: 1, New: func(sim.NodeID) sim.Service { return new(sim.Nop) },
		Actions:    []sim.AnyAction{sim.Action[*sim.Nop]{Name: "idle", Times: 9, Do: func(*sim.Nop, sim.Env) {}}},
		Properties: []sim.Property{{Name: "never", Eventually: func(*sim.View) bool { return false }}},
	}
	f := finder{cfg: &Config{System: sys, States: 30}}
	for looks := 0; ; looks++ {
		r, unproven, err := f.explore(t.Context(), choose.Path{})
		if err != nil || (r == nil) != (unproven != "") || looks > 16*30 {
			t.Fatalf("search %d: %+v, %q, %v", looks+1, r, unproven, err)
		}
		if r == nil {
			if most := 17 * 30; f.searches.visited < 16*30 || f.searches.visited > most {
				t.Errorf("%d states were visited", f.searches.visited)
			}
			break
		}
	}
	// So it is for a search from a step, after which no other is tried.
	f.searches.byStep = map[int]*table.Recovery{}
	if ok, err := f.recoversExactly(t.Context(), 0); ok || err != nil || !f.searches.tooManyStates || f.searches.unproven == "" {
		t.Errorf("%v, %v, %+v", ok, err, &f)
	}
}
