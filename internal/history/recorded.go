package history

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/macemc/macemc/eventgraph"
	"github.com/macemc/macemc/internal/encoding/diff"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/sim"
)

// Recording is the run of a test, which cannot be executed here. Its nodes are goroutines.
type Recording struct {
	*base
	trace  *replay.Trace
	drawn  *eventgraph.Graph  // of trace, once requested
	states [][]GoroutineState // by goroutine
}

// Recorded returns a run on a recorded trace.
func Recorded(name string, t *replay.Trace, nodes int) *Run {
	start := cmp.Or(t.Boot.What, "the test starts")
	b := &base{words: ofTests, Name: name, Nodes: nodes, Finding: t.Finding, Saved: true,
		steps: []Step{{Key: start, Ev: netmodel.Event{Node: -1}, text: start}}}
	r := &Recording{base: b, trace: t, states: make([][]GoroutineState, nodes)}
	r.follow(0)
	since := make([]int32, nodes) // step with which each goroutine continued after it was started or woken
	for i := range t.Steps {
		step := &t.Steps[i]
		info := Step{Key: step.Key, Ev: step.Event, text: r.Node(step.Node) + " " + step.What, Cause: since[step.Node],
			Library: !strings.Contains(step.Source, ":")}
		for _, id := range step.MsgIDs {
			info.Cause, since[step.Node] = int32(t.Message(id).Sent), 0
		}
		if since[step.Node] == 0 {
			since[step.Node] = int32(i + 1)
		}
		r.steps = append(r.steps, info)
		r.follow(i + 1)
	}
	return &Run{b, r}
}

// Grow adds goroutines that other runs have.
func (r *Recording) Grow(nodes int) {
	r.states = append(r.states, make([][]GoroutineState, nodes-r.Nodes)...)
	r.Nodes = nodes
}

// follow adds the states after step n.
func (r *Recording) follow(n int) {
	for _, c := range r.step(n).Changes {
		path := slices.Index(goroutinePaths[:], c.Path)
		if path < 0 {
			continue
		}
		states := r.states[c.Node]
		if len(states) == 0 || states[len(states)-1].step != n {
			now := GoroutineState{}
			if len(states) > 0 {
				now = states[len(states)-1]
			}
			now.step = n
			states = append(states, now)
		}
		now := &states[len(states)-1]
		now.Fields[path], now.Since[path] = c.New, n
		r.states[c.Node] = states
	}
}

func (r *Recording) step(n int) *replay.TraceStep {
	if n == 0 {
		return &r.trace.Boot
	}
	return &r.trace.Steps[n-1]
}

// Goroutine returns the state of a goroutine after step n. The zero value means that it was not yet started.
func (r *Recording) Goroutine(n, node int) GoroutineState {
	states := r.states[node]
	i, ok := slices.BinarySearchFunc(states, n, func(s GoroutineState, n int) int { return s.step - n })
	if !ok {
		i--
	}
	if i < 0 {
		return GoroutineState{}
	}
	return states[i]
}

func (r *Recording) Trace(n int) (*replay.TraceStep, error) { return r.step(n), nil }
func (r *Recording) Sentence(t *replay.TraceStep) string    { return r.Step(t.Number).String() }
func (r *Recording) Ended(n, id int) bool {
	return r.Goroutine(n, id).Fields[FieldStatus] == StatusEnded
}
func (*Recording) World(int) (kernel.World, error) { return nil, nil }
func (*Recording) RunsProgram(int) bool            { return false }
func (*Recording) distance() int                   { return 0 }

func (r *Recording) Fields(n int, id sim.NodeID) (fields []diff.Field, _ error) {
	for i, value := range r.Goroutine(n, int(id)).Fields {
		if value != "" {
			fields = append(fields, diff.Field{Path: goroutinePaths[i], Value: value})
		}
	}
	return fields, nil
}

