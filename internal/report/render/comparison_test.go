package render_test

import (
	"fmt"
	"html"
	"io"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/report/document"
	"github.com/macemc/macemc/internal/report/render"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/pingack"
)

// wide adds fields to the state of n0, so that it is too long to be shown whole.
func wide(t *replay.Trace) {
	for i := range 12 {
		t.Boot.Changes = append(t.Boot.Changes, replay.NodeChange{Node: 0, Path: fmt.Sprintf("Config.Option%d", i), New: "default"})
	}
}

// A service that is too large to be shown completely, with properties that explain nothing, is described by its
// differences from the nearest live state: lasting ones first, and at most five fields that were not shown before.
func TestComparison_LargeService(t *testing.T) {
	r := pingackReport(t)
	wide(r.Dead)
	wide(r.Live)
	of := func(n int, path string) replay.NodeChange {
		return replay.NodeChange{Node: n, Path: path, Old: "a", New: "b"}
	}
	for i := range r.Dead.Steps { // flaps to the end, where it differs
		v := []string{"odd", "even"}[i%2]
		r.Dead.Steps[i].Changes = append(r.Dead.Steps[i].Changes, replay.NodeChange{Node: 0, Path: "Aflap", Old: "x", New: v})
	}
	live := r.Live.Steps[len(r.Live.Steps)-1:]
	live[0].Changes = append(live[0].Changes, replay.NodeChange{Node: 0, Path: "Aflap", New: "odd"})
	for i := range 6 {
		live[0].Changes = append(live[0].Changes, of(1, fmt.Sprintf("Zone%d", i)))
	}
	whole := string(printed(t, render.Terminal, r))
	if line := "never again:    every ping is acknowledged       at n0; set Property.Explain to describe the state\n"; !strings.Contains(whole, line) {
		t.Errorf("the failing node is not named without its state: no %q in\n%s", line, whole)
	}
	_, facts, _ := strings.Cut(whole, "nearest run\n")
	facts, _, _ = strings.Cut(facts, "where to look:")
	var lines []string
	for line := range strings.SplitSeq(facts, "\n") {
		if at := strings.Index(line, "n0."); at >= 0 {
			lines = append(lines, strings.TrimSpace(line[at:]))
		} else if at := strings.Index(line, "n1."); at >= 0 {
			lines = append(lines, strings.TrimSpace(line[at:]))
		}
	}
	want := []string{"n0.Acked 1 | 2", "n1.Zone1 none | b", "n1.Zone2 none | b", "n1.Zone3 none | b", "n1.Zone4 none | b"}
	if strings.Join(lines, "\n") != strings.Join(want, "\n") || !strings.Contains(facts, "and 2 more") {
		t.Errorf("got\n%s\nwant\n%s\nin\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"), facts)
	}

	r.Live = nil
	_, facts, _ = strings.Cut(string(printed(t, render.Terminal, r)), "last changed:")
	if !strings.Contains(facts, "n0.") {
		t.Errorf("without a live run nothing is said of the state:\n%s", facts)
	}
}

