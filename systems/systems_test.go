package systems_test

import (
	"errors"
	"testing"

	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/test/systest"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems"
	"github.com/macemc/macemc/systems/spec"
)

// Nodes that are down, also those that never fail by themselves, are no surprise to any property.
func TestPropertiesWhenNodesAreDown(t *testing.T) {
	for _, e := range systems.All() {
		sys := systest.Build(t, e, spec.Config{}, sim.Limits{Crashes: 1, Halts: 1})
		x, err := table.Explore(t.Context(), &sys, table.ExploreOptions{MaxStates: 500})
		if err != nil {
			t.Fatal(err)
		}
		if found := (*sim.Finding)(nil); errors.As(x.Finding, &found) && found.Kind == sim.Panic {
			t.Errorf("%s: %v", e.Name, found)
		}
	}
}

func TestFind(t *testing.T) {
	if e, err := systems.Find("randtree"); err != nil || e.Name != "randtree" {
		t.Errorf("got %q, %v", e.Name, err)
	}
	_, err := systems.Find("randtre")
	if want := `unknown system "randtre"; did you mean randtree?`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
