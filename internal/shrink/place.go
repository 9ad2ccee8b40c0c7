package shrink

import (
	"cmp"
	"strings"

	"github.com/macemc/macemc/internal/stacks"
	"github.com/macemc/macemc/sim"
)

// same reports whether two findings agree: in kind, property and, if they have one, place in the code.
func same(a, b *sim.Finding) bool {
	if a.Kind != b.Kind || a.Property != b.Property {
		return false
	}
	switch {
	case a.Kind == sim.Panic:
		return cmp.Or(Place(a), wordsOf(a.Message)) == cmp.Or(Place(b), wordsOf(b.Message))
	case a.Property == sim.AssertionProperty:
		return wordsOf(a.Message) == wordsOf(b.Message)
	}
	return true
}

// Place returns the function and line that panicked. An empty string means that they are not known.
func Place(f *sim.Finding) string {
	panicked := false
	for _, g := range stacks.Read(f.Stack) {
		for _, c := range g.Frames {
			switch {
			case c.Function == "panic":
				panicked = true
			case panicked && c.Package() != "runtime":
				return c.Function + " " + c.Place // without the arguments, which differ
			}
		}
	}
	return ""
}

// wordsOf returns a message without its numbers.
func wordsOf(message string) string {
	return strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return -1
		}
		return r
	}, message)
}
