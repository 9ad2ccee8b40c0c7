package testsched

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Goroutines may print parts of lines in turn.
func TestOutput_Lines(t *testing.T) {
	var p Output
	for _, s := range []struct {
		number int
		text   string
	}{{1, "a "}, {2, "x\ny"}, {1, "b\n"}, {2, "z\n\n"}, {1, "c"}} {
		p.Add(7, s.number, s.text, false)
	}
	var got []string
	for _, line := range p {
		got = append(got, fmt.Sprint(line.Number, line.Text))
	}
	if want := []string{"1a b\n", "2x\n", "2yz\n", "2\n", "1c"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A report shows the last lines, except those that it already has.
func TestOutput_Last(t *testing.T) {
	var p Output
	for i := range 20 {
		p.Add(0, 1, fmt.Sprintf("line %d\n\n", i), false)
	}
	p.Add(0, 1, strings.Repeat("x", 500), false)
	got := p.Last([]string{"macemc: FAILED TEST: line 18", "  line 17"})
	if len(got) != 11 || got[0] != "last output of the run:" || got[1] != "  line 9" || got[9] != "  line 19" || len(got[10]) > 210 {
		t.Errorf("got %q", got)
	}
	if got := (Output{{Text: "testing.go:1: " + RaceFailure}}).Last(nil); got != nil {
		t.Errorf("got %q of a note about a race", got)
	}
	if got := (Output{}).Last(nil); got != nil {
		t.Errorf("got %q of nothing", got)
	}
}
