package document

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/macemc/macemc/eventgraph"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/report/nodestates"
)

// comparison is the result of comparing the critical step with the live run.
type comparison struct {
	effect          string // changes and messages of the step; empty if no handler ran
	stateBefore     string // of its node
	liveStep        int    // the counterpart in the live run; 0 means none
	liveEvent       string // of the counterpart; empty means the same
	liveEffect      string
	liveStateBefore string
	instead         string // the first step of the live run if it has no such event
	onlyLive        string // messages sent in the live run only
	// onlySteps are the steps of the live run that send these messages.
	onlySteps []int
}

// compare adds the results of comparing the runs.
func (d *Document) compare() (wrote []int) {
	r := d.Report
	c := r.Critical
	if c != nil {
		if d.Tail = tailText(c.Tail); c.OutOfEvents {
			d.Tail = stuckText(r)
		}
	}
	if r.Dead == nil || c == nil {
		d.setCode(nil)
		d.Compared = slices.Concat(d.Compared, d.readFacts(), endFacts(r, ""), certaintyFacts(r))
		return nil
	}
	var align []replay.Counterpart
	if r.Live != nil {
		d.Live = eventgraph.Build(r.Live)
		d.LiveFrom = c.LiveCommon + 1
		align = d.Dead.Align(d.Live, c.LiveCommon)
	}
	in := compareCritical(d.Dead, d.Live, align, r, c.LiveCommon)
	var counterpart *replay.TraceStep
	if in != nil && in.liveStep > 0 {
		counterpart = &r.Live.Steps[in.liveStep-1]
		d.LiveNamed = append(d.LiveNamed, in.liveStep)
	}
	d.setCode(counterpart)
	facts := in.facts(c.Node)
	if counterpart != nil && counterpart.Source != "" && handlerOf(r) == "" && d.Code != nil && d.Code.Place != counterpart.Source {
		facts[len(facts)-1].Aside = counterpart.Source
	}
	d.Compared = append(d.Compared, facts...)
	if d.Live != nil {
		d.LiveSteps = d.liveExcerpt(in)
		var at int
		if d.Difference, at, wrote = nodestates.AfterSteps(r.Dead, r.Live, align, max(c.LiveCommon+1, d.Dead.Critical)); at > 0 {
			d.DeadNamed, d.LiveNamed = append(append(d.DeadNamed, at), wrote...), append(d.LiveNamed, align[at].Step)
		}
	}
	d.Compared = slices.Concat(d.Compared, onlyWithText(Fact{"difference:", d.Difference, "this run | nearest run"}),
		endFacts(r, d.Difference), laterFacts(r), certaintyFacts(r))
	if in != nil && in.onlyLive != "" {
		d.Facts = append(d.Facts, Fact{"only there:", in.onlyLive, ""})
		d.LiveNamed = append(d.LiveNamed, in.onlySteps...)
	}
	for _, s := range lastStarts(r.Dead, c.Step) {
		if s != nil {
			d.DeadNamed = append(d.DeadNamed, s.Number)
		}
	}
	return wrote
}

// compareCritical compares the critical step with the live run, which may be nil.
func compareCritical(dead, live *eventgraph.Graph, align []replay.Counterpart, r *report.Report, common int) *comparison {
	step := dead.Critical
	if step == 0 {
		return nil
	}
	in := new(comparison)
	var idle bool
	in.effect, idle = effectOf(dead, step)
	e := &dead.Events[step]
	handled := in.effect != ""
	var before, other *nodestates.State
	if handled && !startsOrStops(e) {
		before = nodestates.After(r.Dead, step-1)
	}
	if live != nil {
		if c := align[step]; c.Same {
			in.liveStep = c.Step
			in.liveEffect, _ = effectOf(live, c.Step)
			if o := &live.Events[c.Step]; o.Key != e.Key {
				in.liveEvent = o.Text
			}
			if before != nil {
				other = nodestates.After(r.Live, c.Step-1)
			}
		} else if common < live.Last() {
			in.instead = live.Events[common+1].Text
		}
		if handled {
			in.onlyLive, in.onlySteps = onlyLive(dead, live, step, common)
		}
	}
	// Without a live run, the state explains only a step without changes.
	if before != nil && (other != nil || idle) {
		in.stateBefore, in.liveStateBefore = nodestates.OfNode(before, other, e.Node)
	}
	return in
}

