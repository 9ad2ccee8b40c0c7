package document

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/table/fairness"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// asking returns a run in which n1 handles three Asks of n0 and answers the first ones. The last step violates a property.
func asking(t *testing.T, answered int) *report.Report {
	t.Helper()
	place := func(line int) string {
		file, err := filepath.Abs("causes.go")
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("%s:%d", file, line)
	}
	run := &replay.Trace{System: "asking", Nodes: 2, Boot: replay.TraceStep{Node: -1, Peer: -1}}
	step := func(node, peer int, kind eventkind.Kind, what string, line int) *replay.TraceStep {
		n := len(run.Steps) + 1
		s := replay.TraceStep{Number: n, Node: node, Peer: peer, Kind: kind.String(), What: what, Key: fmt.Sprint(n), Source: fmt.Sprintf("causes.go:%d", line)}
		s.Event = netmodel.Event{Kind: kind, Node: sim.NodeID(node), Peer: sim.NodeID(peer)}
		s.SetPlace(place(line))
		run.Steps = append(run.Steps, s)
		return &run.Steps[n-1]
	}
	send := func(from, to int, text string, sent int, fates ...replay.TraceFate) int {
		id := len(run.Messages) + 1
		run.Messages = append(run.Messages, replay.TraceMessage{ID: id, From: from, To: to, Text: text, Sent: sent, Fates: fates})
		return id
	}
	step(0, -1, eventkind.DoAction, "begin", 20)
	for i := range 3 {
		s := step(1, 0, eventkind.Deliver, fmt.Sprintf("Ask{%d}", i), 21)
		s.MsgIDs = []int{send(0, 1, s.What, 1, replay.TraceFate{Step: s.Number, Fate: netmodel.Delivered, Name: "delivered"})}
		if i < answered {
			send(1, 0, fmt.Sprintf("Told{%d}", i), s.Number)
		}
	}
	step(1, -1, eventkind.DoAction, "end", 22)
	run.Finding, run.FoundAt = &sim.Finding{Kind: sim.Safety, Node: 1}, len(run.Steps)
	return &report.Report{Settings: report.Settings{System: "asking", Nodes: 2}, Verdict: search.Violation, Kind: sim.Safety,
		Property: "fine", Dead: run}
}

func TestCauses_StepWithoutAnswerComesFirst(t *testing.T) {
	for answered, want := range map[int]string{
		1: "",
		2: "no answer: step 4: n1 receives Ask{2} from n0, changes nothing, sends nothing (2 of 3 Ask messages are answered, with Told)",
		3: "",
	} {
		d := New(asking(t, answered), nil)
		got := ""
		for _, f := range d.Compared {
			if f.Label == "no answer:" {
				got += fmt.Sprintf("%s %s (%s)", f.Label, f.Text, f.Aside)
			}
		}
		if got != want {
			t.Errorf("%d answers: got %q, want %q", answered, got, want)
		}
		var places []string
		for _, c := range d.Causes {
			places = append(places, c.Place+" "+c.Note)
		}
		if got, want := strings.Join(places, "; "), "causes.go:21 step 4: n1 receives Ask{2} from n0, and 2 other steps; causes.go:20 step 1: n0 begin"; got != want {
			t.Errorf("%d answers: causes are %s, want %s", answered, got, want)
		}
	}
}

// The last writer of a field of a node that the property reads comes before steps that wrote nothing.
func TestCauses_WritersOfFieldsComeFirst(t *testing.T) {
	r := asking(t, 3)
	r.Dead.Read = []int{1}
	r.Dead.Steps[1].Changes = []replay.NodeChange{{Node: 1, Path: "A", Old: "0", New: "1"}}
	r.Dead.Steps[4].Changes = []replay.NodeChange{{Node: 1, Path: "B", Old: "0", New: "1"}}
	d := New(r, nil)
	if len(d.Causes) == 0 || d.Causes[0].Note != "step 2: n1 receives Ask{0} from n0, and 2 other steps" {
		t.Errorf("causes are %+v", d.Causes)
	}
}

