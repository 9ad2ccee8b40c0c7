package refinement

import (
	"context"
	"fmt"
	"slices"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/fair"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/table/fairness"
	"github.com/macemc/macemc/internal/table/statespace"
	"github.com/macemc/macemc/internal/table/steptree"
	"github.com/macemc/macemc/internal/table/store"
	"github.com/macemc/macemc/internal/table/world"
	"github.com/macemc/macemc/sim"
)

// Transitions enumerates the states and steps of a system on demand, for comparison with another system. States are
// numbered in the order of discovery. Properties and monitors are not evaluated.
type Transitions struct {
	g      *statespace.Graph
	b      *fairness.Builder
	o      TransitionOptions
	ids    map[string]uint32
	packed []uint32 // states, concatenated
	rows   [][]Transition
	made   []bool // by state: whether its row is known
}

// TransitionOptions selects the observable part of a system.
type TransitionOptions struct {
	// Clients are the nodes with observed steps: messages and errors that they get, internal steps, draws, and
	// observations of room in streams. Their internal steps have no fairness promise.
	Clients []sim.NodeID
	// Blind reports the clients that observe neither the senders of messages, nor the amount of room in a stream,
	// only whether there is some. Nil means none.
	Blind func(sim.NodeID) bool
	// Label numbers an observation, from 1 on.
	Label func(text string) uint32
}

// Transition is a step.
type Transition struct {
	To    uint32
	Label uint32 // 0: unobserved
	edge  fair.Edge
}

// NewTransitions returns the transitions of a system. The error is that of [world.New].
func NewTransitions(sys *sim.System, o TransitionOptions) (*Transitions, error) {
	e, err := steptree.NewEngine(sys, kernel.Options{}, nil)
	if err != nil {
		return nil, err
	}
	g := statespace.NewGraph(e, nil)
	g.Answers.Keep = true
	t := &Transitions{g: g, o: o, ids: map[string]uint32{}}
	t.b = &fairness.Builder{Graph: g, Processes: fairness.NewProcesses(e), Choices: map[fairness.ChoiceKey]uint16{}, Edges: fair.New(),
		Draws: map[string]uint32{}}
	t.b.Processes.Free = func(ev netmodel.Event) bool {
		comes := ev.Msgs > 0 || ev.Kind == eventkind.DeliverError || ev.Kind == eventkind.DeliverReady
		return t.sees(ev) && !comes
	}
	return t, nil
}

// sees reports whether an event belongs to a client.
func (t *Transitions) sees(ev netmodel.Event) bool {
	switch ev.Kind {
	case eventkind.Arrive, eventkind.Heal:
		return false
	}
	return !ev.Kind.Injection() && slices.Contains(t.o.Clients, ev.Node)
}

// Len returns the number of discovered states.
func (t *Transitions) Len() int { return len(t.rows) }

// Roots returns the states after the start, one for each answer to the draws of booting. The label is that of the
// clients' states.
func (t *Transitions) Roots() (roots []Transition, err error) {
	g := t.g
	state := make([]uint32, g.Configs.Words)
	for g.RootPaths = nil; g.Answers.Next(); {
		if err := g.World.Begin(&g.Answers); err != nil {
			return nil, err
		}
		clients := "start"
		for c, f := range g.World.Components() {
			if c.Kind == kernel.NodeState && slices.Contains(t.o.Clients, sim.NodeID(c.Index)) {
				clients += fmt.Sprint(" ", f)
			}
		}
		g.Configs.Pack(g.World.Vector, state)
		roots = append(roots, Transition{To: t.id(state), Label: t.o.Label(clients)})
		g.RootPaths = append(g.RootPaths, g.Answers.Path())
	}
	return roots, nil
}

// id returns the number of a state.
func (t *Transitions) id(state []uint32) uint32 {
	key := store.VectorKey(state)
	id, ok := t.ids[key]
	if !ok {
		id = uint32(len(t.rows))
		t.ids[key] = id
		t.packed = append(t.packed, state...)
		t.rows, t.made = append(t.rows, nil), append(t.made, false)
	}
	return id
}

func (t *Transitions) state(id uint32) []uint32 {
	n := t.g.Configs.Words
	return t.packed[int(id)*n:][:n]
}