// startsOrStops reports whether the event starts or stops the service of its node.
func startsOrStops(e *eventgraph.Event) bool {
	return e.EventKind() == eventkind.Boot || e.EventKind().TakesDown()
}

// effectOf describes the changes and messages of a step's handler, and reports whether it left its node as it was. It
// returns an empty string if no handler ran.
func effectOf(g *eventgraph.Graph, step int) (effect string, idle bool) {
	e := &g.Events[step]
	if kind := e.EventKind(); kind.Injection() || kind == eventkind.Heal {
		return "", false
	}
	const most = 5
	var parts []string
	changes := eventgraph.Digest(e.Changes, e.Node, most)
	switch {
	case e.Halted:
		parts = append(parts, "halts forever")
	case e.Crashed:
		parts = append(parts, "crashes")
	case startsOrStops(e):
	case len(changes) > 0:
		parts = append(parts, "changes "+strings.Join(changes, ", "))
	case e.Node >= 0 && g.Nodes[e.Node].Program:
	default:
		idle = true
		parts = append(parts, "changes nothing")
	}
	var sends []string
	for _, i := range e.Sent {
		m := &g.Messages[i]
		text := fmt.Sprintf("%s to n%d", messageName(m.Text), m.To)
		if m.End == step {
			text += " (" + m.Fate + ")"
		}
		sends = append(sends, text)
	}
	if len(sends) > most {
		sends = append(sends[:most], fmt.Sprintf("%d more", len(sends)-most))
	}
	parts = append(parts, "sends "+cmp.Or(strings.Join(sends, ", "), "nothing"))
	return strings.Join(parts, ", "), idle
}

// messageName returns the text of a message without its fields.
func messageName(text string) string {
	text, _, _ = strings.Cut(text, "{")
	return text
}

// onlyLive names the first messages that only the live run sends: after the runs differ, and never in the dead run
// from the critical step on.
func onlyLive(dead, live *eventgraph.Graph, step, common int) (text string, steps []int) {
	type kind struct {
		from, to int
		name     string
	}
	sent := map[kind]bool{}
	for i := range dead.Messages {
		if m := &dead.Messages[i]; m.Sent >= step {
			sent[kind{m.From, m.To, messageName(m.Text)}] = true
		}
	}
	var found []string
	for i := range live.Messages {
		m := &live.Messages[i]
		k := kind{m.From, m.To, messageName(m.Text)}
		if m.Sent > common && !sent[k] {
			sent[k] = true
			steps = append(steps, m.Sent)
			found = append(found, fmt.Sprintf("%s n%d->n%d (step %d)", k.name, m.From, m.To, m.Sent))
		}
	}
	return nodestates.JoinFew(found), steps[:min(len(steps), nodestates.MostJoined)]
}

// facts describes the effect of the step and the counterpart in the nearest live run.
func (in *comparison) facts(node int) []Fact {
	if in == nil {
		return nil
	}
	before := func(was string) string {
		return prefixed(fmt.Sprintf("before it, n%d has ", node), was)
	}
	return append(onlyWithText(Fact{"effect:", in.effect, before(in.stateBefore)}),
		onlyWithText(Fact{"nearest run:", in.counterpart(), before(in.liveStateBefore)})...)
}

// counterpart describes the action of the live run in place of the step. An empty string means unknown.
func (in *comparison) counterpart() string {
	switch {
	case in.liveStep > 0:
		event, separator := "the same event", " "
		if in.liveEvent != "" {
			event, separator = in.liveEvent, ", "
		}
		text := fmt.Sprintf("step %d: %s", in.liveStep, event)
		if in.liveEffect != "" {
			text += separator + in.liveEffect
		}
		return text
	case in.instead != "":
		return "this event does not occur; instead " + in.instead
	}
	return ""
}
