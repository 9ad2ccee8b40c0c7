package vet

import (
	"cmp"
	"slices"
	"strings"
)

// Finding is a hazard that a handler reaches.
type Finding struct {
	Place
	Kind     Kind     `json:"kind"`
	Message  string   `json:"message"`
	Instead  string   `json:"instead"`  // the alternative
	Handler  string   `json:"handler"`  // the one with the shortest chain; empty for Suppression
	Chain    []Frame  `json:"chain"`    // from the handler to the function with the hazard
	Handlers []string `json:"handlers"` // all that reach it, sorted
	rank     int      // of Handler
}

// Place is a position in a file.
type Place struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

// Frame is a function on a call path from a handler to a hazard.
type Frame struct {
	Func string `json:"func"`
	File string `json:"file"` // of the line below
	Line int    `json:"line"` // of the call of the next function, or of the hazard
}

// better orders findings about the same hazard.
func (f *Finding) better(g *Finding) bool {
	switch {
	case f.rank != g.rank:
		return f.rank < g.rank
	case len(f.Chain) != len(g.Chain):
		return len(f.Chain) < len(g.Chain)
	}
	return f.Handler < g.Handler
}

// via formats the chain.
func (f *Finding) via() string {
	names := make([]string, len(f.Chain))
	for i, frame := range f.Chain {
		names[i] = frame.Func
	}
	return strings.Join(names, " > ")
}

// collection holds one finding for each hazard.
type collection map[hazardKey]*Finding

type hazardKey struct {
	Place
	kind    Kind
	message string
}

func (c collection) add(f Finding) {
	k := hazardKey{f.Place, f.Kind, f.Message}
	g := c[k]
	switch {
	case g == nil, f.rank < bySignature && g.rank == bySignature: // not a handler itself, but called by one
		c[k] = &f
		return
	case f.rank == bySignature && g.rank < bySignature:
		return
	}
	all := append(slices.Clone(g.Handlers), f.Handlers...)
	slices.Sort(all)
	if f.better(g) {
		*g = f
	}
	g.Handlers = slices.Compact(all)
}

// sorted returns the findings by position.
func (c collection) sorted() []Finding {
	list := make([]Finding, 0, len(c))
	for _, f := range c {
		list = append(list, *f)
	}
	slices.SortFunc(list, func(a, b Finding) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
			cmp.Compare(a.Kind, b.Kind), strings.Compare(a.Message, b.Message))
	})
	return list
}
