package document

import (
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// The critical step need not contain the defect. A finding names the code that runs after it, most frequent first, or
// states that no event is enabled any more.
func TestWhereToLook(t *testing.T) {
	run := &replay.Trace{}
	for i, source := range []string{"a.go:1", "", "b.go:2", "once.go:9", "c.go:3", "c.go:3", "b.go:2", "c.go:3"} {
		run.Steps = append(run.Steps,
			replay.TraceStep{Number: i + 1, Node: 1, Event: netmodel.Event{Kind: eventkind.FireTimer}, What: "lease{7}", Source: source})
	}
	r := &report.Report{Dead: run, Critical: &report.Critical{Transition: critical.Transition{Case: critical.Located, Step: 2}}}
	want := []string{"c.go:3 (n1, timer lease)", "b.go:2 (n1, timer lease)"}
	if got := handledAfter(run, 2, ""); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if f := laterFacts(r); len(f) != 1 || !strings.HasSuffix(f[0].Text, "code that runs after step 2: "+strings.Join(want, ", ")) {
		t.Errorf("%q", f)
	}
	boot := replay.TraceStep{Number: 4, Node: 0, Event: netmodel.Event{Kind: eventkind.Boot}, Source: "a.go:7"}
	again := *r
	again.Dead = &replay.Trace{Nodes: 2, Steps: slices.Insert(slices.Clone(run.Steps), 3, boot)}
	if f := laterFacts(&again); len(f) != 1 ||
		!strings.Contains(f[0].Text, "the start of n0 (a.go:7, step 4), or code that runs after step 2: c.go:3") {
		t.Errorf("a node that starts again: %q", f)
	}
	if again.Critical = (&report.Critical{Transition: critical.Transition{Case: critical.Located,
		Step: 4}}); strings.Contains(laterFacts(&again)[0].Text, "start of") {
		t.Error("a start before the critical step is named")
	}
	r.Critical.OutOfEvents = true
	if f := laterFacts(r); len(f) != 1 || !strings.Contains(f[0].Text, "code that ran last: c.go:3") ||
		!strings.HasPrefix(f[0].Aside, "in the end nothing happens") {
		t.Errorf("out of events: %q", f)
	}
	if r.Critical.Case = critical.TooLateToTell; laterFacts(r) != nil {
		t.Error("no step is critical, and code is named")
	}
}

// What no longer happens after the critical step comes first: a lost message that is not sent again, a handler that ran
// once and changed nothing, an answer that is missing, a timer that is not set again.
func TestStoppedAfter(t *testing.T) {
	send := func(to, id int, text string) []replay.TraceEffect {
		return []replay.TraceEffect{{Kind: "send", Peer: to, MsgID: id, Text: text, From: "send.go:1", Applied: true}}
	}
	deliver, timer := netmodel.Event{Kind: eventkind.Deliver}, netmodel.Event{Kind: eventkind.FireTimer}
	set := []replay.TraceEffect{{Kind: "set timer", Text: "beat", Applied: true}}
	changed := []replay.NodeChange{{}}
	steps := []replay.TraceStep{
		{Event: timer, Node: 0, What: "beat", Source: "beat.go:1", Effects: append(set, send(1, 7, "Ask{1}")...)},
		{Event: deliver, Node: 1, Peer: 0, What: "Poll{}", Source: "poll.go:1", Effects: send(0, 8, "Vote{}")},
		{Event: timer, Node: 0, What: "beat", Source: "beat.go:1", Effects: set},
		{Event: netmodel.Event{Kind: eventkind.Lose}, Node: 1, Peer: 0, What: "Ask{1}", Concerns: 7},
		{Event: timer, Node: 0, What: "beat", Source: "beat.go:1", Changes: changed},
		{Event: deliver, Node: 0, Peer: 1, What: "Vote{}", Source: "vote.go:1"},
		{Event: deliver, Node: 1, Peer: 0, What: "Poll{}", Source: "poll.go:1", Changes: changed},
		{Event: deliver, Node: 1, Peer: 0, What: "Poll{}", Source: "poll.go:1", Changes: changed},
	}
	want := []string{
		"Ask is not sent again (send.go:1, n0)", "vote.go:1 (n0, Vote, only in step 6, changes nothing)",
		"poll.go:1 (n1, Poll, not answered from step 7 on)", "beat.go:1 (n0, timer beat, not set again after step 5)",
	}
	for changes, change := range map[string]func(s []replay.TraceStep){
		"":      func([]replay.TraceStep) {},
		want[0]: func(s []replay.TraceStep) { s[4].Effects = send(1, 9, "Ask{2}") },
		want[1]: func(s []replay.TraceStep) { s[5].Changes = changed },
		want[2]: func(s []replay.TraceStep) { s[7].Effects = send(0, 9, "Vote{}") },
		want[3]: func(s []replay.TraceStep) { s[4].Effects = set },
	} {
		run := &replay.Trace{Nodes: 2, Steps: slices.Clone(steps)}
		for i := range run.Steps {
			run.Steps[i].Number = i + 1
		}
		change(run.Steps)
		left := slices.DeleteFunc(slices.Clone(want), func(text string) bool { return text == changes })
		if got := stoppedAfter(run, 4); !slices.Equal(got, left) {
			t.Errorf("without %q: %q, want %q", changes, got, left)
		}
	}
}

// A list of handlers that is cut contains the handler of the critical step.
func TestHandledAfter_Cut(t *testing.T) {
	run := &replay.Trace{Steps: make([]replay.TraceStep, 9)} // more steps than the first half
	for n, want := range map[int]string{
		7: "a.go (n0, M) b.go (n0, M) c.go (n0, M) d.go (n0, M) e.go (n0, M) f.go (n0, M) g.go (n0, M)",
		8: "a.go (n0, M) b.go (n0, M) c.go (n0, M) d.go (n0, M) e.go (n0, M) g.go (n0, M) and 2 more",
	} {
		run.Steps = run.Steps[:9]
		for i := range n {
			run.Steps = append(run.Steps, replay.TraceStep{What: "M{}", Source: string('a'+rune(i)) + ".go"})
		}
		if got := strings.Join(handledAfter(run, 0, "g.go"), " "); got != want {
			t.Errorf("%d handlers: %q, want %q", n, got, want)
		}
	}
}

// A search that continued reports how it spent its time.
func TestWhereTimeWent(t *testing.T) {
	r := &report.Report{Verdict: search.Violation, Findings: []*report.Report{{}}, Work: search.Work{Seconds: 20},
		Confirming: 12.5, Telling: 3}
	want := "clock time: 20.0s in total, 12.5s for confirming suspects, 3.0s for shrinking and describing findings"
	if lines := otherFindings(r); !slices.Contains(lines, want) {
		t.Errorf("%q", lines)
	}
}

// A claim that a run is minimal states its certainty.
func TestShrunk_Certainty(t *testing.T) {
	critical := &report.Critical{Transition: critical.Transition{Case: critical.Located, Step: 3}}
	for _, c := range []struct {
		s    report.Shrunk
		c    *report.Critical
		want string
	}{
		{report.Shrunk{Candidates: 7}, nil, "7 candidates tried, others not; macemc shrink last tries them"},
		{report.Shrunk{Candidates: 7, Pairs: true}, nil, "7 candidates tried, others not; macemc shrink last tries them"},
		{report.Shrunk{Candidates: 7, Over: true}, nil, "7 candidates tried, effort limit reached"},
		{report.Shrunk{Candidates: 7, Minimal: true, Over: true}, nil,
			"7 candidates tried; no single step can be left out, effort limit reached for pairs of steps"},
		{report.Shrunk{Candidates: 7, Minimal: true, Pairs: true, Over: true}, nil,
			"7 candidates tried; no step, and no pair of steps with what they cause, can be left out"},
		{report.Shrunk{Candidates: 7, Minimal: true}, nil, "7 candidates tried; no single step can be left out"},
		{report.Shrunk{Candidates: 7, Minimal: true, Choices: true}, nil,
			"7 candidates tried; no single step can be left out, by up to two other choices of its crashes"},
		{report.Shrunk{Candidates: 1, Minimal: true, Pairs: true}, nil, "1 candidate tried; no step, and no pair of steps with what they cause, can be left out"},
		{
			report.Shrunk{Candidates: 7, Minimal: true, Pairs: true, FromCritical: 9}, critical,
			"critical step 3, was 9; 7 candidates tried; no step before it, and no pair of steps with what they cause, can be left out",
		},
		{report.Shrunk{Candidates: 7, Minimal: true}, &report.Critical{}, "7 candidates tried"},
	} {
		if f := shrunkFact(&c.s, &report.Report{Critical: c.c}); f.Aside != c.want {
			t.Errorf("%+v: %q, want %q", c.s, f.Aside, c.want)
		}
	}
}

// A run that became simpler is not reported as shorter.
func TestShrunkToMoreSteps(t *testing.T) {
	for steps, want := range map[int]string{13: "simpler, not shorter: 12 steps to 13", 12: "still 12 steps", 4: "from 12 steps to 4"} {
		if f := shrunkFact((&report.Shrunk{FromSteps: 12}), &report.Report{Steps: steps}); f.Text != want {
			t.Errorf("%q, want %q", f.Text, want)
		}
	}
}

// A deadlock of a system that is dead from the start is minimized as a whole.
func TestShrunk_DeadlockFromTheStart(t *testing.T) {
	for kind, want := range map[sim.FindingKind]string{
		sim.Deadlock: "7 candidates tried; no single step can be left out", sim.Liveness: "7 candidates tried",
	} {
		s := &report.Shrunk{FromSteps: 12, Minimal: true, Candidates: 7}
		r := &report.Report{Steps: 8, Kind: kind, Critical: &report.Critical{}}
		if got := shrunkFact(s, r).Aside; got != want {
			t.Errorf("%s: %q, want %q", kind, got, want)
		}
	}
}

// Only a run without further events is described as one that stays as it is.
func TestDocument_TailLabel(t *testing.T) {
	for stuck, want := range map[bool]string{true: "then forever", false: "then, in a longer run"} {
		d := &Document{Report: &report.Report{Critical: &report.Critical{Transition: critical.Transition{OutOfEvents: stuck}}}}
		if got := d.TailLabel(); got != want {
			t.Errorf("out of events %v: %q, want %q", stuck, got, want)
		}
	}
}
