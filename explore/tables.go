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
}

// VisitedSets are all kinds of visited sets.
var VisitedSets = []VisitedSet{
	{"exact", "whole states", func(g Graph) Visited { return newExact(g) },
		func(g Graph) Visited { return &boundedExact{exact: newExact(g)} }},
	{"64", "fingerprints of 64 bits", func(Graph) Visited { return newFingerprints(1) }, func(Graph) Visited { return newBounded(1) }},
	{"128", "fingerprints of 128 bits", func(Graph) Visited { return newFingerprints(2) }, func(Graph) Visited { return newBounded(2) }},
}

// FrontierKind is a kind of frontiers.
type FrontierKind struct {
	Name     string
	Doc      string
	Shortest bool // states are come to by shortest ways
	// New makes one for records of so many words.
	New func(words int) Frontier
}

// Frontiers are all kinds of frontiers.
var Frontiers = []FrontierKind{
	{"queue", "breadth first", true, newQueue},
	{"stack", "depth first", false, newStack},
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
	return kind, fmt.Errorf("%s %q is none of %s", what, name, strings.Join(names, ", "))
}
