package history

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/encoding/diff"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/sim"
)

// Statuses of goroutines. That of a runnable one begins with StatusCanRun.
const (
	StatusCanRun = "can run"
	StatusRested = StatusCanRun + " after a wait" // no goroutine has woken it
	StatusRuns   = "runs"
	StatusEnded  = "ended"
	StatusHeld   = "is held back by the schedule" // it runs on and on without waiting
)

// TimerSet is the text of the message from the goroutine that has set a timer to the goroutine that the timer has started.
const TimerSet = "timer"

// NodeName returns the name of a node: n2, or g3 for a goroutine.
func NodeName(goroutine bool, id int) string {
	if goroutine {
		return fmt.Sprintf("g%d", id+1)
	}
	return fmt.Sprintf("n%d", id)
}

// Paths of the fields of goroutines in the trace of a test. A goroutine that has not been started has no fields.
const (
	PathAt        = "at"
	PathOperation = "operation" // next operation, or the one in which it waits
	PathStatus    = "status"
	PathHolder    = "held by"                   // holder of the lock that it waits for
	PathWriter    = "blocked by waiting writer" // goroutine whose request for the write lock precedes its request for a read lock
)

// Recorded returns a run on a recorded trace.
func Recorded(name string, t *replay.Trace, nodes int) *Run {
	r := &Run{Name: name, Nodes: nodes, Whole: t, Finding: t.Finding, first: Step{Key: "start"}, Saved: true,
		States: make([][]GoroutineState, nodes)}
	r.follow(0)
	since := make([]int32, nodes) // step with which each goroutine continued after it was started or woken
	for i := range t.Steps {
		step := &t.Steps[i]
		info := Step{Key: step.Key, Ev: step.Event, text: r.Node(step.Node) + " " + step.What, Cause: since[step.Node]}
		for _, id := range step.MsgIDs {
			info.Cause, since[step.Node] = int32(t.Message(id).Sent), 0
		}
		if since[step.Node] == 0 {
			since[step.Node] = int32(i + 1)
		}
		r.steps = append(r.steps, info)
		r.follow(i + 1)
	}
	return r
}

// Node returns the name of a node.
func (r *Run) Node(id int) string { return NodeName(r.Whole != nil, id) }

// Title returns the name of a node, followed by the function of a goroutine.
func (r *Run) Title(id int) string {
	if r.Whole != nil && id < len(r.Whole.Names) {
		return strings.TrimSpace(r.Node(id) + " " + r.Whole.Names[id])
	}
	return r.Node(id)
}

// Origin describes how a goroutine started. An empty text means that this is not known, or that the goroutine executes the test.
func (r *Run) Origin(id int) string {
	if r.Whole == nil || id >= len(r.Whole.Origins) {
		return ""
	}
	return r.Whole.Origins[id]
}

// Beginning describes step 0.
func (r *Run) Beginning() string {
	if r.Whole != nil {
		return cmp.Or(r.Whole.Boot.What, "the test starts")
	}
	return "the first state"
}

// Sentence describes step n, whose trace is t.
func (r *Run) Sentence(n int, t *replay.TraceStep) string {
	if r.Whole != nil {
		return r.Step(n).String()
	}
	return t.Sentence()
}

// Touched returns the nodes whose states step n may have changed.
func (r *Run) Touched(n int) []sim.NodeID {
	if r.Whole == nil {
		return r.Step(n).nodes()
	}
	var nodes []sim.NodeID
	for _, c := range r.recordedStep(n).Changes {
		nodes = append(nodes, sim.NodeID(c.Node))
	}
	return slices.Compact(nodes)
}

func (r *Run) recordedStep(n int) *replay.TraceStep {
	if n == 0 {
		return &r.Whole.Boot
	}
	return &r.Whole.Steps[n-1]
}

// GoroutineState is the state of a goroutine, starting at a step. Its fields correspond to goroutinePaths.
type GoroutineState struct {
	step   int
	Fields [len(goroutinePaths)]string
	Since  [len(goroutinePaths)]int // step of the last change of each field
}

var goroutinePaths = [...]string{PathAt, PathOperation, PathStatus, PathHolder, PathWriter}

// Indexes of goroutinePaths.
const (
	FieldAt = iota
	FieldOperation
	FieldStatus
	FieldHolder
	FieldWriter
)

// follow adds the states after step n.
func (r *Run) follow(n int) {
	for _, c := range r.recordedStep(n).Changes {
		path := slices.Index(goroutinePaths[:], c.Path)
		if path < 0 {
			continue
		}
		states := r.States[c.Node]
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
		r.States[c.Node] = states
	}
}

