package check_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/budget"
	"github.com/macemc/macemc/internal/check"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// napping counts its slow steps.
type napping struct {
	sim.Nop
	N int
}

const nap = 100 * time.Millisecond

// nappingSystem violates a property when node 0 has taken 8 steps. Those of node 1 are not needed.
func nappingSystem() sim.System {
	return sim.System{
		Name: "napping", Nodes: 2, New: func(sim.NodeID) sim.Service { return &napping{} },
		Actions: []sim.AnyAction{sim.Action[*napping]{Name: "nap", Do: func(n *napping, _ sim.Env) { time.Sleep(nap); n.N++ }}},
		Properties: []sim.Property{{Name: "few", Always: func(v *sim.View) bool {
			return v.Service(0).(*napping).N < 8
		}}},
	}
}

// With slow steps a check ends in time, with the finding. It tries some smaller runs if there is time, and says that others were left.
func TestRun_SlowSteps(t *testing.T) {
	if testing.Short() {
		t.Skip("takes as long as its time limits")
	}
	for _, limit := range []time.Duration{3 * time.Second, 8 * time.Second} {
		t.Run(limit.String(), func(t *testing.T) {
			t.Parallel()
			o := testOptions(nappingSystem())
			o.Dir, o.Respawn, o.Search.Strategy, o.Search.Time = filepath.Join(t.TempDir(), "out"), harmed("naps"), search.Walk, limit
			began := budget.Now()
			rep, err := check.Run(t.Context(), o)
			if err != nil || rep.Verdict != search.Violation || rep.Property != "few" || rep.PathFile == "" {
				t.Fatalf("%v, %+v", err, rep)
			}
			if took := budget.Now() - began; took > budget.LastLimit(limit) {
				t.Errorf("it took %v, at most %v are allowed", took, budget.LastLimit(limit))
			}
			switch s := rep.Shrunk; {
			case s == nil && rep.NotShrunk == "":
				t.Errorf("the report does not say why the run is as it was found: %+v", rep)
			case s != nil && !s.Minimal && s.Left == 0 && !s.Over:
				t.Errorf("a run that is not minimal has nothing left to try: %+v", s)
			case limit > 5*time.Second && (s == nil || s.Candidates < 2):
				t.Errorf("hardly any smaller run was tried: %+v, %q", s, rep.NotShrunk)
			}
		})
	}
}
