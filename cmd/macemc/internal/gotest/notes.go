package gotest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/macemc/macemc/internal/textfmt"
)

// testNote is a note of the exploration about tests of a package.
type testNote struct {
	pkg, text string
	tests     []string
	delay     time.Duration // for which a goroutine is held in a test that fails then; 0 means another note
}

// String lists the first three tests.
func (n testNote) String() string {
	names, text := someOf(n.tests), n.text
	if len(n.tests) > 1 {
		text = strings.Replace(text, ": it ", ": each ", 1)
	}
	return n.pkg + " " + names + ": " + text
}

// someOf lists the first three tests.
func someOf(tests []string) string {
	if more := len(tests) - 3; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(tests[:3], ", "), more)
	}
	return strings.Join(tests, ", ")
}

// note adds a note about a test.
func (s *summaries) note(pkg, test, text string) { s.noteDelay(pkg, test, text, 0) }

func (s *summaries) noteDelay(pkg, test, text string, delay time.Duration) {
	i := slices.IndexFunc(s.notes, func(n testNote) bool { return n.pkg == pkg && n.text == text })
	if i < 0 {
		i, s.notes = len(s.notes), append(s.notes, testNote{pkg: pkg, text: text, delay: delay})
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
// is set. Delays with which tests fail have a line for each package, unless all is set.
func (s *summaries) noteLines(all bool) (lines []string) {
	var reasons, others []string
	delays := map[string][]testNote{} // by package
	tests := map[string]int{}         // by reason
	for _, n := range s.notes {
		if n.delay > 0 && !all {
			delays[n.pkg] = append(delays[n.pkg], n)
			continue
		}
		reason, is := strings.CutPrefix(n.text, unexplored)
		if !is {
			others = append(others, n.String())
			continue
		}
		lines = append(lines, n.String())
		reason, _, _ = strings.Cut(reason, ": ") // details differ
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
	for _, pkg := range slices.Sorted(maps.Keys(delays)) {
		others = append(others, delayLine(delays[pkg]))
	}
	return append(lines, others...)
}

// delayLine combines notes about delays in a package.
func delayLine(notes []testNote) string {
	const hint = "; not a finding, as tests may rely on times: -explore-delay 1ms tries no such delays"
	if len(notes) == 1 {
		return notes[0].String() + hint
	}
	var tests []string
	least, most := notes[0].delay, notes[0].delay
	for _, n := range notes {
		tests = append(tests, n.tests...)
		least, most = min(least, n.delay), max(most, n.delay)
	}
	span := least.String()
	if most > least {
		span += " to " + most.String()
	}
	return fmt.Sprintf("%s %s: each fails if a goroutine is held for %s (-v tells where)%s", notes[0].pkg, someOf(tests), span, hint)
}
