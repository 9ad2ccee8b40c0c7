package render_test

import (
	"io"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/report/document"
	"github.com/macemc/macemc/internal/report/render"
	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// The report names properties that most random runs missed and events that were rare after their first live states.
// With few runs it does not.
func TestWaste(t *testing.T) {
	text := func(walks, of, live int) string {
		r := report.Report{Settings: report.Settings{System: "s"}, Verdict: search.OK, Stopped: stats.StoppedTime}
		r.Coverage.Sometimes = []stats.Sometimes{{Property: "read", Runs: 90, Walks: walks, Of: of}}
		r.Coverage.AfterLiveWalks = live
		r.Coverage.AfterLive = []stats.AfterLive{{What: "action stop"}, {What: "timer beat", Times: 70, Walks: 7},
			{What: "message ping", Times: 900, Walks: 150}}
		return flat(printed(t, render.Terminal, &r))
	}
	const vacuous = "(RARE: in 0.9 % of the random runs, less than 1 %; code that depends on it is barely tested)"
	const rare = "rare after the first live state, in a sample of 200 walks: action stop never, timer beat in 3.5 %"
	if s := text(9, 1000, 200); !strings.Contains(s, vacuous) || !strings.Contains(s, rare) || strings.Contains(s, "ping") {
		t.Error(s)
	}
	if s := text(10, 1000, 99); strings.Contains(s, "RARE") || strings.Contains(s, "rare") {
		t.Error(s)
	}
	if s := text(1, 3000, 0); !strings.Contains(s, "in 90 runs (RARE: in less than 0.1 % of the random runs") {
		t.Error(s)
	}
	if s := text(1, 99, 0); strings.Contains(s, "RARE") {
		t.Error(s)
	}
}

// All formats warn if most random walks are short, unless there are few, the search was complete, or it found something.
func TestShortWalks(t *testing.T) {
	const want = "random walks are SHORT: 51 of 100 took fewer than 10 steps"
	for name, c := range map[string]struct {
		short, walks int
		complete     bool
		verdict      search.Verdict
		want         bool
	}{
		"short": {51, 100, false, search.OK, true}, "long": {50, 100, false, search.OK, false}, "few": {99, 99, false, search.OK, false},
		"complete": {51, 100, true, search.OK, false}, "violation": {51, 100, false, search.Violation, false},
	} {
		r := report.Report{Settings: report.Settings{System: "s"}, Verdict: c.verdict, Kind: sim.Safety, Stopped: stats.StoppedTime}
		r.Coverage.Complete = c.complete
		r.Phases = []stats.Phase{{Name: "leaf walks", Paths: 500}, {Name: "walks", Paths: c.walks - 20, Short: c.short - 10},
			{Name: "faulty walks", Paths: 20, Short: 10}}
		brief := func(w io.Writer, d *document.Document) error { d.Style.Brief = true; return render.Terminal(w, d) }
		for format, f := range map[string]func(io.Writer, *document.Document) error{
			"text": render.Terminal, "brief": brief, "JSON": render.JSON, "JUnit": render.JUnit, "Markdown": render.Markdown, "page": render.HTML,
		} {
			if text := flat(printed(t, f, &r)); strings.Contains(text, want) != c.want {
				t.Errorf("%s, %s: want %v:\n%s", name, format, c.want, text)
			}
		}
	}
}

// The report counts the pairs of events that happened in both orders, also in the suite's properties.
func TestOrders(t *testing.T) {
	r := report.Report{Settings: report.Settings{System: "s"}, Verdict: search.OK, Stopped: stats.StoppedTime}
	if s := flat(printed(t, render.Terminal, &r)); strings.Contains(s, "both orders") {
		t.Error(s)
	}
	r.Coverage.Orders = stats.Orders{Walks: 70, Pairs: 1390, Both: 1204}
	const want = "orders: 1,204 of 1,390 pairs of events at one node that were enabled together happened in both orders, in a sample of 70 walks"
	if s := flat(printed(t, render.Terminal, &r)); !strings.Contains(s, want) {
		t.Error(s)
	}
	if s := string(printed(t, render.JUnit, &r)); !strings.Contains(s, `<property name="orders" value="`+want) {
		t.Error(s)
	}
}
