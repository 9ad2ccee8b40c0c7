package render_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/report/render"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

func TestAssumes_NamesTheTimingOfALivenessViolation(t *testing.T) {
	const speed = ", and node clocks may run at any speed"
	late, prompt := "a message may take longer than any timer", "timers wait while a message is on its way"+speed
	for _, c := range []struct {
		kind   sim.FindingKind
		timing sim.Timing
		want   string // the empty string means that no assumption is reported
	}{
		{sim.Liveness, sim.ByDeadline, late + speed},
		{sim.Liveness, sim.AnyOrder, late + ", and timers fire in any order"},
		{sim.Liveness, sim.Prompt, prompt},
		{sim.Deadlock, sim.Prompt, prompt},
		{sim.Starvation, sim.ByDeadline, late + speed},
		{sim.Liveness, sim.Bounded(3 * time.Second), "timers fire at most 3s late, and a link between nodes that are up delivers one of its messages within 3s"},
		{sim.Safety, sim.ByDeadline, ""},
		{sim.Panic, sim.Prompt, ""},
	} {
		one := &report.Report{Settings: report.Settings{System: "led", Nodes: 1, Timing: c.timing.String()},
			Verdict: search.Violation, Kind: c.kind, Property: "led"}
		several := &report.Report{Settings: report.Settings{System: "led", Nodes: 1, Timing: c.timing.String()},
			Verdict: search.Violation, Findings: []*report.Report{one}}
		for _, r := range []*report.Report{one, several} {
			text := flat(printed(t, render.Terminal, r))
			if got := strings.Contains(text+" ", "assumes: "+c.want+" "); got != (c.want != "") || strings.Contains(text, "assumes:") != got {
				t.Errorf("%v, %v: want %q in\n%s", c.kind, c.timing, c.want, text)
			}
			xml := string(printed(t, render.JUnit, r))
			if got := strings.Contains(xml, `<property name="liveness_assumes" value="`+c.want+`">`); got != (c.want != "") || strings.Contains(xml, "liveness_assumes") != got {
				t.Errorf("%v, %v: want %q in\n%s", c.kind, c.timing, c.want, xml)
			}
		}
		var got report.Report
		if err := json.Unmarshal(printed(t, render.JSON, one), &got); err != nil || got.Assumes != c.want {
			t.Errorf("%v, %v: JSON has %q, want %q (%v)", c.kind, c.timing, got.Assumes, c.want, err)
		}
	}
}

// A violation in a run with bounded delays needs the bound only if longer delays rescue it.
func TestAssumes_BoundIsNeeded(t *testing.T) {
	for recovered, want := range map[int]string{
		0: "nothing about delays: with longer ones than 3s, 0 of 8 random continuations recovered, either",
		5: "delivers one of its messages within 3s; with longer delays, 5 of 8 random continuations recovered",
	} {
		r := pingackReport(t)
		r.Timing = sim.SometimesBounded(3 * time.Second).String()
		r.Critical.Unbound = critical.Probe{Walks: 8, Recovered: recovered}
		contains(t, flat(printed(t, render.Terminal, r)), true, want)
		r.Dead.Boot.Choices = []stepinfo.Answer{{Label: kernel.Unbounded.Label, Pick: 1, Arity: 2}}
		contains(t, flat(printed(t, render.Terminal, r)), true, "a message may take longer than any timer", "timing Bounded:DURATION limits both")
	}
}
