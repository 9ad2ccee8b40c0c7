// Package eventgraph turns the trace of a run into its event graph: one lane per node, what happened
// on it in order, and the messages and timers between. Renderers show it as text, SVG, Mermaid and
// JSON; all of them give the same bytes for the same graph.
package eventgraph

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/macemc/macemc/replay"
	"github.com/macemc/macemc/sim"
)

// Graph is the event graph of a run.
type Graph struct {
	System string `json:"system"`
	Nodes  []Node `json:"nodes"`
	// Events[i] is step i; Events[0] stands for the first boots.
	Events   []Event   `json:"events"`
	Messages []Message `json:"messages"` // in the order of sending
	Timers   []Timer   `json:"timers"`   // in the order of setting
	// Critical is the number of the critical step; 0: none is known. It is the caller's to set.
	Critical int `json:"critical,omitempty"`
}

// Node is a lane.
type Node struct {
	ID   int    `json:"id"`
	Name string `json:"name"`           // "" when all nodes run the same
	Late bool   `json:"late,omitempty"` // down at first
}

// Event is one step.
type Event struct {
	Step   int    `json:"step"`
	Kind   string `json:"kind"`
	Node   int    `json:"node"` // -1: the network, or all
	Peer   int    `json:"peer"` // -1: none
	What   string `json:"what"` // action, timer or message
	Source string `json:"source,omitempty"`
	// Consumed and Sent are indices into Messages. What is lost or duplicated here counts as consumed.
	Consumed []int `json:"consumed,omitempty"`
	Sent     []int `json:"sent,omitempty"`
	// Gone are messages that the step did away with besides: dropped by a crash, refused, ...
	Gone    []int               `json:"gone,omitempty"`
	Changes []replay.NodeChange `json:"changes,omitempty"`
	Choices []sim.Answer        `json:"choices,omitempty"`
	Notes   []string            `json:"notes,omitempty"` // announcements and log lines
	Crashed bool                `json:"crashed,omitempty"`
	// Applied of Effects effects happened; they differ when the node crashed inside the step.
	Applied int `json:"applied"`
	Effects int `json:"effects"`
	// Causes are the steps that this one follows directly: the one before on the same node, and those
	// that sent what it consumes. Ascending.
	Causes []int `json:"causes,omitempty"`
	Live   bool  `json:"live"`
	// Broke and Mended are the properties that ceased to hold, and hold again, with this step.
	Broke  []string `json:"broke,omitempty"`
	Mended []string `json:"mended,omitempty"`
	Error  string   `json:"error,omitempty"` // the run's finding, when it was found here

	kind sim.EventKind
}

// Message is one message from its sending to what became of it.
type Message struct {
	ID         int    `json:"id"`
	From       int    `json:"from"`
	To         int    `json:"to"`
	Text       string `json:"text"`
	Stream     bool   `json:"stream,omitempty"`
	Sent       int    `json:"sent"`                 // step
	Deliveries []int  `json:"deliveries,omitempty"` // the step, or none
	// End is the step in which it was lost, dropped or refused, and Fate says how. Without one, End is
	// 0 and Fate is "delivered" or "in flight".
	End  int    `json:"end,omitempty"`
	Fate string `json:"fate"`
}

// Timer is one timer from being set to firing.
type Timer struct {
	Node  int    `json:"node"`
	What  string `json:"what"`
	Set   int    `json:"set"`           // step; 0: in the first boots
	End   int    `json:"end,omitempty"` // step; 0: still armed
	Ended string `json:"ended"`         // "fired", "stopped", "set again", "crash" or "armed"
}

// Build makes the event graph of a trace. Linear in the size of the trace.
func Build(t *replay.Trace) *Graph {
	g := &Graph{System: t.System}
	named := len(slices.Compact(slices.Clone(t.Names))) > 1
	for id := range t.Nodes {
		n := Node{ID: id}
		if named && id < len(t.Names) {
			n.Name = t.Names[id]
		}
		g.Nodes = append(g.Nodes, n)
	}
	for _, c := range t.Boot.Changes {
		if c.Path == "(node)" && c.New == "down" {
			g.Nodes[c.Node].Late = true
		}
	}
	b := builder{g: g, lastOn: make([]int, t.Nodes), timers: map[timerKey]int{}}
	for i := range b.lastOn {
		b.lastOn[i] = -1
	}
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
	for i := range g.Events {
		b.causes(&g.Events[i])
	}
	if f := t.Finding; f != nil && t.FoundAt < len(g.Events) {
		g.Events[t.FoundAt].Error = f.Error()
	}
	return g
}

type timerKey struct {
	node int
	what string
}

type builder struct {
	g         *Graph
	lastOn    []int // step that was last on each node
	partition int   // step of the last partition
	timers    map[timerKey]int
}

func (b *builder) event(s *replay.TraceStep, failedBefore []string) {
	e := Event{
		Step: s.Number, Kind: s.Kind, Node: s.Node, Peer: s.Peer, What: s.What, Source: s.Source,
		Changes: s.Changes, Choices: s.Choices, Crashed: s.Crashed, Live: s.Live,
		kind: s.Event.Kind,
	}
	e.Applied, e.Effects = s.Count()
	for _, id := range s.MsgIDs {
		e.Consumed = append(e.Consumed, id-1)
	}
	if s.Number == 0 {
		e.kind, e.Changes = sim.Boot, nil // every node's whole state is no change
	} else {
		e.Broke = missing(s.Failing, failedBefore)
		e.Mended = missing(failedBefore, s.Failing)
		if e.kind == sim.FireTimer {
			b.endTimer(e.Node, e.What, s.Number, "fired")
		}
	}
	for _, f := range s.Effects {
		if f.Applied {
			b.timerEffect(s, f)
		}
		if f.Kind == sim.AnnounceEffect.String() || f.Kind == sim.LogEffect.String() {
			e.Notes = append(e.Notes, f.Kind+" "+f.Text)
		}
	}
	if e.kind == sim.Crash || e.Crashed {
		for i := range b.g.Timers {
			if t := &b.g.Timers[i]; t.Node == e.Node && t.End == 0 {
				b.endTimer(t.Node, t.What, s.Number, "crash")
			}
		}
	}
	b.g.Events = append(b.g.Events, e)
}

