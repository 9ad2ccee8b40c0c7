package table_test

import (
	"errors"
	"testing"

	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/sim"
)

// The function of an Eventually or Sometimes property that panics, in the third state here, is a finding.
func TestProperties_Panic(t *testing.T) {
	third := func(v *sim.View) bool { return v.Service(0).(*automaton).State == 2 && fail() }
	for _, p := range []sim.Property{{Name: "fails", Eventually: third}, {Name: "fails", Sometimes: third}} {
		sys := automata([][]move{{{1, 1}}, {{2, 1}}, {}}, 0)
		sys.Properties = []sim.Property{p}
		for _, visited := range visitedSets {
			for _, do := range []func(tester, *sim.System, options.Options) *table.Exploration{breadth, dive} {
				x := do(t, sys, options.Options{Visited: visited})
				var f *sim.Finding
				if !errors.As(x.Finding, &f) || f.Kind != sim.Panic || f.Property != "fails" || len(x.Path) != 2 {
					t.Errorf("got %+v, want the panic of the property in the second step", x)
				}
			}
		}
	}
}

func fail() bool { panic("failed") }