func (r *Recording) Touched(n int) (nodes []sim.NodeID) {
	for _, c := range r.step(n).Changes {
		nodes = append(nodes, sim.NodeID(c.Node))
	}
	return slices.Compact(nodes)
}

// Order begins with the goroutines of the finding: those that wait for what another one holds when the run ends, that of the last step,
// that of the critical step, and the others that wait. Those that have ended come last.
func (r *Recording) Order() []int {
	var ranked [6][]int
	for id := range r.Nodes {
		rank := 0
		switch g := r.Goroutine(r.Len(), id); {
		case g.Waits() && g.blockers() != "":
		case r.Len() > 0 && r.step(r.Len()).Node == id:
			rank = 1
		case r.Critical > 0 && r.step(r.Critical).Node == id:
			rank = 2
		case g.Waits():
			rank = 3
		case g.Fields[FieldStatus] != StatusEnded:
			rank = 4
		default:
			rank = 5
		}
		ranked[rank] = append(ranked[rank], id)
	}
	return slices.Concat(ranked[:]...)
}

// Graph returns the same event graph as "macemc graph" draws, with the goroutines of the range. Most goroutines of a test only wait.
func (r *Recording) Graph(_, from, to, _ int) (*eventgraph.Graph, eventgraph.Options, error) {
	o := eventgraph.Options{From: from, To: to, Nodes: r.active(from, to)}
	if r.drawn != nil {
		return r.drawn, o, nil
	}
	t := *r.trace
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
	return r.drawn, o, nil
}

// active returns the goroutines of steps from..to, and the sources of the arrows to these steps.
func (r *Recording) active(from, to int) []int {
	in := map[int]bool{}
	for n := from; n <= to; n++ {
		t := r.step(n)
		in[t.Node] = true
		for _, id := range t.MsgIDs {
			in[r.trace.Message(id).From] = true
		}
	}
	return append([]int{}, slices.Sorted(maps.Keys(in))...) // nil would mean all nodes
}

func (r *Recording) Shared(other *Run) int {
	n := 0
	for n < min(r.Len(), other.Len()) && r.Step(n+1).Key == other.Step(n+1).Key {
		n++
	}
	return n
}

func (r *Recording) Title(id int) string {
	title := r.Node(id)
	if id < len(r.trace.Names) {
		title = strings.TrimSpace(title + " " + r.trace.Names[id])
	}
	if origin := r.origin(id); origin != "" {
		title += ", " + origin
	}
	return title
}

// origin describes how a goroutine started. An empty text means that this is not known, or that the goroutine executes the test.
func (r *Recording) origin(id int) string {
	if id >= len(r.trace.Origins) {
		return ""
	}
	return r.trace.Origins[id]
}

// Because ends with the step of the cause.
func (r *Recording) Because(n int) string {
	return fmt.Sprintf("%s step %d", r.relation(n), r.Step(n).Cause)
}

// relation describes the relation between step n and its cause, up to a preposition.
func (r *Recording) relation(n int) string {
	t := r.step(n)
	switch {
	case len(t.MsgIDs) == 0 && r.Step(n).Cause == 0:
		return "is the first step of the goroutine, after"
	case len(t.MsgIDs) == 0:
		if g := r.Goroutine(n-1, t.Node); g.Waits() || g.Fields[FieldStatus] == StatusRested {
			return "waited since"
		}
		for k := int(r.Step(n).Cause) + 1; k < n; k++ {
			if r.step(k).Node != t.Node {
				return "could run since"
			}
		}
		return "running since"
	}
	m := r.trace.Message(t.MsgIDs[0])
	if origin := r.origin(t.Node); m.Text == TimerSet && origin != "" {
		return fmt.Sprintf("the goroutine was %s, by %s after", origin, r.Node(m.From))
	}
	for k := 1; k < n; k++ {
		if r.Step(k).Ev.Node == t.Event.Node {
			return "the goroutine waited, and was woken in"
		}
	}
	return fmt.Sprintf("the goroutine was started by %s in", r.Node(m.From))
}

