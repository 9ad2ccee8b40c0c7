package machine_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/macemc/macemc/explore"
	"github.com/macemc/macemc/internal/census"
	"github.com/macemc/macemc/sim/table"
)

// Random machines have the states that the interpreter says they have, and fail when it says that they can, in both engines.
func TestRandomMachines(t *testing.T) {
	compared, failed, large := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		p := drawProgram(t)
		states, transitions, failures, ok := interpret(p, "", 400)
		if !ok {
			large++
			return
		}
		compared++
		sys := p.system().Sim("random")
		x, err := table.Explore(t.Context(), &sys, table.ExploreOptions{})
		if err != nil {
			t.Fatal(err)
		}
		deep, err := table.Explore(t.Context(), &sys, table.ExploreOptions{Frontier: explore.Frontiers[1]})
		if err != nil {
			t.Fatal(err)
		}
		g, graphErr := census.Explore(&sys)
		if len(failures) > 0 {
			if failed++; x.Finding == nil || deep.Finding == nil || graphErr == nil {
				t.Fatalf("table: %v, replay: %v; want one of %q\n%+v", x.Finding, graphErr, failures, p)
			}
			return
		}
		if x.Finding != nil || deep.Finding != nil || graphErr != nil {
			t.Fatalf("table: %v, %v, replay: %v; want nothing", x.Finding, deep.Finding, graphErr)
		}
		if deep.States != states || deep.Transitions != transitions {
			t.Fatalf("depth first: %d states, %d transitions; interpreter: %d, %d", deep.States, deep.Transitions, states, transitions)
		}
		if x.States != states || x.Transitions != transitions || len(g.States) != states || g.Transitions() != transitions {
			t.Fatalf("table: %d states, %d transitions; replay: %d, %d; interpreter: %d, %d\n%+v",
				x.States, x.Transitions, len(g.States), g.Transitions(), states, transitions, p)
		}
	})
	t.Logf("%d programs compared, of which %d fail; %d are too large", compared, failed, large)
	if !testing.Short() && (compared < 50 || compared-failed < 10) {
		t.Errorf("only %d programs were compared, of which %d fail", compared, failed)
	}
}

// The programs tell apart what the interpreter is, and what it would be with one rule broken.
func TestRandomMachinesNoticeFlaws(t *testing.T) {
	for _, flaw := range []string{"no implicit pop", "pop without exit", "ignored behind others", "two at once", "null too early"} {
		noticed := 0
		for seed := range uint64(1500) {
			p := newProgram(seed)
			states, transitions, failures, ok := interpret(p, "", 120)
			if !ok {
				continue
			}
			if s, tr, f, ok := interpret(p, flaw, 120); !ok || s != states || tr != transitions || !slices.Equal(f, failures) {
				noticed++
			}
		}
		if t.Logf("%s: %d of 1500 programs", flaw, noticed); noticed == 0 {
			t.Errorf("no program notices the flaw %q", flaw)
		}
	}
}