// Goroutine returns the state of a goroutine after step n. The zero value means that it was not yet started.
func (r *Run) Goroutine(n, node int) GoroutineState {
	states := r.States[node]
	i, ok := slices.BinarySearchFunc(states, n, func(s GoroutineState, n int) int { return s.step - n })
	if !ok {
		i--
	}
	if i < 0 {
		return GoroutineState{}
	}
	return states[i]
}

// Waits reports whether the goroutine waits.
func (g *GoroutineState) Waits() bool {
	status := g.Fields[FieldStatus]
	return status != "" && status != StatusRuns && status != StatusEnded && !g.CanRun()
}

// summary describes the state of the goroutine: what it waits for and where, or that it runs, can run or has ended.
func (g *GoroutineState) summary() string {
	status := g.Fields[FieldStatus]
	switch {
	case status == "":
		return "not started"
	case g.CanRun():
		return StatusCanRun
	case !g.Waits():
		return status
	}
	text := status
	if at := g.Fields[FieldAt]; at != "" {
		text += " at " + at
	}
	return text + g.blockers()
}

// blockers describes the holder of the lock that the goroutine waits for, and a writer that precedes it.
func (g *GoroutineState) blockers() (text string) {
	for _, field := range []int{FieldHolder, FieldWriter} {
		if value := g.Fields[field]; value != "" {
			text += fmt.Sprintf(", %s %s", goroutinePaths[field], value)
		}
	}
	return text
}

// ByFinding returns all goroutines of a recorded run, those of its finding first: those that wait for what another one holds when the run
// ends, that of the last step, that of the critical step, and the others that wait. Those that have ended come last.
func ByFinding(r *Run) []int {
	rank := make([]int, r.Nodes)
	for id := range rank {
		switch g := r.Goroutine(r.Len(), id); {
		case g.Waits() && g.blockers() != "":
			rank[id] = 0
		case r.Len() > 0 && r.recordedStep(r.Len()).Node == id:
			rank[id] = 1
		case r.Critical > 0 && r.recordedStep(r.Critical).Node == id:
			rank[id] = 2
		case g.Waits():
			rank[id] = 3
		case g.Fields[FieldStatus] != StatusEnded:
			rank[id] = 4
		default:
			rank[id] = 5
		}
	}
	nodes := make([]int, r.Nodes)
	for id := range nodes {
		nodes[id] = id
	}
	slices.SortStableFunc(nodes, func(a, b int) int { return rank[a] - rank[b] })
	return nodes
}

// CanRun reports whether the goroutine is runnable.
func (g *GoroutineState) CanRun() bool { return strings.HasPrefix(g.Fields[FieldStatus], StatusCanRun) }

// recordedFields returns the fields of a goroutine after step n.
func (r *Run) recordedFields(n, node int) (fields []diff.Field) {
	for i, value := range r.Goroutine(n, node).Fields {
		if value != "" {
			fields = append(fields, diff.Field{Path: goroutinePaths[i], Value: value})
		}
	}
	return fields
}

// Redundant reports whether the text of step t makes a change redundant. That holds for operations, for the place of the
// step's goroutine, and for the place that a goroutine loses when it ends.
func Redundant(c *replay.NodeChange, t *replay.TraceStep) bool {
	at, _, _ := strings.Cut(c.New, " in ")
	return c.Path == PathOperation || c.Path == PathAt && (c.New == "" || c.Node == t.Node && at == t.Source)
}

// recordedCommon implements Common for recorded runs.
func recordedCommon(a, b *Run) int {
	n := 0
	for n < min(a.Len(), b.Len()) && a.steps[n].Key == b.steps[n].Key {
		n++
	}
	return n
}

// recordedBecause implements Because for recorded runs.
func (r *Run) recordedBecause(n int) string {
	t := r.recordedStep(n)
	switch {
	case len(t.MsgIDs) == 0 && r.Step(n).Cause == 0:
		return "is the first step of the goroutine, after"
	case len(t.MsgIDs) == 0:
		if g := r.Goroutine(n-1, t.Node); g.Waits() || g.Fields[FieldStatus] == StatusRested {
			return "waited since"
		}
		for k := int(r.Step(n).Cause) + 1; k < n; k++ {
			if r.recordedStep(k).Node != t.Node {
				return "could run since"
			}
		}
		return "running since"
	}
	m := r.Whole.Message(t.MsgIDs[0])
	if m.Text == TimerSet && r.Origin(t.Node) != "" {
		return fmt.Sprintf("the goroutine was %s, by %s after", r.Origin(t.Node), r.Node(m.From))
	}
	for i := range n - 1 {
		if r.steps[i].Ev.Node == t.Event.Node {
			return "the goroutine waited, and was woken in"
		}
	}
	return fmt.Sprintf("the goroutine was started by %s in", r.Node(m.From))
}
