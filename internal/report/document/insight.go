package document

import (
	"fmt"
	"strings"

	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/eventgraph"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/sim"
)

// insight is the result of comparing the critical step with the live run.
type insight struct {
	did      string // changes and messages of the step; empty if no handler ran
	was      string // the state of its node before
	other    int    // the counterpart in the live run; 0 means none
	event    string // of the counterpart; empty means the same
	otherDid string
	otherWas string
	instead  string // the first step of the live run if it has no such event
	onlyLive string // messages sent in the live run only
	// onlySteps are the steps of the live run that send these messages.
	onlySteps []int
}

// look compares the critical step with the live run, which may be nil.
func look(dead, live *eventgraph.Graph, align []replay.Counterpart, r *report.Report, common int) *insight {
	step := dead.Critical
	if step == 0 {
		return nil
	}
	in := &insight{did: did(dead, step)}
	e := &dead.Events[step]
	handled := in.did != ""
	var before, other *state
	if handled && !left(e) {
		before = stateAfter(r.Dead, step-1)
	}
	if live != nil {
		if c := align[step]; c.Same {
			in.other, in.otherDid = c.Step, did(live, c.Step)
			if o := &live.Events[c.Step]; o.Key != e.Key {
				in.event = o.Text
			}
			if before != nil {
				other = stateAfter(r.Live, c.Step-1)
			}
		} else if common < live.Last() {
			in.instead = live.Events[common+1].Text
		}
		if handled {
			in.onlyLive, in.onlySteps = onlyLive(dead, live, step, common)
		}
	}
	// Without a live run, the state explains only a step without changes.
	if before != nil && (other != nil || strings.HasPrefix(in.did, "changes nothing")) {
		in.was, in.otherWas = differingState(before, other, e.Node)
	}
	return in
}

// left reports whether the event starts or stops the service of its node.
func left(e *eventgraph.Event) bool {
	return e.EventKind() == sim.Boot || e.EventKind().TakesDown()
}

