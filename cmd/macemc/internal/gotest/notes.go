package gotest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/textfmt"
)

// testNote is a note of the exploration about tests of a package.
type testNote struct {
	pkg, text string
	tests     []string
}

// String lists the first three tests.
func (n testNote) String() string {
	names, text := strings.Join(n.tests, ", "), n.text
	if more := len(n.tests) - 3; more > 0 {
		names = fmt.Sprintf("%s and %d more", strings.Join(n.tests[:3], ", "), more)
	}
	if len(n.tests) > 1 {
		text = strings.Replace(text, ": it ", ": each ", 1)
	}
	return n.pkg + " " + names + ": " + text
}

// note adds a note about a test.
func (s *summaries) note(pkg, test, text string) {
	i := slices.IndexFunc(s.notes, func(n testNote) bool { return n.pkg == pkg && n.text == text })
	if i < 0 {
		i, s.notes = len(s.notes), append(s.notes, testNote{pkg: pkg, text: text})
	}
	s.notes[i].tests = append(s.notes[i].tests, test)
}

// unexplored begins the note of a test that is not explored.
const unexplored = "not explored: "

// A test with mctest.Check is not explored because it searches itself.
const (
	systemOfNodes = "it checks a system of nodes"
	searched      = "its own search explores a system of nodes; -v shows what it tried"
)

// fewUnexplored is the number of lines with such notes above which one line counts the tests instead, unless -v is given.
const fewUnexplored = 5

// noteLines returns the notes as lines. Those of tests that are not explored come first. If they are many, one line counts them unless all
// is set.
func (s *summaries) noteLines(all bool) (lines []string) {
	var reasons, others []string
	tests := map[string]int{} // by reason
	for _, n := range s.notes {
		reason, is := strings.CutPrefix(n.text, unexplored)
		if !is {
			others = append(others, n.String())
			continue
		}
		lines = append(lines, n.String())
		if tests[reason] == 0 {
			reasons = append(reasons, reason)
		}
		tests[reason] += len(n.tests)
	}
	if len(lines) > fewUnexplored && !all {
		for i, reason := range reasons {
			reasons[i] = fmt.Sprintf("%s (%s)", reason, textfmt.Plural(tests[reason], "test"))
		}
		lines = []string{unexplored + strings.Join(reasons, ", ") + "; -v names them"}
	}
	return append(lines, others...)
}
