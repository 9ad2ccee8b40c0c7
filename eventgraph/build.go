package eventgraph

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/replay"
)

// Build returns the event graph of a trace. It takes time linear in the size of the trace.
func Build(t *replay.Trace) *Graph {
	g := &Graph{System: t.System, Goroutines: t.Goroutines, trace: t}
	named := len(slices.Compact(slices.Clone(t.Names))) > 1
	programs := t.Programs()
	for id := range t.Nodes {
		n := Node{ID: id, Program: programs[id]}
		if named && id < len(t.Names) {
			n.Name = t.Names[id]
		}
		if id < len(t.Origins) {
			n.Origin = t.Origins[id]
		}
		g.Nodes = append(g.Nodes, n)
	}
	for _, c := range t.Boot.Changes {
		if c.Path == "(node)" && c.New == "down" {
			g.Nodes[c.Node].Late = true
		}
	}
	g.Initial = t.Boot.Changes
	b := builder{g: g, timers: map[place]int{}, states: make([]nodeState, t.Nodes), crashed: make([]nodeState, t.Nodes)}
	for id := range b.states {
		b.states[id] = nodeState{}
	}
	b.follow(t.Boot.Changes)
	b.event(&t.Boot, nil)
	for i := range t.Steps {
		before := t.Boot.Failing
		if i > 0 {
			before = t.Steps[i-1].Failing
		}
		b.event(&t.Steps[i], before)
	}
	for _, m := range t.Messages {
		b.message(m)
	}
	order(g, t)
	if t.Round > 0 {
		g.Round = len(t.Steps) - t.Round + 1
		first, last := &g.Events[g.Round], &g.Events[g.Last()]
		first.Round = "start of the cycle that repeats forever"
		if last.Round != "" {
			last.Round += "; "
		}
		last.Round += fmt.Sprintf("end of the cycle: same state as before step %d", g.Round)
	}
	if f := t.Finding; f != nil && t.FoundAt < len(g.Events) {
		g.Events[t.FoundAt].Error, g.found = f.Error(), t.FoundAt
	}
	return g
}

// place is a field or a timer of a node.
type place struct {
	node int
	name string
}

type builder struct {
	g      *Graph
	timers map[place]int // armed timers
	// states are those of the nodes. crashed are those before their last crashes; nil means none.
	states, crashed []nodeState
}

func (b *builder) event(s *replay.TraceStep, failedBefore []string) {
	e := &Event{
		Step: s.Number, Kind: s.Kind, Node: s.Node, Peer: s.Peer, What: s.What,
		Text: s.Sentence(), Key: s.Key, Source: s.Source,
		Changes: s.Changes, Choices: s.Choices, Crashed: s.Crashed, Halted: s.Halted, With: s.With, Live: s.Live,
		kind: s.Event.Kind, effects: s.Effects,
	}
	if b.g.Goroutines {
		e.Text = b.g.lane(s.Node) + " " + s.What
	}
	e.Applied, e.Effects = s.Count()
	e.Aftermath = s.Aftermath()
	for _, id := range s.MsgIDs {
		e.Consumed = append(e.Consumed, id-1)
	}
	if s.Number == 0 {
		e.kind, e.Changes = eventkind.Boot, nil // the initial state of a node is not a change
		b.firstTimers(e, s.Changes)
	} else {
		switch was := b.g.Events[len(b.g.Events)-1].Live; {
		case s.Live && !was:
			e.turn = "LIVE"
		case was && !s.Live:
			e.turn = "no longer LIVE"
		}
		e.Broke = missing(s.Failing, failedBefore)
		e.Mended = missing(failedBefore, s.Failing)
		if e.kind == eventkind.FireTimer {
			b.endTimer(e, e.Node, e.What, "fired")
		}
	}
	for _, f := range s.Effects {
		if f.Applied {
			b.timerEffect(e, f)
		}
		if f.IsCall() {
			e.Calls = append(e.Calls, Call{f.Depth, f.Text, f.From})
		}
		if f.Kind == stepinfo.AnnounceEffect.String() || f.Kind == stepinfo.LogEffect.String() {
			e.Notes = append(e.Notes, f.Kind+" "+f.Text)
		}
	}
	falls := e.takesDown()
	b.restart(e)
	if falls || e.kind == eventkind.Boot {
		b.g.upDown = append(b.g.upDown, len(b.g.Events))
	}
	if falls {
		for i := range b.g.Timers {
			if t := &b.g.Timers[i]; e.takesNodeDown(t.Node) && t.Ended == armed {
				b.endTimer(e, t.Node, t.What, "crash")
			}
		}
	}
	b.g.Events = append(b.g.Events, *e)
}

const armed = "armed"

