package render_test

import (
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/report/document"
	"github.com/macemc/macemc/internal/report/render"
	"github.com/macemc/macemc/internal/test/toys"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

func tickingReport(t *testing.T) *report.Report {
	t.Helper()
	sys := toys.Ticking(70, 20)
	return &report.Report{
		Settings: report.Settings{System: sys.Name, Nodes: sys.Nodes, Timing: sys.Timing.String()},
		Verdict:  search.Violation, Kind: sim.Safety, Property: "no alarm", Steps: 71, Stopped: "found", Dead: trace(t, sys, toys.Ticks(70)...),
	}
}

// Each format shows ticks as one line, and -v each of them.
func TestTicks_Folded(t *testing.T) {
	r := tickingReport(t)
	folds := []string{"steps 1-19, n0: 9.5 s pass, 19 ticks, Ticks 0->19", "steps 21-69, n0: 24.5 s pass, 49 ticks, Ticks 20->69"}
	const each = "timer tick"
	for name, c := range map[string]struct {
		text  string
		ticks int
	}{
		"text":     {string(printed(t, render.Terminal, r)), 3}, // steps 20 and 70, and a cause
		"-v":       {string(printedWith(t, render.Terminal, r, nil, document.Style{Expand: true})), 71},
		"Markdown": {string(printed(t, render.Markdown, r)), 5}, // as text and as a diagram, and a cause
	} {
		contains(t, c.text, name != "-v", folds...)
		if n := strings.Count(c.text, each); n != c.ticks {
			t.Errorf("%s: %d ticks, want %d", name, n, c.ticks)
		}
	}
	page := string(printed(t, render.HTML, r))
	contains(t, strings.ReplaceAll(page, "&gt;", ">"), true, folds...)
	contains(t, page, true, `<input type="checkbox" id="ticks">`)
	contains(t, flat(printed(t, render.JSON, r)), true,
		`"folds": [ { "first": 1, "last": 19, "node": 0, "text": "9.5 s pass, 19 ticks, Ticks 0->19" }, { "first": 21, "last": 69,`)
}