// Changes leaves out what the sentence makes redundant: operations, the place of the step's goroutine, and the place that a goroutine loses
// when it ends.
func (r *Recording) Changes(t *replay.TraceStep) (shown []replay.NodeChange) {
	for _, c := range replay.Readable(t.Changes) {
		at, _, _ := strings.Cut(c.New, " in ")
		if c.Path != PathOperation && (c.Path != PathAt || c.New != "" && (c.Node != t.Node || at != t.Source)) {
			shown = append(shown, c)
		}
	}
	return shown
}

// WriteDifferences compares only the states of goroutines that run or can run, as their positions differ in every step.
func (r *Recording) WriteDifferences(out io.Writer, n int, other *Run, m int) error {
	b, same := other.Recording(), true
	for id := range max(r.Nodes, b.Nodes) {
		from, to := r.Goroutine(n, id), b.Goroutine(m, id)
		if x, y := from.summary(), to.summary(); x != y {
			same = false
			fmt.Fprintf(out, "  %s  %s | %s\n", r.Node(id), x, y)
		}
	}
	if same {
		fmt.Fprintln(out, "  the goroutines wait at the same places")
	}
	return nil
}

func (r *Recording) WriteWaits(out io.Writer, n int) error {
	holders, some := map[string]string{}, false
	for id := range r.Nodes {
		g := r.Goroutine(n, id)
		if !g.Waits() {
			continue
		}
		some = true
		fmt.Fprintf(out, "  %s %s at %s, since step %d", r.Node(id), g.Fields[FieldStatus], g.Fields[FieldAt], g.Since[FieldStatus])
		if g.Since[FieldStatus] == 0 && r.trace.Boot.What != "" {
			fmt.Fprint(out, " or earlier")
		}
		if by := cmp.Or(g.Fields[FieldWriter], g.Fields[FieldHolder]); by != "" {
			holders[r.Node(id)] = by
		}
		fmt.Fprintln(out, g.blockers())
	}
	if !some {
		fmt.Fprintln(out, "  no goroutine waits"+waitAtEnd(r, n))
	}
	for id := range r.Nodes {
		if cycle := waitCycle(holders, r.Node(id)); len(cycle) == 1 {
			fmt.Fprintf(out, "  %s waits for itself\n", cycle[0])
			break
		} else if cycle != nil {
			fmt.Fprintf(out, "  %s wait for one another\n", strings.Join(append(cycle, cycle[0]), " -> "))
			break
		}
	}
	return nil
}

// waitAtEnd names the goroutines that wait at the end of the run. An empty string means that none does, or that step n is the end.
func waitAtEnd(r *Recording, n int) string {
	var waiting []string
	for id := range r.Nodes {
		if g := r.Goroutine(r.Len(), id); g.Waits() {
			waiting = append(waiting, r.Node(id))
		}
	}
	if len(waiting) == 0 || n >= r.Len() {
		return ""
	}
	return fmt.Sprintf(" after this step; at the end, after step %d, these wait: %s", r.Len(), strings.Join(textfmt.Few(waiting, 8), ", "))
}

// waitCycle returns the cycle of goroutines that wait for each other and contains from; nil means none.
func waitCycle(holders map[string]string, from string) []string {
	names := []string{from}
	for at := holders[from]; at != "" && len(names) <= len(holders); at = holders[at] {
		if at == from {
			return names
		}
		names = append(names, at)
	}
	return nil
}

func (r *Recording) WriteHeld(out io.Writer, margin string, n, _ int) error {
	for id := range r.Nodes {
		if g := r.Goroutine(n, id); g.Fields[FieldStatus] == StatusHeld {
			fmt.Fprintf(out, "%s%s %s at %s: it continues when no other goroutine can\n", margin, r.Node(id), StatusHeld, g.Fields[FieldAt])
		}
	}
	return nil
}
