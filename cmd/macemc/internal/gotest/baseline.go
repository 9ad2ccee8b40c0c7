package gotest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/textfmt"
)

// knownLines returns the value of testsched.VariableKnown. It contains the lines, so that cached results depend on them.
func (x *exploration) knownLines() string {
	if x.knownFile == "" {
		return ""
	}
	lines := []string{x.knownFile}
	for _, k := range x.known {
		lines = append(lines, k.String())
	}
	return strings.Join(lines, "\n")
}

// baseline compares the findings with the list of known ones. Its last line counts them.
func (s *summaries) baseline() {
	if s.file == "" {
		return
	}
	known, absent := 0, 0
	for _, k := range s.list {
		switch {
		case slices.Contains(s.known, k.String()):
			known++
			fmt.Fprintln(s.out, "macemc: known:", k)
		case slices.ContainsFunc(s.ran, k.About):
			absent++
			fmt.Fprintln(s.out, "macemc: fixed, or not reached:", k)
		}
	}
	fmt.Fprintf(s.out, "macemc: %s: %s, %d fixed or not reached\n", s.file, textfmt.Plural(known, "known finding"), absent)
}
