package papers_test

import (
	"testing"

	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/test/papers"
	"github.com/macemc/macemc/internal/test/systest"
	"github.com/macemc/macemc/systems/spec"
)

// The systems of machines are visited as a whole: nothing is wrong with them as they are, and each bug is found.
func TestMachinesAreVisited(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	for _, name := range []string{"clientserver", "commit", "espresso", "detector", "channel", "timer", "chain", "ftcommit", "basicpaxos", "election", "hashtable"} {
		t.Run(name, func(t *testing.T) {
			e, err := papers.Find(name)
			if err != nil {
				t.Fatal(err)
			}
			explore := func(c spec.Config) *table.Exploration {
				sys, err := e.New(c)
				if err != nil {
					t.Fatal(err)
				}
				x, err := table.Explore(t.Context(), &sys, options.Options{})
				if err != nil || !x.Complete && x.Finding == nil {
					t.Fatalf("%s: %v, %+v", name, err, x)
				}
				return x
			}
			x := new(table.Exploration)
			if name != "basicpaxos" { // its own test visits that one
				x = systest.Clean(t, systest.Build(t, e, spec.Config{}, e.Limits), 0)
			}
			// States from which all that is owed is settled are left out at less than the cost of a second exploration, or little more.
			if f := x.Fairness; f != nil {
				t.Logf("%s: %d states, %d expansions to leave out all but %d", name, x.States, f.Expansions, f.Left)
				if f.Expansions > 2*x.States || name == "commit" && (f.Expansions >= x.States || f.Left > 0) {
					t.Errorf("%s: %d states, %d expansions to leave out all but %d", name, x.States, f.Expansions, f.Left)
				}
			}
			for i := range e.Bugs {
				if x := explore(e.Bugs[i].Apply(spec.Config{})); x.Finding == nil && x.Dead == 0 && (x.Fairness == nil || x.Fairness.Starvation == nil) {
					t.Errorf("%s is not found in %d states", e.Bugs[i].ID, x.States)
				}
			}
		})
	}
}