// timerEffect follows timers. Which node set one in the first boots is not known, so those appear
// only when they fire.
func (b *builder) timerEffect(s *replay.TraceStep, f replay.TraceEffect) {
	switch {
	case s.Number == 0:
	case f.Kind == sim.SetTimerEffect.String():
		b.endTimer(s.Node, f.Text, s.Number, "set again")
		b.timers[timerKey{s.Node, f.Text}] = len(b.g.Timers)
		b.g.Timers = append(b.g.Timers, Timer{Node: s.Node, What: f.Text, Set: s.Number, Ended: "armed"})
	case f.Kind == sim.StopTimerEffect.String():
		b.endTimer(s.Node, f.Text, s.Number, "stopped")
	}
}

func (b *builder) endTimer(node int, what string, step int, how string) {
	key := timerKey{node, what}
	i, ok := b.timers[key]
	if !ok {
		if how == "fired" {
			b.g.Timers = append(b.g.Timers, Timer{Node: node, What: what, End: step, Ended: how})
		}
		return
	}
	delete(b.timers, key)
	b.g.Timers[i].End, b.g.Timers[i].Ended = step, how
}

func (b *builder) message(m replay.TraceMessage) {
	g := b.g
	at := len(g.Messages)
	v := Message{
		ID: m.ID, From: m.From, To: m.To, Text: m.Text, Stream: m.Stream, Sent: m.Sent,
		Fate: sim.InFlight.String(),
	}
	for _, f := range m.Fates {
		switch f.Fate {
		case sim.Delivered:
			v.Deliveries = append(v.Deliveries, f.Step)
			v.Fate = f.Name
		case sim.Duplicated: // it is still in flight, and the copy is a message of its own
			if f.Step < len(g.Events) {
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

func (b *builder) causes(e *Event) {
	if e.Step == 0 {
		for i := range b.lastOn {
			b.lastOn[i] = 0
		}
		return
	}
	switch e.kind {
	case sim.Lose, sim.Duplicate:
	case sim.Partition:
		b.partition = e.Step
	case sim.Heal:
		e.Causes = append(e.Causes, b.partition)
	default:
		for _, n := range e.touches() {
			e.Causes = append(e.Causes, b.lastOn[n])
			b.lastOn[n] = e.Step
		}
	}
	for _, m := range e.Consumed {
		e.Causes = append(e.Causes, b.g.Messages[m].Sent)
	}
	slices.Sort(e.Causes)
	e.Causes = slices.Compact(e.Causes)
}

// touches lists the lanes that the event is on.
func (e *Event) touches() []int {
	var on []int
	if e.Node >= 0 {
		on = append(on, e.Node)
	}
	if e.kind == sim.Break && e.Peer >= 0 {
		on = append(on, e.Peer)
	}
	return on
}

// missing returns the elements of a that are not in b.
func missing(a, b []string) []string {
	var out []string
	for _, s := range a {
		if !slices.Contains(b, s) {
			out = append(out, s)
		}
	}
	return out
}

// Last is the number of the last step.
func (g *Graph) Last() int { return len(g.Events) - 1 }

// Past returns at most n steps before step, ascending: those that it depends on through messages and
// the order on nodes, latest first, and when these are fewer than n, those right before it.
func (g *Graph) Past(step, n int) []int {
	if step < 1 || step >= len(g.Events) {
		return nil
	}
	in := make([]bool, step+1)
	in[step] = true
	var past []int
	for s := step; s > 0 && len(past) < n; s-- {
		if !in[s] {
			continue
		}
		if s != step {
			past = append(past, s)
		}
		for _, c := range g.Events[s].Causes {
			in[c] = true
		}
	}
	for s := step - 1; s > 0 && len(past) < n; s-- {
		if !slices.Contains(past, s) {
			past = append(past, s)
		}
	}
	slices.Sort(past)
	return past
}

// quiet reports whether the event changed nothing worth seeing.
func (g *Graph) quiet(e *Event) bool {
	if e.Step == g.Critical && e.Step > 0 || e.Error != "" || e.Crashed || len(e.Broke)+len(e.Mended) > 0 || len(e.Gone) > 0 {
		return false
	}
	if k := e.kind; k == sim.DoAction || k == sim.Boot || k >= sim.Heal || k == sim.DeliverError {
		return false
	}
	return !slices.ContainsFunc(e.Changes, func(c replay.NodeChange) bool { return !c.Bookkeeping() })
}

// short says what the event is, for summaries: "n0 timer resend", "n1 Ping{2}".
func (e *Event) short() string {
	if e.kind == sim.FireTimer {
		return fmt.Sprintf("n%d timer %s", e.Node, e.What)
	}
	return strings.TrimSpace(fmt.Sprintf("n%d %s", e.Node, shortly(e.What)))
}

// JSON writes the graph as one JSON object.
func (g *Graph) JSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(g)
}
