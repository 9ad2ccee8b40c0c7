package document

import (
	"fmt"

	"github.com/macemc/macemc/eventgraph"
	"github.com/macemc/macemc/internal/textfmt"
)

// mostPauses is the maximum number of pauses that a report names.
const mostPauses = 2

// pauseFacts names the pauses of a run up to a step. It also returns the steps that the texts name.
func pauseFacts(g *eventgraph.Graph, last int) (facts []Fact, named []int) {
	label := "pause:"
	for _, p := range eventgraph.Pauses(g, last) {
		what := "pauses"
		switch {
		case p.From >= 0:
			what = fmt.Sprintf("handles no message from n%d", p.From)
		case p.Acts > 0:
			what = "acts, but handles no message"
		}
		wait := "waits"
		if p.Waits > 1 {
			wait = "wait"
		}
		facts = append(facts, Fact{label, fmt.Sprintf("n%d %s from step %d to step %d: %s %s", p.Node, what, p.First+1, p.Last,
			textfmt.Plural(p.Waits, "message"), wait), ""})
		named = append(named, p.First+1, p.Last)
		if label = ""; len(facts) == mostPauses {
			break
		}
	}
	return facts, named
}
