package render_test

import (
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/report/render"
	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/search"
)

// The report states whether a shorter run exists. If nothing is known, one may exist.
func TestShortest(t *testing.T) {
	r := nothingFound()
	r.Verdict, r.Coverage.Reduced = search.Violation, &stats.Reduced{Used: options.ReduceFull}
	for _, c := range []struct {
		shortest    *stats.Shortest
		text, junit string
	}{
		{nil, "a shorter run may exist", ""},
		{&stats.Shortest{Found: 9, Least: true, States: 1200}, "no shorter run violates a property, checked in 1,200 states", `<property name="shortest" value="true">`},
		{&stats.Shortest{Found: 9, Why: "stopped by time"}, "unknown stopped by time", `<property name="shortest_unknown_because" value="stopped by time">`},
	} {
		r.Coverage.Shortest = c.shortest
		text, xml := flat(printed(t, render.Terminal, r)), string(printed(t, render.JUnit, r))
		if !strings.Contains(text, c.text) || !strings.Contains(xml, c.junit) || c.shortest != nil && strings.Contains(text, "shorter run may exist") {
			t.Errorf("%+v:\n%s\n%s", c.shortest, text, xml)
		}
	}
}
