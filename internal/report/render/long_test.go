package render_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/report/render"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/pingack"
)

// longReport returns the report of a run of 5,000 steps that dies 14 steps before its end, with causes at its start.
func longReport(t *testing.T) *report.Report {
	t.Helper()
	const steps, step = 5000, 4986
	keys := []string{"action n0 ping", "deliver n1<-n0 Ping{Seq:1}", "deliver n0<-n1 Ack{Seq:1}", "action n0 ping",
		"deliver n1<-n0 Ping{Seq:2}"}
	again := func(to int) {
		for len(keys) < to {
			keys = append(keys, "timer n0 resend{}", "deliver n1<-n0 Ping{Seq:2}")
		}
	}
	again(step - 1)
	live := append(keys[:step-1:step-1], "deliver n0<-n1 Ack{Seq:2}")
	keys = append(keys[:step-1:step-1], "lose n0<-n1 Ack{Seq:2}")
	again(steps)
	r := pingackReport(t)
	r.Dead, r.Live = trace(t, &pingack.System, keys...), trace(t, &pingack.System, live...)
	res := &critical.Result{Choice: -1, Transition: critical.Transition{Case: critical.Located, Step: step, LiveCommon: step - 1,
		Before: critical.Probe{Walks: 1, Recovered: 1, Limit: 2000}, After: critical.Probe{Walks: 200, Limit: 2000}}}
	r.Steps, r.Critical = steps, report.CriticalOf(res, r.Dead)
	return r
}

// The page of a long run is small, contains every step named in the text, and shows the others as text.
func TestPage_LongRun(t *testing.T) {
	r := longReport(t)
	page := string(printed(t, render.HTML, r))
	if len(page) > 1_000_000 {
		t.Errorf("the page has %d bytes", len(page))
	}
	dead, live, _ := strings.Cut(page, `data-run="1"`)
	text, _, _ := strings.Cut(string(printed(t, render.Terminal, r)), "nearest run that recovered")
	_, text, _ = strings.Cut(text, "n0 pinger ")
	named := regexp.MustCompile(`(?m)^ [ >] *(\d+) {2}`).FindAllStringSubmatch(text, -1)
	if len(named) != 10 {
		t.Errorf("the text shows %d steps, want 10:\n%s", len(named), text)
	}
	if !strings.Contains(text, "\n     5    --Ping{2}---------------->  Seen 1->2") {
		t.Errorf("the text lacks the step that sent what step 4986 loses:\n%s", text)
	}
	for _, n := range append(named, []string{"", "5000"}) {
		if !strings.Contains(dead, `data-step="`+n[1]+`"`) {
			t.Errorf("the page lacks step %s", n[1])
		}
	}
	if strings.Contains(dead, `data-step="3000"`) {
		t.Error("the page has all steps")
	}
	// Where it leaves out steps, a line counts them, and they follow as text.
	contains(t, dead, true, `<g class="left-out" data-from="6"><title>4495 steps (6-4500) left out: n0 timer resend x2248, n1 Ping{2} x2247</title>`,
		`<details class="left-out" data-from="6"><summary>steps 6 to 4500, left out above</summary>`,
		"\n     6  timer resend  ", "\n... and the steps up to 4500</pre>")
	contains(t, live, true, `<g class="left-out" data-from="1"><title>4486 steps (1-4486) left out: `,
		"\n     1  ping                          Sent 0-&gt;1; sets resend; no longer LIVE  pingack.go:24\n")
}

// The step with the violation is marked like a critical one.
func TestPage_MarksViolation(t *testing.T) {
	dead := trace(t, bombs(sim.Property{Name: "not lit", Always: func(v *sim.View) bool { return v.Service(0).(*bomb).Fuse < 2 }}),
		"action n0 light", "action n0 light")
	f := dead.Finding
	r := &report.Report{Settings: report.Settings{System: "bomb", Nodes: 1}, Verdict: "violation", Kind: f.Kind, Property: f.Property, Message: f.Message, Dead: dead}
	contains(t, string(printed(t, render.HTML, r)), true, `<rect class="mark violation" x="1" `, `&gt; 2</text>`, "</svg> violation</span>", `"found":2`)
	contains(t, string(printed(t, render.HTML, pingackReport(t))), false, `mark violation`, `"found":`)
}
