package document

import (
	"fmt"

	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/eventgraph"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/textfmt"
)

// ignoredRepetition returns the first step after step at in which a node receives a message of the same sender again and does
// nothing, although the message had an effect before. later is the number of later steps in which the same code does nothing with messages
// of that sender. Nil means that fewer than two such steps exist, or the code has an effect in another one after at. Programs are left out.
func ignoredRepetition(g *eventgraph.Graph, run *replay.Trace, at int) (step *replay.TraceStep, later int) {
	type handler struct {
		source     string
		node, from int
	}
	type message struct {
		handler
		text string
	}
	programs := run.Programs()
	handled := map[message]bool{} // with an effect, up to step at
	first := map[handler]*replay.TraceStep{}
	idle := map[handler]int{}    // steps after the first
	active := map[handler]bool{} // has an effect after step at
	for i := range run.Steps {
		s := &run.Steps[i]
		if s.Event.Kind != eventkind.Deliver || s.Source == "" || programs[s.Node] {
			continue
		}
		e := &g.Events[s.Number]
		h := handler{s.Source, s.Node, s.Peer}
		m := message{h, s.What}
		switch effect := len(e.Changes) > 0 || e.Effects > 0 || len(e.Notes) > 0 || e.Crashed; {
		case s.Number <= at:
			handled[m] = handled[m] || effect
		case effect:
			active[h] = true
		case first[h] != nil:
			idle[h]++
		case handled[m]:
			first[h] = s
		}
	}
	for h, s := range first {
		if n := idle[h]; !active[h] && (n > later || n > 0 && n == later && s.Number < step.Number) {
			step, later = s, n
		}
	}
	return step, later
}

// ignoredCode returns the code that ignores a repeated message, or nil, if the critical step is a fault without code.
// If a message is lost and its cause is repeated in vain, that code is the likely defect.
func (d *Document) ignoredCode() *Code {
	c := d.Report.Critical
	if d.Dead == nil || c == nil || c.Case != critical.Located || c.Step > d.Dead.Last() || handlerOf(d.Report) != "" {
		return nil
	}
	s, later := ignoredRepetition(d.Dead, d.Report.Dead, c.Step)
	if s == nil {
		return nil
	}
	d.DeadNamed = append(d.DeadNamed, s.Number)
	file, line := s.Place()
	note := fmt.Sprintf("%s and does nothing (step %d and %s)", s.Sentence(), s.Number, textfmt.Plural(later, "later step"))
	return newCode(Code{Place: s.Source, Note: note, Label: "repeats:"}, file, line, 1)
}
