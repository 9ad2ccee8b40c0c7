package document

import (
	"testing"

	"github.com/macemc/macemc/eventgraph"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/sim"
)

// The code that ignores a repeated message had an effect before, and has none after the critical step.
func TestIgnoredRepetition(t *testing.T) {
	const ping, beat = "ping.go:7", "beat.go:3"
	type step struct {
		source, what string
		effects      int
		from         int
	}
	lost := step{}
	for _, c := range []struct {
		name        string
		steps       []step
		want, later int
	}{
		{"ignored twice", []step{{ping, "Ping{1}", 1, 0}, lost, {ping, "Ping{1}", 0, 0}, {ping, "Ping{1}", 0, 0}}, 3, 1},
		{"ignored once", []step{{ping, "Ping{1}", 1, 0}, lost, {ping, "Ping{1}", 0, 0}}, 0, 0},
		{"another message before", []step{{ping, "Ping{0}", 1, 0}, lost, {ping, "Ping{1}", 0, 0}, {ping, "Ping{1}", 0, 0}}, 0, 0},
		{"never an effect", []step{{beat, "Beat", 0, 0}, lost, {beat, "Beat", 0, 0}, {beat, "Beat", 0, 0}}, 0, 0},
		{"an effect later", []step{{ping, "Ping{1}", 1, 0}, lost, {ping, "Ping{1}", 0, 0}, {ping, "Ping{1}", 0, 0}, {ping, "Ping{2}", 1, 0}}, 0, 0},
		{"the more frequent one", []step{{ping, "Ping{1}", 1, 0}, lost, {beat, "Beat", 0, 0}, {ping, "Ping{1}", 0, 0}, {beat, "Beat", 0, 0}, {ping, "Ping{1}", 0, 0}}, 4, 1},
		{"another sender's effect", []step{{ping, "Ping{1}", 1, 0}, lost, {ping, "Ping{1}", 1, 2}, {ping, "Ping{1}", 0, 0}, {ping, "Ping{1}", 0, 0}}, 4, 1},
		{"another sender's message", []step{{ping, "Ping{1}", 1, 0}, lost, {ping, "Ping{1}", 0, 2}, {ping, "Ping{1}", 0, 0}, {ping, "Ping{1}", 0, 0}}, 4, 1},
	} {
		run, g, critical := &replay.Trace{}, &eventgraph.Graph{Events: make([]eventgraph.Event, 1)}, 0
		for i, s := range c.steps {
			kind := eventkind.Deliver
			if s == lost {
				kind, critical = eventkind.Lose, i+1
			}
			run.Steps = append(run.Steps, replay.TraceStep{Number: i + 1, Node: 1, Peer: s.from, Event: netmodel.Event{Kind: kind}, What: s.what, Source: s.source})
			g.Events = append(g.Events, eventgraph.Event{Effects: s.effects})
		}
		got, later := ignoredRepetition(g, run, critical)
		if got == nil {
			got = new(replay.TraceStep)
		}
		if got.Number != c.want || later != c.later {
			t.Errorf("%s: got step %d and %d later, want step %d and %d", c.name, got.Number, later, c.want, c.later)
		}
	}
}

// A step of the live run handles the lost message if it delivers the same content between the same nodes.
func TestDelivers(t *testing.T) {
	step := func(kind eventkind.Kind, node, peer int, what string) *replay.TraceStep {
		return &replay.TraceStep{Event: netmodel.Event{Kind: kind}, Node: node, Peer: peer, What: what}
	}
	lost := step(eventkind.Lose, 2, 0, "Job{1}")
	for _, c := range []struct {
		step *replay.TraceStep
		want bool
	}{
		{step(eventkind.Deliver, 2, 0, "Job{1}"), true},
		{step(eventkind.Deliver, 1, 0, "Job{1}"), false},
		{step(eventkind.Deliver, 2, 0, "Job{2}"), false},
		{step(eventkind.FireTimer, 2, 0, "Job{1}"), false},
	} {
		if got := delivers(c.step, lost); got != c.want {
			t.Errorf("%+v: got %v, want %v", c.step, got, c.want)
		}
	}
}

// A violation whose run was not executed again, because the search process was killed, is not certain.
func TestCertainty_WithoutTrace(t *testing.T) {
	r := &report.Report{Kind: sim.Safety}
	if f := certaintyFacts(r); f != nil {
		t.Errorf("got %q without a trace", f)
	}
	r.Dead = &replay.Trace{}
	if f := certaintyFacts(r); len(f) != 1 {
		t.Errorf("got %q with a trace", f)
	}
}

// A panic in the first boots names the node.
func TestClaim_PanicAtBoot(t *testing.T) {
	r := &report.Report{Kind: sim.Panic, Message: "no", Dead: &replay.Trace{Finding: &sim.Finding{Kind: sim.Panic, Node: 1}}}
	if got, want := claim(r), "Panic at the boot of n1: no"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
