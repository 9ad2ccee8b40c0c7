package stateset

import (
	"fmt"
	"strings"

	"github.com/macemc/macemc/internal/explore/graph"
)

// Kind is a kind of visited set. A set that is not a [Finder] finds no dead states and allows no reduction. Without Bounded,
// dfs has no bound on the depth, and without Deferred no set goes to disk.
type Kind struct {
	Name string
	New  func(graph.Graph) Visited
	// Bounded makes a [Bounded] set, or is nil if there is none.
	Bounded func(graph.Graph) Visited
	// Deferred makes a set that spills to disk; nil if there is none.
	Deferred func(graph.Graph, *Spill) Visited
}

// Names of kinds to which other packages refer.
const (
	Exact           = "exact" // whole states
	Fingerprints64  = "64"    // fingerprints of 64 bits: states may be missed
	Fingerprints128 = "128"
)

// MostOmission is the largest bound on the probability that a state was missed with which a search still counts as
// complete, and its depth as visited. With a larger one the verdict is inconclusive.
const MostOmission = 1e-3

// Kinds lists all kinds of visited sets.
var Kinds = []Kind{
	{Exact, func(g graph.Graph) Visited { return newExact(g) },
		func(g graph.Graph) Visited { return &boundedExact{exact: newExact(g)} }, nil},
	{Fingerprints64, func(graph.Graph) Visited { return NewFingerprints(1) },
		func(graph.Graph) Visited { return newBounded(1) },
		func(_ graph.Graph, s *Spill) Visited { return NewSpilled(1, s) }},
	{Fingerprints128, func(graph.Graph) Visited { return NewFingerprints(2) },
		func(graph.Graph) Visited { return newBounded(2) },
		func(_ graph.Graph, s *Spill) Visited { return NewSpilled(2, s) }},
}

// Named returns the kind of visited set with a name. An empty name means the first kind.
func Named(name string) (Kind, error) {
	for _, k := range Kinds {
		if k.Name == name || name == "" {
			return k, nil
		}
	}
	return Kind{}, fmt.Errorf("visited set %q is not one of %s", name, strings.Join(Names(), ", "))
}

// Names returns the names of all kinds.
func Names() (names []string) {
	for _, k := range Kinds {
		names = append(names, k.Name)
	}
	return names
}
