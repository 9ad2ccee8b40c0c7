package history

import (
	"maps"
	"slices"

	"github.com/macemc/macemc/eventgraph"
	"github.com/macemc/macemc/internal/replay"
)

// Graph returns the event graph of a range of steps, and options that show only that range. The graph covers the steps from first to margin
// steps after the range. Indexes of its events start at its first step; the step numbers that it shows are those of the run.
func (r *Run) Graph(first, from, to, margin int) (*eventgraph.Graph, eventgraph.Options, error) {
	if r.Whole != nil {
		return r.recordedGraph(), eventgraph.Options{From: from, To: to, Nodes: r.active(from, to)}, nil
	}
	t, err := r.Cursor.Record(first, min(r.Len(), to+margin))
	if err != nil {
		return nil, eventgraph.Options{}, err
	}
	base := first - 1
	g := eventgraph.Build(rebased(t, base))
	o := eventgraph.Options{From: from - base, To: to - base}
	if base > 0 {
		o.Fold = -1 // summaries of folded steps would show wrong numbers
		renumber(g, t, base)
	}
	g.Critical = r.Critical
	if r.Round > 0 {
		g.Round = r.Len() - r.Round + 1
	}
	return g, o, nil
}

// rebased converts a part of a run into a whole one: steps and messages are numbered from 1.
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
	c.Observed = slices.Clone(t.Observed)
	for i := range c.Observed {
		c.Observed[i].Step -= base
	}
	return &c
}

// renumber replaces the step numbers in a graph of t by those of the run.
func renumber(g *eventgraph.Graph, t *replay.Trace, base int) {
	shift := func(steps []int) {
		for i := range steps {
			steps[i] += base
		}
	}
	for i := range g.Events {
		g.Events[i].Step += base
		shift(g.Events[i].Causes)
	}
	shift(g.Read)
	for i := range g.Messages {
		m := &g.Messages[i]
		m.Sent = t.Messages[i].Sent // may precede the graph
		shift(m.Deliveries)
		shift(m.Duplicated)
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

// recordedGraph returns the same event graph as "macemc graph" draws.
func (r *Run) recordedGraph() *eventgraph.Graph {
	if r.drawn == nil {
		t := *r.Whole
		t.Boot.Changes = nil
		t.Steps = slices.Clone(t.Steps)
		for i := range t.Steps {
			s := &t.Steps[i]
			all := s.Changes
			s.Changes = nil
			for _, c := range all {
				if c.Node == s.Node && c.Path == PathAt {
					c.Path, c.Part = "(at)", replay.Part{Kind: replay.Position}
					s.Changes = []replay.NodeChange{c}
				}
			}
		}
		r.drawn = eventgraph.Build(&t)
		r.drawn.Critical = r.Critical
	}
	return r.drawn
}

// active returns the goroutines of steps from..to, and the sources of the arrows to these steps. Most goroutines of a test only wait.
func (r *Run) active(from, to int) []int {
	in := map[int]bool{}
	for n := from; n <= to; n++ {
		t := r.recordedStep(n)
		in[t.Node] = true
		for _, id := range t.MsgIDs {
			in[r.Whole.Message(id).From] = true
		}
	}
	return slices.Sorted(maps.Keys(in))
}
