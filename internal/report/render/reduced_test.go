package render_test

import (
	"encoding/json"
	"testing"

	"github.com/macemc/macemc/internal/report/render"
	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/search"
)

// The report describes the omitted states, and why not more were omitted.
func TestReduced(t *testing.T) {
	r := nothingFound()
	r.Strategy, r.Coverage.Complete = "bfs", true
	xml := func() string { return string(printed(t, render.JUnit, r)) }
	text := func() string { return flat(printed(t, render.Terminal, r)) }
	contains(t, text()+xml(), false, "omitted", "reduced")

	r.Coverage.Reduced = &stats.Reduced{Used: options.ReduceFull, Rounds: 3, Passed: 1824, Chains: 1065, Dead: 36}
	contains(t, text(), true, "every state within the limits was visited, or omitted because it cannot change the verdict",
		"reduced (full): 81,204 states stored, 1,824 states checked in passing on 1,065 sequences of steps; dead messages dropped in 36 local states; explored in 3 rounds",
		"states and transitions are counted after the reduction")
	contains(t, text(), false, "shorter way")
	contains(t, xml(), true, `<property name="reduced" value="full">`, `<property name="states_passed" value="1824">`,
		`<property name="chains" value="1065">`, `<property name="reduction_rounds" value="3">`)
	var doc struct {
		Coverage struct {
			Reduced struct {
				Used   string `json:"used"`
				Passed int    `json:"passed"`
			} `json:"reduced"`
		} `json:"coverage"`
	}
	if err := json.Unmarshal(printed(t, render.JSON, r), &doc); err != nil || doc.Coverage.Reduced.Used != "full" ||
		doc.Coverage.Reduced.Passed != 1824 {
		t.Errorf("%v: %+v", err, doc)
	}

	r.Verdict = search.Violation
	contains(t, text(), true, "reduced: full states were omitted; a shorter run may exist")

	r.Verdict = search.OK
	r.Coverage.Reduced = &stats.Reduced{Used: options.ReduceDrop, Rounds: 1, Dead: 2, Why: "with a bound on depth only dead messages are dropped"}
	contains(t, text(), true, "omitted", "reduced (drop): dead messages dropped in 2 local states",
		"with a bound on depth only dead messages are dropped")

	early := *r
	early.Coverage.Complete, early.Coverage.ExhaustedDepth = false, 0
	for used, wanted := range map[options.Reduction]bool{options.ReduceFull: true, options.ReduceNone: false} {
		early.Coverage.Reduced = &stats.Reduced{Used: used, Permutations: 6}
		shown := flat(printed(t, render.Terminal, &early))
		contains(t, shown, true, "no depth is complete")
		contains(t, shown, wanted, "--reduce none leaves out none")
	}

	r.Coverage.Reduced = &stats.Reduced{Used: options.ReduceNone, Permutations: 6}
	contains(t, text(), true, "omitted", "symmetry: states that differ by one of 6 permutations of nodes with the same role count as one")
	contains(t, xml(), true, `<property name="permutations" value="6">`)
	r.Coverage.Reduced = &stats.Reduced{Used: options.ReduceNone, Asymmetry: "n2 begins otherwise than n1"}
	contains(t, text(), false, "omitted")
	contains(t, text(), true, "no symmetry: n2 begins otherwise than n1")
	contains(t, xml(), true, `<property name="no_symmetry_because" value="n2 begins otherwise than n1">`)

	r.Coverage.Reduced = &stats.Reduced{Used: options.ReduceNone, Why: "streams: not reduced"}
	contains(t, text(), true, "every state within the limits was visited", "streams: not reduced")
	contains(t, text(), false, "omitted", "reduced (")
	contains(t, xml(), true, `<property name="reduced_less_because" value="streams: not reduced">`)
}
