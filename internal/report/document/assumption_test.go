package document

import (
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/report"
)

func TestAssumptions(t *testing.T) {
	for _, c := range []struct {
		a     report.Assumption
		want  string
		wrong bool
	}{
		{report.Assumption{Name: "one node", What: "the system defines no comparison"},
			"ASSUMED, not compared with the implementation: one node", false},
		{report.Assumption{Name: "one node", Verdict: "no difference", States: 1234, Abstract: 5},
			"it has every behavior that these clients can observe, in 1,234 states of the implementation and 5 of the abstraction", false},
		{report.Assumption{Name: "one node", Verdict: "difference", What: "it never does the last of these",
			Trace: []string{"a", "b"}}, "ASSUMED, and WRONG: one node: it never does the last of these: a, b", true},
		{report.Assumption{Name: "one node", Verdict: "undecided", What: "the time limit was reached"},
			"ASSUMED, comparison with the implementation undecided: one node: the time limit was reached", false},
	} {
		r := report.Report{Coverage: report.Coverage{Assumed: []report.Assumption{c.a}}}
		if text := strings.Join(coverageLines(&r), "\n"); !strings.Contains(text, c.want) || c.a.Wrong() != c.wrong {
			t.Errorf("%+v: %s", c.a, text)
		}
	}
}
