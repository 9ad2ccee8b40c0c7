package mdb

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/macemc/macemc/eventgraph"
	"github.com/macemc/macemc/internal/history"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/replay"
)

// OptionLine is something that can happen.
type OptionLine struct {
	Command string // makes it happen
	Node    int    // -1 means the network
	Text    string
	Fault   bool
	Taken   bool // it happens in the run
}

// QuestionLine is a question that the current step asked.
type QuestionLine struct {
	Text         string       // names the range of the answers
	Alternatives []OptionLine // answers; those from mostAlternatives on are omitted
}

const mostAlternatives = 12

// addOptions adds to a view what can happen next, the questions of the current step, the properties, the monitors and the runs.
func (s *Session) addOptions(v *View) (err error) {
	v.Runs = s.Runs()
	if v.Questions, err = s.questions(); err != nil {
		return err
	}
	if v.Properties, err = s.Properties(); err != nil {
		return err
	}
	if len(s.sys.MonitorNames()) > 0 {
		var b bytes.Buffer
		if err := showMonitors(s, nil, nil, &b); err != nil {
			return err
		}
		v.Monitors = strings.Split(strings.TrimRight(b.String(), "\n"), "\n")
	}
	v.Options, err = s.options(s)
	return err
}

// Options returns the events that can happen in the current state; faults come last. There are none after a finding that ends the run.
func (s *Session) Options() ([]OptionLine, error) {
	r := s.run.Executed()
	if r.At == r.Len() && r.Finding != nil {
		return nil, nil
	}
	taken, err := s.taken()
	if err != nil {
		return nil, err
	}
	all, enabled, err := r.Events(r.At)
	if err != nil {
		return nil, err
	}
	var lines []OptionLine
	for i, ev := range all {
		l := OptionLine{fmt.Sprintf("take %d", i), int(ev.Node), r.Words.Describe(r.Cursor.World(), ev), i >= enabled, i == taken}
		if l.Taken {
			l.Command = "next" // with the answers that the run has
		}
		lines = append(lines, l)
	}
	return lines, nil
}

// questions returns the questions of the current step. An alternative keeps the answers before it, and answers 0 after it.
func (s *Session) questions() ([]QuestionLine, error) {
	r := s.run
	if r.At == 0 {
		return nil, nil
	}
	t, err := r.Trace(r.At)
	if err != nil {
		return nil, err
	}
	var lines []QuestionLine
	before := fmt.Sprintf("goto %d; instead %d", r.At, t.Index)
	for _, c := range t.Choices {
		if c.Arity <= 1 {
			continue
		}
		q := QuestionLine{Text: question(c)}
		for pick := range min(c.Arity, mostAlternatives) {
			text := replay.Answered(stepinfo.Answer{Kind: c.Kind, Label: c.Label, Pick: pick, Arity: c.Arity})
			a := OptionLine{Command: fmt.Sprintf("%s %d", before, pick), Node: t.Node, Text: text, Taken: pick == c.Pick}
			if a.Taken {
				a.Command = fmt.Sprintf("goto %d", r.At)
			}
			q.Alternatives = append(q.Alternatives, a)
		}
		lines = append(lines, q)
		before += fmt.Sprintf(" %d", c.Pick)
	}
	return slices.Clip(lines), nil
}

// imageReach is the number of steps before and after the current one in an image.
const imageReach = 100

// image draws the event graph of a run around a step.
func (s *Session) image(r *history.Run, at, width int) (eventgraph.Image, error) {
	from, to := max(0, at-imageReach), min(r.Len(), at+imageReach)
	g, o, err := r.Graph(max(1, from-lanesMargin), max(1, from), to, lanesMargin)
	if err != nil {
		return eventgraph.Image{}, err
	}
	if from == 0 {
		o.From = 0
	}
	o.Width, o.Fold = width, -1
	if drawn := o.Nodes; drawn != nil {
		o.Nodes = slices.DeleteFunc(nodesInOrder(s), func(id int) bool { return !slices.Contains(drawn, id) })
	}
	return g.Image(o)
}
