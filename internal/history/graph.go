package history

import (
	"slices"

	"github.com/macemc/macemc/eventgraph"
	"github.com/macemc/macemc/internal/replay"
)

// Graph implements kind. Indexes of events start at its first step.
func (x *Executed) Graph(first, from, to, margin int) (*eventgraph.Graph, eventgraph.Options, error) {
	t, err := x.Cursor.Record(first, min(x.Len(), to+margin))
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
	g.Critical = x.Critical
	if x.Round > 0 {
		g.Round = x.Len() - x.Round + 1
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