// A list that is empty in only one of the two runs is described by its elements. It is not "none" where it has some.
func TestComparison_EmptyList(t *testing.T) {
	r := pingackReport(t)
	wide(r.Dead)
	wide(r.Live)
	r.Dead.Boot.Changes = append(r.Dead.Boot.Changes, replay.NodeChange{Node: 0, Path: "Aline[0].Seq", New: "7"})
	r.Live.Boot.Changes = append(r.Live.Boot.Changes, replay.NodeChange{Node: 0, Path: "Aline", New: "[]"})
	text := string(printed(t, render.Terminal, r))
	for _, want := range []string{"n0.Aline[0].Seq 7 | none"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	for _, wrong := range []string{"n0.Aline none", "n0.Aline  none"} {
		if strings.Contains(text, wrong) {
			t.Errorf("%q in\n%s", wrong, text)
		}
	}
}

// A node that is down in one of the runs is described as down, and not by each field that it has in the other run.
func TestComparison_NodeDown(t *testing.T) {
	r := pingackReport(t)
	wide(r.Dead)
	wide(r.Live)
	step := &r.Dead.Steps[r.Critical.Step-1]
	step.Changes = append(step.Changes, replay.NodeChange{Node: 1, Path: "Seen", Old: "2"}, replay.NodeChange{Node: 1, Path: "(node)", New: "down", Part: replay.Part{Kind: replay.Status}})
	text := string(printed(t, render.Terminal, r))
	contains(t, text, true, "n1.(node) down | up", "difference:     n0.Acked 1 (since step 3) | 2 ")
	// Other differences are more informative.
	contains(t, text, false, "n1.Seen none", "n1.Seen  none")
}

// A live run that itself violates a property says so in every format.
func TestComparison_LiveRunViolates(t *testing.T) {
	r := pingackReport(t)
	live := *r.Live
	live.Finding = &sim.Finding{Kind: sim.Safety, Property: "no ping twice"}
	r.SetLive(&live, r.Critical.LiveCommon)
	for name, f := range map[string]func(io.Writer, *document.Document) error{"text": render.Terminal, "Markdown": render.Markdown,
		"JSON": render.JSON, "page": render.HTML} {
		text := html.UnescapeString(string(printed(t, f, r)))
		if !strings.Contains(text, `, which itself violates "no ping twice"`) && !strings.Contains(text, `"live_violates": "no ping twice"`) {
			t.Errorf("%s does not say it:\n%s", name, text)
		}
	}
}

// alignedReport returns a report with critical step 6, a loss, that corresponds to step 8 of the live run.
func alignedReport(t *testing.T) *report.Report {
	t.Helper()
	r := pingackReport(t)
	r.Live = trace(t, &pingack.System, "action n0 ping", "deliver n1<-n0 Ping{Seq:1}", "deliver n0<-n1 Ack{Seq:1}", "action n0 ping",
		"lose n1<-n0 Ping{Seq:2}", "timer n0 resend{}", "deliver n1<-n0 Ping{Seq:2}", "deliver n0<-n1 Ack{Seq:2}")
	r.Critical.LiveCommon = 4
	return r
}

// All formats compare the critical step with the corresponding step of the live run, not with the step of the same
// number.
func TestComparison_AlignedSteps(t *testing.T) {
	for name, format := range map[string]func(io.Writer, *document.Document) error{"text": render.Terminal,
		"Markdown": render.Markdown, "JSON": render.JSON, "page": render.HTML} {
		text := html.UnescapeString(strings.ReplaceAll(string(printed(t, format, alignedReport(t))), `\|`, "|"))
		for _, want := range []string{"step 8: n0 receives Ack{2} from n1, changes Acked 1->2", "n0.Acked 1 (since step 3) | 2 (after step 6 | step 8)"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in\n%s", name, want, text)
			}
		}
	}
	// Both are cut behind the common start.
	r := alignedReport(t)
	const same = `{"Token":1,"Holder":2,"Waiting":[3,4,5],"Epoch":7,`
	change := func(run *replay.Trace, step int, value string) {
		s := &run.Steps[step-1]
		s.Changes = append(s.Changes, replay.NodeChange{Node: 0, Path: "Aaa", Old: "{}", New: value})
	}
	change(r.Dead, 6, same+`"Free":false}`)
	change(r.Live, 8, same+`"Free":true}`)
	contains(t, flat(printed(t, render.Terminal, r)), true,
		`n0.Aaa …aiting":[3,4,5],"Epoch":7,"Free":false} | …aiting":[3,4,5],"Epoch":7,"Free":true}`)
}

// A difference after the critical step that lasts to the end is shown once.
func TestDifference_ShownOnce(t *testing.T) {
	r := alignedReport(t)
	wide(r.Dead)
	wide(r.Live)
	change := func(run *replay.Trace, step int, value string) {
		s := &run.Steps[step-1]
		s.Changes = append(s.Changes, replay.NodeChange{Node: 0, Path: "Mode", Old: "new", New: value})
	}
	change(r.Dead, 6, "sick")
	change(r.Live, 8, "well")
	if text := flat(printed(t, render.Terminal, r)); strings.Count(text, "n0.Mode sick | well") != 1 || !strings.Contains(text, "at the end of this run") {
		t.Errorf("the difference is not shown once, or the end is not described:\n%s", text)
	}
}