// The step that wrote the difference from the nearest run comes before other steps than the latest.
func TestCauses_WriterOfTheDifference(t *testing.T) {
	d := New(asking(t, 3), nil)
	d.Report.Dead.Steps[1].Source = "causes.go:19"
	for want, wrote := range map[string][]int{"step 2": {2}, "step 1": {1}} {
		d.Causes = nil
		if d.setCauses(wrote); len(d.Causes) < 2 || !strings.HasPrefix(d.Causes[1].Note, want) {
			t.Errorf("want %s after the latest step: %+v, %+v", want, d.Causes[0], d.Causes[1:])
		}
	}
}

// The last step of an infinite run may have no part in it: the code is that of the last step which the monitor observed.
func TestCode_OfStarvationIsObservedByMonitors(t *testing.T) {
	r := asking(t, 3)
	r.Kind, r.Starved = sim.Starvation, &fairness.Starvation{Property: "fine", Steps: 5}
	r.Dead.Steps[1].Effects = []replay.TraceEffect{{Kind: "announce", Peer: -1, Text: "Begun{}", Applied: true}}
	d := New(r, nil)
	if d.Code == nil || d.Code.Place != "causes.go:21" || d.Code.Note != "step 2: n1 receives Ask{0} from n0; the last step that monitors observed" {
		t.Errorf("code is %+v", d.Code)
	}
	for _, f := range d.Violated {
		if strings.Contains(f.Text+f.Aside, "cycle") || strings.Contains(f.Aside, "every fair event happens") {
			t.Errorf("a run without a cycle has %v", f)
		}
	}
}

func TestSentence_HasAllShortLinesOfAnExplanation(t *testing.T) {
	long := strings.Repeat("x", 100)
	for _, c := range []struct{ explained, want string }{
		{"n1: one\nn0: two", "in step 5: n1: one; n0: two"},
		{"one\ntwo", "in step 5, at n1: one; two"},
		{"n0: " + long + "\nn2: " + long + "\nn1: " + long, "in step 5: n1: " + long + "; and 2 more"},
	} {
		r := asking(t, 3)
		r.Explain = c.explained
		if got := sentence(r); !strings.HasSuffix(got, c.want) {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// A report names the announcements that violate a monitor, with their steps and places, and shows the code of these steps first.
func TestCauses_Observations(t *testing.T) {
	r := asking(t, 3)
	r.Kind, r.Dead.FoundAt = sim.Safety, 5
	r.Dead.Steps[1].Effects = []replay.TraceEffect{{Kind: "announce", Peer: -1, Text: "Begun{}", From: "causes.go:30", Applied: true}}
	r.Dead.Observed = []replay.Observation{{Step: 0, Node: 0, Text: "Booted{}"}, {Step: 2, Node: 1, Text: "Begun{}"}}
	d := New(r, nil)
	var got []string
	for _, f := range d.Compared {
		if f.Label == "observed:" || f.Label == "" {
			got = append(got, strings.TrimSpace(f.Label+" "+f.Text+" "+f.Aside))
		}
	}
	want := []string{"observed: step 0: n0 announces Booted{}", "step 2: n1 announces Begun{} causes.go:30"}
	if !slices.Equal(got[:min(2, len(got))], want) || !slices.Contains(d.DeadNamed, 2) {
		t.Errorf("facts are %q, want %q; named steps are %v", got, want, d.DeadNamed)
	}
	for i := range 9 {
		r.Dead.Observed = append(r.Dead.Observed, replay.Observation{Step: 3, Text: fmt.Sprint(i)})
	}
	if f := New(r, nil).observedFacts(); len(f) != 6 || f[0].Text != "step 3: n0 announces 4" || f[5].Text != "and 6 earlier announcements" {
		t.Errorf("of eleven: %v", f)
	}
}