// firstTimers adds the timers that the first boots set. Their effects do not name the node, so the states are used.
func (b *builder) firstTimers(e *Event, initial []replay.NodeChange) {
	for _, c := range initial {
		if c.Part.Kind == replay.Timer {
			b.setTimer(e, c.Node, replay.Brief(c.Part.Name))
		}
	}
}

func (b *builder) timerEffect(e *Event, f replay.TraceEffect) {
	switch {
	case e.Step == 0:
	case f.Kind == stepinfo.SetTimerEffect.String():
		b.endTimer(e, e.Node, f.Text, "set again")
		b.setTimer(e, e.Node, f.Text)
	case f.Kind == stepinfo.StopTimerEffect.String():
		b.endTimer(e, e.Node, f.Text, "stopped")
	}
}

func (b *builder) setTimer(e *Event, node int, what string) {
	i := len(b.g.Timers)
	b.timers[place{node, what}] = i
	b.g.Timers = append(b.g.Timers, Timer{Node: node, What: what, Set: e.Step, Ended: armed})
	e.Sets = append(e.Sets, i)
}

// endTimer ends a timer of a node, if it is armed.
func (b *builder) endTimer(e *Event, node int, what, how string) {
	key := place{node, what}
	i, ok := b.timers[key]
	if !ok {
		return
	}
	delete(b.timers, key)
	b.g.Timers[i].End, b.g.Timers[i].Ended = e.Step, how
	e.Ends = append(e.Ends, i)
}

func (b *builder) message(m replay.TraceMessage) {
	g := b.g
	at := len(g.Messages)
	v := Message{
		ID: m.ID, From: m.From, To: m.To, Text: m.Text, Stream: m.Stream, Control: m.Control, Sent: m.Sent,
		Fate: netmodel.InFlight.String(),
	}
	for _, f := range m.Fates {
		switch f.Fate {
		case netmodel.Delivered:
			v.Deliveries = append(v.Deliveries, f.Step)
			v.Fate = f.Name
		case netmodel.Duplicated: // it is still in flight, and the copy is a message of its own
			v.Duplicated = append(v.Duplicated, f.Step)
			if f.Step < len(g.Events) && !slices.Contains(g.Events[f.Step].Consumed, at) {
				g.Events[f.Step].Consumed = append(g.Events[f.Step].Consumed, at)
			}
		default:
			v.End, v.Fate = f.Step, f.Name
			if f.Step < len(g.Events) && !slices.Contains(g.Events[f.Step].Consumed, at) {
				g.Events[f.Step].Gone = append(g.Events[f.Step].Gone, at)
			}
		}
	}
	if m.Sent < len(g.Events) && m.CopyOf == 0 { // the duplication shows a copy
		g.Events[m.Sent].Sent = append(g.Events[m.Sent].Sent, at)
	}
	g.Messages = append(g.Messages, v)
}

// missing returns the elements of a that are not in b.
func missing(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return slices.Contains(b, s) })
}

// nodeState is the state of a node: the last change of each field that exists, by path.
type nodeState map[string]replay.NodeChange

// follow applies changes to the states of nodes.
func (b *builder) follow(changes []replay.NodeChange) {
	for _, c := range changes {
		if c.New == "" {
			delete(b.states[c.Node], c.Path)
			continue
		}
		b.states[c.Node][c.Path] = c
	}
}

// hasBelow reports whether the value at a path has parts.
func (s nodeState) hasBelow(path string) bool {
	for p := range s {
		if replay.PartOf(p, path) {
			return true
		}
	}
	return false
}

// restart applies the changes of a step, and sets the aftermath of a boot after a crash.
func (b *builder) restart(e *Event) {
	if e.Step == 0 {
		return
	}
	for id := range b.states {
		if e.takesNodeDown(id) {
			b.crashed[id] = maps.Clone(b.states[id])
		}
	}
	b.follow(e.Changes)
	if e.kind != eventkind.Boot || e.takesDown() || e.Node < 0 || b.crashed[e.Node] == nil {
		return
	}
	was, is := b.crashed[e.Node], b.states[e.Node]
	b.crashed[e.Node] = nil
	var lost []replay.NodeChange
	for _, path := range slices.Sorted(maps.Keys(was)) {
		c, now := was[path], is[path]
		filled := now.New == "" && is.hasBelow(path) // an empty or nil value then
		if c.New != now.New && !filled && !c.Minor() && c.Part.Kind != replay.Write {
			c.Old, c.New = c.New, now.New
			lost = append(lost, c)
		}
	}
	if text := strings.Join(Digest(lost, e.Node, mostChanges), ", "); text != "" {
		e.Aftermath = append(e.Aftermath, "lost or changed: "+text)
	}
}
