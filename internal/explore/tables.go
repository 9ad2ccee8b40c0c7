package explore

import (
	"fmt"
	"strings"
)

// VisitedSet is a kind of visited sets.
type VisitedSet struct {
	Name string
	Doc  string
	New  func(Graph) Visited
	// Bounded makes a [Bounded] one; nil: there is none.
	Bounded func(Graph) Visited
	// Spilled makes a [Deferred] one; nil: there is none.
	Spilled func(Graph, *Spill) Visited
}

// VisitedSets are all kinds of visited sets.
var VisitedSets = []VisitedSet{
	{"exact", "whole states", func(g Graph) Visited { return newExact(g) },
		func(g Graph) Visited { return &boundedExact{exact: newExact(g)} }, nil},
	{"64", "fingerprints of 64 bits", func(Graph) Visited { return newFingerprints(1) }, func(Graph) Visited { return newBounded(1) },
		func(_ Graph, s *Spill) Visited { return newSpilled(1, s) }},
	{"128", "fingerprints of 128 bits", func(Graph) Visited { return newFingerprints(2) }, func(Graph) Visited { return newBounded(2) },
		func(_ Graph, s *Spill) Visited { return newSpilled(2, s) }},
}

// FrontierKind is a kind of frontiers.
type FrontierKind struct {
	Name     string
	Doc      string
	Shortest bool // states are come to by shortest ways
	// New makes one for records of so many words.
	New func(words int) Frontier
	// Spilled makes one most of which is on disk; nil: there is none.
	Spilled func(words int, s *Spill) Frontier
}

// Frontiers are all kinds of frontiers.
var Frontiers = []FrontierKind{
	{"queue", "breadth first", true, newQueue, newSpooled},
	{"stack", "depth first", false, newStack, nil},
}

// VisitedNamed returns the kind of visited sets of a name; "": the first.
func VisitedNamed(name string) (VisitedSet, error) {
	return named(VisitedSets, "visited set", name, func(k *VisitedSet) string { return k.Name })
}

// FrontierNamed returns the kind of frontiers of a name; "": the first.
func FrontierNamed(name string) (FrontierKind, error) {
	return named(Frontiers, "frontier", name, func(k *FrontierKind) string { return k.Name })
}

func named[K any](kinds []K, what, name string, nameOf func(*K) string) (kind K, err error) {
	var names []string
	for i := range kinds {
		if n := nameOf(&kinds[i]); n == name || name == "" {
			return kinds[i], nil
		} else {
			names = append(names, n)
		}
	}
	return kind, fmt.Errorf("%s %q is not one of %s", what, name, strings.Join(names, ", "))
}
