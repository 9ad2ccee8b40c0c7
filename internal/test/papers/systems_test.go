package papers_test

import (
	"errors"
	"testing"

	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/test/papers"
	"github.com/macemc/macemc/internal/test/systest"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// No property fails when nodes are down, even nodes that never fail.
func TestPropertiesWhenNodesAreDown(t *testing.T) {
	for _, e := range papers.All() {
		sys := systest.Build(t, e, spec.Config{}, sim.Limits{sim.Crashes: 1, sim.Halts: 1})
		x, err := table.Explore(t.Context(), &sys, options.Options{MaxStates: 500})
		if err != nil {
			t.Fatal(err)
		}
		if found := (*sim.Finding)(nil); errors.As(x.Finding, &found) && found.Kind == sim.Panic {
			t.Errorf("%s: %v", e.Name, found)
		}
	}
}
