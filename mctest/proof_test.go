package mctest_test

import (
	"strings"
	"testing"

	"github.com/macemc/macemc/mctest"
	"github.com/macemc/macemc/sim"
)

// grows grows forever, so that no exhaustive search can prove that it never rests.
type grows struct {
	sim.Nop
	N int
}

func TestGrowingInside(t *testing.T) {
	onlyInside(t)
	mctest.CheckWith(t, sim.System{
		Name: "grows", Nodes: 1,
		New:        func(sim.NodeID) sim.Service { return new(grows) },
		Actions:    []sim.AnyAction{sim.Action[*grows]{Name: "grow", Do: func(g *grows, _ sim.Env) { g.N++ }}},
		Properties: []sim.Property{{Name: "rests", Eventually: func(*sim.View) bool { return false }}},
	}, mctest.Options{MaxPaths: 50, WalkSteps: 50, Walks: 10})
}

// A violation supported by walks alone is a violation unless a proof is required.
func TestProof(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes")
	}
	for set, want := range map[string]string{
		"MACEMC_PROOF=walks":  "LIVENESS VIOLATION",
		"-macemc.proof=exact": "INCONCLUSIVE",
		"MACEMC_PROOF=maybe":  `MACEMC_PROOF is "maybe", must be walks or exact`,
	} {
		out, passed := run(t, t.TempDir(), "TestGrowingInside", set, "MACEMC_IN_PROCESS=true")
		if passed || !strings.Contains(out, want) {
			t.Errorf("%s: passed %t, want %q:\n%s", set, passed, want, out)
		}
	}
}
