package mdb

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/macemc/macemc/eventgraph"
	"github.com/macemc/macemc/internal/newfile"
	"github.com/macemc/macemc/internal/replay"
)

// mostGraphSteps is how many steps a graph may show.
const mostGraphSteps = 5000

func graph(s *Session, _ context.Context, args []string, out *bytes.Buffer) error {
	var (
		bounds []int
		format = eventgraph.Formats()[0]
		chosen bool
		file   string
	)
	for _, a := range args {
		n, err := s.place(a)
		f, isFormat := eventgraph.Formats().Find(a)
		switch {
		case err == nil && !chosen:
			bounds = append(bounds, n)
		case !chosen && isFormat:
			format, chosen = f, true
		case chosen && file == "":
			file = a
		case !isUsage(err):
			return err
		default:
			return badUsage("%q is neither a step nor a format", a)
		}
	}
	from, to := max(1, s.run.at-8), min(s.run.len(), s.run.at+8)
	switch {
	case len(bounds) == 1:
		from, to = max(1, bounds[0]), s.run.len()
	case len(bounds) == 2:
		from, to = max(1, bounds[0]), bounds[1]
	case len(bounds) > 2:
		return badUsage("more than two steps")
	}
	if to < from {
		return badUsage("there is nothing from step %d to step %d", from, to)
	}
	if to-from >= mostGraphSteps {
		return fmt.Errorf("a graph of %d steps cannot be read; at most %d are drawn", to-from+1, mostGraphSteps)
	}
	if file == "" && format.Name != eventgraph.Formats()[0].Name {
		return badUsage("the name of a file is missing")
	}
	first := 1
	if to > exactGraphSteps {
		first = max(1, from-graphMargin)
	}
	g, o, err := s.run.graph(first, from, to, graphMargin)
	if err != nil {
		return err
	}
	if file == "" {
		return g.Text(out, o)
	}
	var b bytes.Buffer
	if err := format.Render(&b, eventgraph.Drawing{Graph: g, Options: o}); err != nil {
		return err
	}
	if err := writeNew(file, b.Bytes()); err != nil {
		return err
	}
	if format.Name == "json" { // which is all of the graph, with what is around the range
		from, to = first, min(s.run.len(), to+graphMargin)
	}
	fmt.Fprintf(out, "steps %d to %d are in %s\n", from, to, file)
	return nil
}

// writeNew writes a file that must not exist yet.
func writeNew(file string, content []byte) error {
	err := newfile.Write(file, content)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists already and is not overwritten; say another name", file)
	}
	return err
}

const (
	// graphMargin is how many steps around a range are executed for its graph, so that the ends of arrows
	// are seen, and lanesMargin that for the screen, which draws a graph with each step.
	graphMargin = 400
	lanesMargin = 64
	// exactGraphSteps is up to where a graph is made from the first step on.
	exactGraphSteps = 2000
)

// graph makes the event graph of a range, of which steps from first to margin steps behind it are executed,
// and the options that show just the range. The graph's events are counted from the first one that it
// holds; the numbers that it shows are those of the run.
func (r *run) graph(first, from, to, margin int) (*eventgraph.Graph, eventgraph.Options, error) {
	if r.whole != nil {
		return r.recordedGraph(), eventgraph.Options{From: from, To: to, Nodes: r.active(from, to)}, nil
	}
	t, err := r.cursor.Record(first, min(r.len(), to+margin))
	if err != nil {
		return nil, eventgraph.Options{}, err
	}
	base := first - 1
	g := eventgraph.Build(rebased(t, base))
	o := eventgraph.Options{From: from - base, To: to - base}
	if base > 0 {
		o.Fold = -1 // summaries of folded steps would show other numbers
		renumber(g, t, base)
	}
	g.Critical = r.critical
	if r.round > 0 {
		g.Round = r.len() - r.round + 1
	}
	return g, o, nil
}

// rebased makes a part of a run look like a whole one: steps and messages are counted from 1.
func rebased(t *replay.Trace, base int) *replay.Trace {
	if base == 0 {
		return t
	}
	c := *t
	ids := map[int]int{}
	c.Messages = slices.Clone(t.Messages)
	for i := range c.Messages {
		m := &c.Messages[i]
		ids[m.ID] = i + 1
		m.ID, m.Sent = i+1, max(0, m.Sent-base)
		m.Fates = slices.Clone(m.Fates)
		for j := range m.Fates {
			m.Fates[j].Step -= base
		}
	}
	c.Boot.Number = 0
	c.Steps = slices.Clone(t.Steps)
	for i := range c.Steps {
		s := &c.Steps[i]
		s.Number -= base
		s.MsgIDs = slices.Clone(s.MsgIDs)
		for j, id := range s.MsgIDs {
			s.MsgIDs[j] = ids[id]
		}
	}
	if c.Finding != nil {
		c.FoundAt = max(0, c.FoundAt-base)
	}
	return &c
}

// renumber gives the steps of a graph of t their numbers in the run.
func renumber(g *eventgraph.Graph, t *replay.Trace, base int) {
	for i := range g.Events {
		e := &g.Events[i]
		e.Step += base
		for j := range e.Causes {
			e.Causes[j] += base
		}
	}
	for i := range g.Messages {
		m := &g.Messages[i]
		m.Sent = t.Messages[i].Sent // it may be before what the graph holds
		for j := range m.Deliveries {
			m.Deliveries[j] += base
		}
		for j := range m.Duplicated {
			m.Duplicated[j] += base
		}
		if m.End > 0 {
			m.End += base
		}
	}
	for i := range g.Timers {
		t := &g.Timers[i]
		t.Set += base
		if t.End > 0 {
			t.End += base
		}
	}
}
