package document

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/macemc/macemc/eventgraph"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/textfmt"
)

// mostCauses is the maximum number of handlers whose source is shown as causes.
const mostCauses = 6

// setCauses adds the source of the handlers of steps that led to the violation, each once, and facts about the steps without an answer. The
// order of the steps is:
//
//   - steps without an answer
//   - the cycle that repeats forever
//   - steps that wrote what the property reads, and steps that wrote another field of such a node
//   - starts after the critical step
//   - the latest two steps
//   - steps that wrote the difference from the nearest run
//   - others, the latest first
func (d *Document) setCauses(wrote []int) {
	g, r := d.Dead, d.Report
	if g == nil || r.Running > 0 {
		return
	}
	at := MarkedStep(r, g.Last())
	if last := r.LastStep(); last != nil && r.Critical == nil {
		at = last.Number
	}
	past := slices.Collect(g.Ancestors(at))
	silent, facts := d.unanswered(append([]int{at}, past...), at)
	d.Compared = append(facts, d.Compared...)
	order := slices.Clone(silent)
	if r.Starved != nil && r.Starved.Round > 0 {
		for step := g.Last(); step > r.Starved.Steps; step-- {
			order = append(order, step)
		}
	}
	for _, written := range [][]int{g.Read, g.Wrote} {
		for _, step := range slices.Backward(written) {
			order = append(order, step)
		}
	}
	if c := r.Critical; c != nil && c.Step > 0 {
		for _, s := range lastStarts(r.Dead, c.Step) {
			if s != nil {
				order = append(order, s.Number)
			}
		}
	}
	order = slices.Concat(order, past[:min(2, len(past))], wrote, past)
	steps := map[string][]int{} // by place
	var places []string
	for _, step := range order {
		if step < 1 || step > len(r.Dead.Steps) {
			continue
		}
		place := r.Dead.Steps[step-1].Source
		if place == "" || d.Code != nil && place == d.Code.Place || slices.Contains(steps[place], step) {
			continue
		}
		if steps[place] == nil {
			places = append(places, place)
		}
		steps[place] = append(steps[place], step)
	}
	for _, place := range places {
		s := &r.Dead.Steps[steps[place][0]-1]
		file, line := s.Place()
		note := fmt.Sprintf("step %d: %s", s.Number, s.Sentence())
		if n := len(steps[place]) - 1; n > 0 {
			note += fmt.Sprintf(", and %s", textfmt.Plural(n, "other step"))
		}
		code := newCode(Code{Place: place, Note: note}, file, line, 1)
		switch {
		case code == nil:
		case len(d.Causes) == mostCauses:
			d.MoreCauses++
		default:
			d.Causes, d.DeadNamed = append(d.Causes, code), append(d.DeadNamed, s.Number)
		}
	}
}

// unanswered returns those of the steps, and facts about them, that handle a message and send nothing, although most steps up to the
// last one, and of the live run, that handle such a message send an answer to its sender.
func (d *Document) unanswered(steps []int, last int) (silent []int, facts []Fact) {
	const most = 3
	type kind struct {
		all, answered int
		with          string
	}
	kinds := map[string]*kind{}
	count := func(g *eventgraph.Graph, from, to int) {
		for i := from; i <= to; i++ {
			name, answer := answerIn(g, i)
			if kinds[name] == nil {
				kinds[name] = new(kind)
			}
			k := kinds[name]
			if k.all++; answer != "" {
				k.answered++
				k.with = cmp.Or(k.with, answer)
			}
		}
	}
	count(d.Dead, 1, last)
	if d.Live != nil {
		count(d.Live, d.LiveFrom, d.Live.Last())
	}
	label := "no answer:"
	for _, step := range steps {
		name, _ := answerIn(d.Dead, step)
		e, k := &d.Dead.Events[step], kinds[name]
		if name == "" || 2*k.answered <= k.all || e.Crashed || len(e.Sent) > 0 {
			continue
		}
		if silent = append(silent, step); len(silent) > most {
			continue
		}
		d.DeadNamed = append(d.DeadNamed, step)
		effect, _ := effectOf(d.Dead, step)
		facts = append(facts, Fact{label, fmt.Sprintf("step %d: %s, %s", step, e.Text, effect),
			fmt.Sprintf("%d of %s are answered, with %s", k.answered, textfmt.Plural(k.all, name+" message"), k.with)})
		label = ""
	}
	if more := len(silent) - most; more > 0 {
		facts = append(facts, Fact{"", "and " + textfmt.Plural(more, "earlier step"), ""})
	}
	return silent, facts
}

// answerIn returns the kind of the message that a step handles, and the kind of the message that it sends back. A program reads parts of a
// stream, so none of its steps answers one.
func answerIn(g *eventgraph.Graph, step int) (kind, answer string) {
	e := &g.Events[step]
	if e.EventKind() != eventkind.Deliver || e.Peer < 0 || len(e.Consumed) == 0 || g.Nodes[e.Node].Program {
		return "", ""
	}
	for _, i := range e.Sent {
		if m := &g.Messages[i]; m.To == e.Peer && e.Peer != e.Node {
			answer = kindOf(m.Text)
			break
		}
	}
	return kindOf(g.Messages[e.Consumed[0]].Text), answer
}

// kindOf returns the text of a message up to its fields.
func kindOf(text string) string {
	if at := strings.IndexAny(text, "{ "); at > 0 {
		return text[:at]
	}
	return text
}

// announces reports whether a step announced something to monitors.
func announces(s *replay.TraceStep) bool {
	return slices.ContainsFunc(s.Effects, func(e replay.TraceEffect) bool { return e.Applied && e.Kind == stepinfo.AnnounceEffect.String() })
}
