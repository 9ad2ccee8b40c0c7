// Package bundled builds bundled systems for tests.
package bundled

import (
	"fmt"
	"slices"
	"testing"

	"github.com/macemc/macemc/internal/test/papers"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// System builds a bundled system with that many nodes, within limits.
func System(t testing.TB, name string, nodes int, limits sim.Limits, bugs ...string) *sim.System {
	t.Helper()
	entry, err := papers.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	sys, err := entry.New(spec.Config{Nodes: nodes, Bugs: bugs})
	if err == nil {
		sys, err = sys.WithLimits(limits)
	}
	if err != nil {
		t.Fatal(err)
	}
	return &sys
}

// variants returns no bugs, and one known bug for each kind of finding. With -short it returns only the first.
func variants(entry *spec.Entry) [][]string {
	list := [][]string{nil}
	kinds := map[sim.FindingKind]bool{}
	for _, bug := range entry.Bugs {
		if testing.Short() || kinds[bug.Kind] || bug.Kind == sim.Divergence || slices.Contains(bug.OtherKinds, sim.Divergence) {
			continue // a handler may never return
		}
		kinds[bug.Kind] = true
		list = append(list, []string{bug.ID})
	}
	return list
}

// Each calls f in a subtest for each bundled system, with its variant i.
func Each(t *testing.T, f func(t *testing.T, i int, sys *sim.System)) {
	for _, entry := range papers.All() {
		for i, bugs := range variants(&entry) {
			t.Run(fmt.Sprint(entry.Name, bugs), func(t *testing.T) {
				sys, err := entry.New(spec.Config{Nodes: entry.DefaultNodes, Bugs: bugs})
				if err == nil {
					sys, err = sys.WithLimits(entry.Limits)
				}
				if err != nil {
					t.Fatal(err)
				}
				f(t, i, &sys)
			})
		}
	}
}