// From returns the steps from a state. The error is a finding, or [*options.Unsupported].
func (t *Transitions) From(id uint32) ([]Transition, error) {
	if t.made[id] {
		return t.rows[id], nil
	}
	g := t.g
	g.WorldVector = slices.Clone(t.state(id))
	defer g.World.Samples.Pause()()
	g.Configs.Unpack(g.WorldVector, g.Vector)
	g.World.Restore(g.Vector)
	seen := map[int]string{} // by event
	for i, ev := range g.World.AllEvents(nil) {
		if t.sees(ev) {
			seen[i] = t.text(ev)
		}
	}
	var row []Transition
	var struck []bool // a crash inside the step, which is a fault
	state := make([]uint32, g.Configs.Words)
	var observed []world.RoomObservation
	g.World.RoomAnswers = &observed
	defer func() { g.World.RoomAnswers = nil }()
	err := g.EachStep(func(s statespace.Taken) error {
		g.Configs.Pack(g.World.Vector, state)
		step := Transition{To: t.id(state), edge: fair.Edge{Event: uint16(s.Number)}}
		if text, ok := seen[s.Number]; ok {
			step.Label, step.edge.Marks = t.o.Label(text+drawings(g.Answers.Drawn)+rooms(observed, t.blind(s.Ev.Node))), seenMark
		}
		observed = observed[:0]
		step.edge.To = step.To
		var err error
		step.edge.Draws, err = t.b.Drawn(s.Ev.Node)
		row, struck = append(row, step), append(struck, g.World.FailedInside)
		return err
	})
	if err != nil {
		return nil, err
	}
	g.Configs.Unpack(g.WorldVector, g.Vector)
	g.World.Restore(g.Vector)
	events := g.World.AllEvents(nil)
	for i := range row {
		if struck[i] {
			continue
		}
		if row[i].edge.Actor, err = t.b.Processes.Actor(g.World, events[row[i].edge.Event], t.b.Edges); err != nil {
			return nil, err
		}
	}
	t.rows[id], t.made[id] = row, true
	return row, nil
}

func (t *Transitions) blind(client sim.NodeID) bool { return t.o.Blind != nil && t.o.Blind(client) }

// text describes a client's observation of an event.
func (t *Transitions) text(ev netmodel.Event) string {
	label := t.g.World.Label(ev)
	if ev.Kind == eventkind.Deliver && t.blind(ev.Node) { // an error shows the peer in any case
		label.Event.Peer = -1
	}
	return label.String()
}

func drawings(drawn []steptree.Drawing) (text string) {
	for _, d := range drawn {
		text += fmt.Sprintf(" %s=%d", d.Label, d.Pick)
	}
	return text
}

// rooms describes the observations of room in streams during a step. Some room is the default, and not described.
func rooms(observed []world.RoomObservation, blind bool) (text string) {
	for _, r := range observed {
		switch {
		case r.Exact && !blind:
			text += fmt.Sprintf(" room to n%d=%d", r.Peer, r.Room)
		case r.Room == 0:
			text += fmt.Sprintf(" no room to n%d", r.Peer)
		}
	}
	return text
}

// Sampled reports whether answers of a draw were sampled.
func (t *Transitions) Sampled() bool { return len(t.g.Sampled()) > 0 }

// Path returns the path of the run from a root along steps, all given by index.
func (t *Transitions) Path(root int, steps []uint32) choose.Path {
	return t.g.Path(append([]uint32{uint32(root)}, steps...))
}

// Marks of steps, and of staying in a state.
const (
	unseenMark = iota
	seenMark
)

// Silence finds the states from which a fair run continues forever, or ends, without an observation.
type Silence struct {
	t    *Transitions
	g    *fair.Graph
	next []uint32 // by state: first step of a path to silence, plus one; 0: it cannot fall silent
	at   []*fair.Component
}

// marks makes the obligation hot in every state and settled by an observation.
func (*Transitions) marks() []fair.Mark { return []fair.Mark{fair.Hot, fair.Cold} }

// Silence judges the states passed to From. They must include all states that can be reached without an
// observation.
func (t *Transitions) Silence(ctx context.Context) (*Silence, error) {
	g := t.b.Edges
	var row []fair.Edge
	for id := range t.rows {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		stay := uint32(seenMark)
		row = row[:0]
		if t.made[id] {
			stay = unseenMark
			for _, step := range t.rows[id] {
				row = append(row, step.edge)
			}
		}
		if err := g.Add(stay, row); err != nil {
			return nil, err
		}
	}
	t.b.Edges = nil // the graph is complete
	s := &Silence{t: t, g: g, next: make([]uint32, g.Len()), at: make([]*fair.Component, g.Len())}
	var queue []uint32
	for c := range g.Every(t.marks(), nil) {
		for _, id := range c.States {
			s.at[id] = c
			queue = append(queue, id)
		}
	}
	s.lead(queue)
	return s, nil
}

// lead searches backwards from silent states, along unobserved steps.
func (s *Silence) lead(queue []uint32) {
	type back struct{ from, step uint32 }
	to := make([][]back, len(s.at))
	for id, row := range s.t.rows {
		for k, step := range row {
			if step.Label == 0 {
				to[step.To] = append(to[step.To], back{uint32(id), uint32(k)})
			}
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		for _, b := range to[queue[0]] {
			if s.at[b.from] == nil && s.next[b.from] == 0 {
				s.next[b.from] = b.step + 1
				queue = append(queue, b.from)
			}
		}
	}
}

// May reports whether the system may fall silent in a state.
func (s *Silence) May(id uint32) bool { return s.at[id] != nil || s.next[id] > 0 }

// Run returns a silent run from a state that may fall silent, as indices of steps. The last round steps are the
// cycle. 0 means that nothing more is promised to happen.
func (s *Silence) Run(id uint32) (steps []uint32, round int) {
	for s.at[id] == nil {
		k := s.next[id] - 1
		steps, id = append(steps, k), s.t.rows[id][k].To
	}
	l := s.at[id].Lasso()
	way := s.at[id].Way(id, l.Start)
	for _, step := range append(way, l.Round...) {
		steps = append(steps, step.Edge)
	}
	return steps, len(l.Round)
}
