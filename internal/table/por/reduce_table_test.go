package por_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/test/golden"
	"github.com/macemc/macemc/internal/test/papers"
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// mostTabled is how many states are visited at most for a cell of the table.
const mostTabled = 700_000

// evaluation/reduction.md lists the number of states of each bundled system with and without reduction; the
// verdicts are the same. With -update the test writes it.
func TestReduction_Table(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("visits some million states")
	}
	rows := "| system | `none` | `drop` | `full` |\n|---|--:|--:|--:|\n"
	by := map[string][]string{}
	for _, e := range papers.All() {
		configs := []map[string]string{nil}
		if slices.ContainsFunc(e.Params, func(p spec.Param) bool { return p.Name == "quorum" }) {
			configs = append(configs, map[string]string{"quorum": "true"})
		}
		for _, params := range configs {
			row, why := tabled(t, &e, params)
			if why != "" {
				by[why] = append(by[why], row)
			} else {
				rows += row
			}
		}
	}
	rows += "\nNot in this list:\n\n"
	for _, why := range slices.Sorted(maps.Keys(by)) {
		rows += fmt.Sprintf("* %s: %s\n", why, strings.Join(by[why], ", "))
	}
	const page, begin, end = "../../../evaluation/reduction.md", "<!-- states -->\n", "<!-- end of states -->\n"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no lines %q and %q", page, begin, end)
	}
	golden.Compare(t, "../"+page, []byte(before+begin+rows+end+after))
}

// tabled is the row of a system; why: it is not reduced, and row is its name.
func tabled(t *testing.T, e *spec.Entry, params map[string]string) (row, why string) {
	sys, err := e.New(spec.Config{Params: params})
	if err != nil {
		t.Fatal(err)
	}
	name := e.Name
	if len(params) > 0 {
		name += ", with quorums"
	}
	if why := notReduced(t, &sys); why != "" {
		return name, why
	}
	row = "| " + name
	var all *table.Exploration
	for _, how := range []options.Reduction{options.ReduceNone, options.ReduceDrop, options.ReduceFull} {
		x, err := table.Explore(context.Background(), &sys, patient(mostTabled, how))
		if err != nil {
			t.Fatal(err)
		}
		if all == nil {
			all = x
		}
		if x.Stopped == "states" || (kindOf(x.Finding) != kindOf(all.Finding) || x.Complete != all.Complete || x.Dead > 0 != (all.Dead > 0)) {
			t.Errorf("%s, %s: found %v, complete %v, %d dead states; all states: %v, %v, %d", name, how, x.Finding, x.Complete, x.Dead, all.Finding, all.Complete, all.Dead)
		}
		row += " | " + textfmt.Number(x.States)
	}
	return row + " |\n", ""
}

// endless are systems with more states than can be visited.
var endless = []string{"pingack", "transport", "superstep"}

// notReduced returns why a system is not in the list, or "".
func notReduced(t *testing.T, sys *sim.System) string {
	if slices.Contains(endless, sys.Name) {
		return "too many states for this list"
	}
	x, err := table.Explore(context.Background(), sys, patient(1, options.ReduceFull))
	if err != nil {
		t.Fatal(err)
	}
	if x.Reduced.Used == options.ReduceFull {
		return ""
	}
	return strings.TrimSuffix(x.Reduced.Why, ": not reduced")
}
