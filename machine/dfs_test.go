package machine_test

import (
	"testing"

	"github.com/macemc/macemc/explore"
	"github.com/macemc/macemc/internal/census"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/sim/table"
)

func TestDFSDiff(t *testing.T) {
	for _, seed := range []uint64{375, 864} {
		p := newProgram(seed)
		sys := p.system().Sim("random")
		x, err := table.Explore(t.Context(), &sys, table.ExploreOptions{Frontier: explore.Frontiers[1]})
		t.Logf("%+v %v", x, err)
		x, err = table.Explore(t.Context(), &sys, table.ExploreOptions{})
		t.Logf("%+v %v", x, err)
		g, _ := census.Explore(&sys)
		w, _ := sim.NewWorld(&sys, sim.Options{})
		for i, s := range g.States {
			visit(t, w, s.Path)
			t.Log(i, s.Path, s.Steps, w.NodeFields(0), w.NodeFields(1), w.NetFields())
		}
	}
}