// did describes the changes and messages of a step's handler. It returns an empty string if no handler ran.
func did(g *eventgraph.Graph, step int) string {
	e := &g.Events[step]
	if kind := e.EventKind(); kind.Injection() || kind == sim.Heal {
		return ""
	}
	const most = 5
	var parts []string
	changes := eventgraph.Digest(e.Changes, e.Node, most)
	switch {
	case e.Halted:
		parts = append(parts, "halts forever")
	case e.Crashed:
		parts = append(parts, "crashes")
	case left(e):
	case len(changes) > 0:
		parts = append(parts, "changes "+strings.Join(changes, ", "))
	default:
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
	if len(sends) > 0 {
		parts = append(parts, "sends "+strings.Join(sends, ", "))
	} else {
		parts = append(parts, "sends nothing")
	}
	return strings.Join(parts, ", ")
}

// messageName returns the text of a message without its fields.
func messageName(text string) string {
	text, _, _ = strings.Cut(text, "{")
	return text
}

// differingState describes a node in one state or, if b is not nil, how it differs in two states.
func differingState(a, b *state, node int) (x, y string) {
	const most = 6
	var xs, ys []string
	for _, at := range a.order {
		if at.node != node || at.minor() || a.values[at] == "" || len(xs) == most || strings.HasPrefix(a.values[at], "->") {
			continue
		}
		if b == nil {
			if len(a.values[at]) <= mostLetters {
				xs = append(xs, at.path+" "+a.values[at])
			}
			continue
		}
		if a.values[at] == b.values[at] || b.values[at] == "" {
			continue
		}
		u, v := textfmt.CutPair(a.values[at], b.values[at], mostLetters)
		xs, ys = append(xs, at.path+" "+u), append(ys, at.path+" "+v)
	}
	if b != nil {
		xs, ys = differingTimers(a, b, node, xs, ys)
	}
	return strings.Join(xs, ", "), strings.Join(ys, ", ")
}

// differingTimers adds the timers that are set in only one of the states.
func differingTimers(a, b *state, node int, xs, ys []string) (x, y []string) {
	const most = 3
	left := most
	add := func(from, other *state, set, unset *[]string) {
		for _, at := range from.order {
			if at.part.Kind == replay.Timer && at.node == node && from.values[at] != "" && other.values[at] == "" && left > 0 {
				left--
				timer := "timer " + replay.Brief(at.part.Name)
				*set, *unset = append(*set, timer+" set"), append(*unset, "no "+timer)
			}
		}
	}
	add(a, b, &xs, &ys)
	add(b, a, &ys, &xs)
	return xs, ys
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
	return joinFew(found), steps[:min(len(steps), mostJoined)]
}

func stateAfter(t *replay.Trace, step int) *state {
	s := newState(t)
	for i := range min(step, len(t.Steps)) {
		s.follow(&t.Steps[i])
	}
	return s
}

// facts describes the effect of the step and the counterpart in the nearest live run.
func (in *insight) facts(node int) []Fact {
	if in == nil {
		return nil
	}
	before := func(was string) string {
		if was == "" {
			return ""
		}
		return fmt.Sprintf("before it, n%d has %s", node, was)
	}
	var f []Fact
	if in.did != "" {
		f = append(f, Fact{"effect:", in.did, before(in.was)})
	}
	if text := in.counterpart(); text != "" {
		f = append(f, Fact{"live run:", text, before(in.otherWas)})
	}
	return f
}

// counterpart describes the action of the live run in place of the step. An empty string means unknown.
func (in *insight) counterpart() string {
	text := ""
	switch {
	case in == nil:
	case in.other > 0:
		event := "the same event"
		if in.event != "" {
			event = in.event
		}
		text = fmt.Sprintf("step %d: %s", in.other, event)
		if in.otherDid != "" {
			text += " " + in.otherDid
			if in.event != "" {
				text = fmt.Sprintf("step %d: %s, %s", in.other, event, in.otherDid)
			}
		}
	case in.instead != "":
		text = "this event does not occur; instead " + in.instead
	}
	return text
}

// sentence describes the violation and its step in one line, and whether that is not proven.
func sentence(r *report.Report) string {
	text := claim(r)
	if r.Critical != nil && r.Critical.Proof == critical.Walks {
		text += " (not proven)"
	}
	return text
}

func claim(r *report.Report) string {
	where := ""
	if last := r.LastStep(); last != nil {
		where = fmt.Sprintf(" in step %d", last.Number)
		if last.Node >= 0 {
			where += fmt.Sprintf(", at n%d", last.Node)
		}
	}
	never := neverAgain(r)
	what := `"` + never[0].Text + `"`
	if n := len(never) - 1; n > 0 {
		what += fmt.Sprintf(" (and %d more)", n)
	}
	switch r.Kind {
	case sim.Liveness, sim.Deadlock:
		text := what + " can never hold again"
		if r.Kind == sim.Deadlock {
			text = stuckText(r) + ", and " + what + " does not hold"
		}
		c := r.Critical
		switch {
		case c == nil || c.Case != critical.Located:
		case r.Kind == sim.Deadlock:
			return capital(fmt.Sprintf("%s, which cannot be avoided after step %d", text, c.Step))
		default:
			return capital(fmt.Sprintf("%s after step %d", text, c.Step))
		}
		if c != nil && c.Case == critical.DeadFromStart && c.Step == 0 {
			text = strings.Replace(text, "can never hold again", "never holds", 1)
		}
		return capital(text)
	case sim.Safety:
		text := fmt.Sprintf("%q is violated%s", r.Property, where)
		if why := textfmt.FirstLine(explained(r)); why != "" {
			text += ": " + why
		}
		return text
	case sim.Starvation:
		return starvedSentence(r)
	case sim.Panic:
		return fmt.Sprintf("A handler panics%s: %s", where, textfmt.FirstLine(r.Message))
	case sim.Divergence:
		return fmt.Sprintf("A handler does not return%s: %s", where, textfmt.FirstLine(r.Message))
	}
	return fmt.Sprintf("Two executions of the same path differ: %s", textfmt.FirstLine(r.Message))
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
