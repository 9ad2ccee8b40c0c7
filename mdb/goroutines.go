package mdb

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/macemc/macemc/eventgraph"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/sim"
)

// Paths of what changes of goroutines in the trace of a test. A goroutine that has not been started has none of these fields.
const (
	GoroutineAt        = "at"
	GoroutineOperation = "operation" // that it is about to execute, or in which it waits
	GoroutineStatus    = "status"
	GoroutineHolder    = "held by" // who holds the lock that it waits for
)

// CanRun begins the status of a goroutine that neither runs nor waits. "runs" and "ended" are other ones, and the rest waits.
const CanRun = "can run"

// Sleeps is the status of a goroutine that waits for a time, or is held back until all others wait.
const Sleeps = "sleeps"

var errNoCritical = errors.New("the critical step is not known: \"macemc test\" finds it, and the file of the schedule records none")

// openRecorded opens the recorded run of a test.
func openRecorded(cfg Config) *Session {
	s := &Session{cfg: cfg, sys: &sim.System{Name: cfg.Trace.System, Nodes: cfg.Trace.Nodes}, node: -1, table: commands()}
	if cfg.LiveTrace != nil {
		s.sys.Nodes = max(s.sys.Nodes, cfg.LiveTrace.Nodes)
	}
	r := recordedRun("main", cfg.Trace, s.sys.Nodes)
	r.file = cfg.Name
	if cfg.Recorded.Steps == r.len() {
		r.critical, r.why = cfg.Recorded.Step, cfg.Recorded.Why
	}
	s.runs, s.run = []*run{r}, r
	if cfg.LiveTrace != nil {
		passing := recordedRun("passing", cfg.LiveTrace, s.sys.Nodes)
		passing.from, passing.common = r, common(r, passing)
		s.runs = append(s.runs, passing)
	}
	return s
}

// recordedRun returns a run of what was recorded.
func recordedRun(name string, t *replay.Trace, nodes int) *run {
	r := &run{name: name, nodes: nodes, whole: t, finding: t.Finding, first: stepInfo{key: "start"}, saved: true,
		states: make([][]goroutineState, nodes)}
	r.follow(0)
	since := make([]int32, nodes) // the step with which each goroutine went on after it was started or woken
	for i := range t.Steps {
		step := &t.Steps[i]
		info := stepInfo{key: step.Key, ev: step.Event, text: r.node(step.Node) + " " + step.What, cause: since[step.Node]}
		for _, id := range step.MsgIDs {
			info.cause, since[step.Node] = int32(t.Message(id).Sent), 0
		}
		if since[step.Node] == 0 {
			since[step.Node] = int32(i + 1)
		}
		r.steps = append(r.steps, info)
		r.follow(i + 1)
	}
	return r
}

// ofGoroutines puts help texts into the words of tests.
var ofGoroutines = strings.NewReplacer("n2", "g2", "n1", "g1", "node 2", "goroutine 2", "node 1", "goroutine 1", "NODE", "GOROUTINE", "node", "goroutine",
	"the live run", "the passing run", "diff live", "diff passing")

// takeGoroutine lets another goroutine go on at the step after which the session stands, on a branch.
func (s *Session) takeGoroutine(ctx context.Context, args []string, out *bytes.Buffer) error {
	r := s.run
	switch {
	case s.cfg.Try == nil:
		return errors.New("the test cannot be executed again here")
	case len(args) != 1:
		return badUsage("which goroutine?")
	case r.at == 0:
		return errors.New("no goroutine can go on here: the first choice is at step 1")
	}
	node, err := s.nodeID(args[0])
	if err != nil {
		return err
	}
	if g := r.goroutine(r.at, node); !g.canRun() {
		return fmt.Errorf("%s cannot go on here, or does so anyway; \"state\" lists the goroutines that can run", r.node(node))
	}
	name := fmt.Sprintf("branch%d", s.branches+1)
	t, err := s.cfg.Try(ctx, r.name, name, r.at, node+1)
	if err != nil {
		return err
	}
	s.sys.Nodes = max(s.sys.Nodes, t.Nodes)
	b := recordedRun(name, t, s.sys.Nodes)
	for _, other := range s.runs {
		other.nodes = s.sys.Nodes
		other.states = append(other.states, make([][]goroutineState, s.sys.Nodes-len(other.states))...)
	}
	b.from, b.common = r, common(r, b)
	if b.common == r.len() && b.common == b.len() {
		return fmt.Errorf("%s cannot go on before the operation of step %d: the run is the same", r.node(node), r.at)
	}
	if r.critical <= r.at {
		b.critical = r.critical
	}
	from := r.at
	s.enter(b)
	fmt.Fprintf(out, "%s: %d steps, of which %d are the same\n", b.name, b.len(), b.common)
	return s.to(min(from+1, b.len()), out)
}

// refuses returns why a command does not work in the session; nil means that it does.
func (s *Session) refuses(c *command) error {
	switch recorded := s.cfg.Trace != nil; {
	case recorded && c.system:
		return fmt.Errorf("%s executes steps of a system, and the run of a test under a schedule is only recorded; \"help\" lists what can be done", c.name)
	case !recorded && c.recorded:
		return fmt.Errorf("%s is for the goroutines of a test, and this is the run of a system", c.name)
	}
	return nil
}

// node is the name of a node.
func (r *run) node(id int) string { return Position{Goroutines: r.whole != nil}.Name(id) }

// title is the name of a node, and of a goroutine what it executes.
func (r *run) title(id int) string {
	if r.whole != nil && id < len(r.whole.Names) {
		return strings.TrimSpace(r.node(id) + " " + r.whole.Names[id])
	}
	return r.node(id)
}

// beginning names step 0.
func (r *run) beginning() string {
	if r.whole != nil {
		return "the test starts"
	}
	return "the first state"
}

// sentence says what step n, t, did.
func (r *run) sentence(n int, t *replay.TraceStep) string {
	if r.whole != nil {
		return r.step(n).String()
	}
	return t.Sentence()
}

// touched returns the nodes whose states step n may have changed.
func (r *run) touched(n int) []sim.NodeID {
	if r.whole == nil {
		return r.step(n).nodes()
	}
	var nodes []sim.NodeID
	for _, c := range r.recordedStep(n).Changes {
		nodes = append(nodes, sim.NodeID(c.Node))
	}
	return slices.Compact(nodes)
}

func (r *run) recordedStep(n int) *replay.TraceStep {
	if n == 0 {
		return &r.whole.Boot
	}
	return &r.whole.Steps[n-1]
}

// goroutineState is what a goroutine is like from a step on. Its fields are those of goroutinePaths.
type goroutineState struct {
	step   int
	fields [len(goroutinePaths)]string
	since  [len(goroutinePaths)]int // the steps of their last changes
}

var goroutinePaths = [...]string{GoroutineAt, GoroutineOperation, GoroutineStatus, GoroutineHolder}

// Indexes of goroutinePaths.
const (
	fieldAt = iota
	fieldOperation
	fieldStatus
	fieldHolder
)

// follow adds the states after step n.
func (r *run) follow(n int) {
	for _, c := range r.recordedStep(n).Changes {
		path := slices.Index(goroutinePaths[:], c.Path)
		if path < 0 {
			continue
		}
		states := r.states[c.Node]
		if len(states) == 0 || states[len(states)-1].step != n {
			now := goroutineState{}
			if len(states) > 0 {
				now = states[len(states)-1]
			}
			now.step = n
			states = append(states, now)
		}
		now := &states[len(states)-1]
		now.fields[path], now.since[path] = c.New, n
		r.states[c.Node] = states
	}
}

// goroutine returns the state of a goroutine after step n; the zero value is that of one that was not yet started.
func (r *run) goroutine(n, node int) goroutineState {
	states := r.states[node]
	i, ok := slices.BinarySearchFunc(states, n, func(s goroutineState, n int) int { return s.step - n })
	if !ok {
		i--
	}
	if i < 0 {
		return goroutineState{}
	}
	return states[i]
}

// waits reports whether the goroutine waits.
func (g *goroutineState) waits() bool {
	status := g.fields[fieldStatus]
	return status != "" && status != "runs" && status != "ended" && !g.canRun()
}

// canRun reports whether the goroutine neither runs nor waits.
func (g *goroutineState) canRun() bool { return strings.HasPrefix(g.fields[fieldStatus], CanRun) }

// recordedFields returns the fields of a goroutine after step n.
func (r *run) recordedFields(n, node int) (fields []sim.Field) {
	for i, value := range r.goroutine(n, node).fields {
		if value != "" {
			fields = append(fields, sim.Field{Path: goroutinePaths[i], Value: value})
		}
	}
	return fields
}

// told reports whether a change is left out beside the text of step t: the operation and the place of its goroutine, and what one that has
// ended does not have.
func told(c *replay.NodeChange, t *replay.TraceStep) bool {
	at, _, _ := strings.Cut(c.New, " in ")
	return c.Path == GoroutineOperation || c.Path == GoroutineAt && (c.New == "" || c.Node == t.Node && at == t.Source)
}

// recordedCommon is common for recorded runs.
func recordedCommon(a, b *run) int {
	n := 0
	for n < min(a.len(), b.len()) && a.steps[n].key == b.steps[n].key {
		n++
	}
	return n
}

// recordedBecause is because for a recorded run.
func (r *run) recordedBecause(n int) string {
	t := r.recordedStep(n)
	switch {
	case len(t.MsgIDs) == 0 && r.step(n).cause == 0:
		return "is the first step of the goroutine, after"
	case len(t.MsgIDs) == 0:
		return "the goroutine had gone on since"
	}
	m := r.whole.Message(t.MsgIDs[0])
	for i := range n - 1 {
		if r.steps[i].ev.Node == t.Event.Node {
			return "the goroutine waited, and was woken in"
		}
	}
	return fmt.Sprintf("the goroutine was started by %s in", r.node(m.From))
}

// recordedGraph returns the event graph that "macemc graph" draws.
func (r *run) recordedGraph() *eventgraph.Graph {
	if r.drawn == nil {
		t := *r.whole
		t.Boot.Changes = nil
		t.Steps = slices.Clone(t.Steps)
		for i := range t.Steps {
			s := &t.Steps[i]
			all := s.Changes
			s.Changes = nil
			for _, c := range all {
				if c.Node == s.Node && c.Path == GoroutineAt {
					c.Path, c.Part = "(at)", replay.Part{Kind: replay.Position}
					s.Changes = []replay.NodeChange{c}
				}
			}
		}
		r.drawn = eventgraph.Build(&t)
		r.drawn.Critical = r.critical
	}
	return r.drawn
}

// active returns the goroutines of steps from..to, and those that the arrows to these steps come from. A test has many that only wait.
func (r *run) active(from, to int) []int {
	in := map[int]bool{}
	for n := from; n <= to; n++ {
		t := r.recordedStep(n)
		in[t.Node] = true
		for _, id := range t.MsgIDs {
			in[r.whole.Message(id).From] = true
		}
	}
	return slices.Sorted(maps.Keys(in))
}

func showWaits(s *Session, _ context.Context, _ []string, out *bytes.Buffer) error {
	r := s.run
	fmt.Fprintf(out, "after step %d\n", r.at)
	holders, some := map[string]string{}, false
	for id := range r.nodes {
		g := r.goroutine(r.at, id)
		if !g.waits() {
			continue
		}
		some = true
		fmt.Fprintf(out, "  %s %s", r.node(id), g.fields[fieldStatus])
		if _, object, ok := strings.Cut(g.fields[fieldOperation], "#"); ok && g.fields[fieldStatus] != Sleeps {
			fmt.Fprintf(out, " #%s", object)
		}
		fmt.Fprintf(out, " at %s, since step %d", g.fields[fieldAt], g.since[fieldStatus])
		if holder := g.fields[fieldHolder]; holder != "" {
			holders[r.node(id)] = holder
			fmt.Fprintf(out, ", held by %s", holder)
		}
		fmt.Fprintln(out)
	}
	if !some {
		fmt.Fprintln(out, "  no goroutine waits")
	}
	for id := range r.nodes {
		if cycle := circle(holders, r.node(id)); cycle != nil {
			fmt.Fprintf(out, "  %s wait for one another\n", strings.Join(append(cycle, cycle[0]), " -> "))
			break
		}
	}
	return nil
}

// circle returns the goroutines that wait for one another, from one of them on; nil means that it is not in a circle.
func circle(holders map[string]string, from string) []string {
	names := []string{from}
	for at := holders[from]; at != "" && len(names) <= len(holders); at = holders[at] {
		if at == from {
			return names
		}
		names = append(names, at)
	}
	return nil
}

// recordedInfo writes what there is to say of a recorded test.
func (s *Session) recordedInfo(line func(name, text string)) {
	main := s.runs[0]
	line("test", fmt.Sprintf("%s, %d goroutines", main.whole.System, main.whole.Nodes))
	line("schedule", fmt.Sprintf("%s, %d steps", main.file, main.len()))
	if main.critical > 0 {
		line("critical", fmt.Sprintf("step %d, as recorded", main.critical))
	} else {
		line("critical", "not known")
	}
	if len(s.runs) > 1 {
		line("passing", fmt.Sprintf("the nearest run that passes has %d steps, %d of them shared", s.runs[1].len(), s.runs[1].common))
	} else {
		line("passing", "none: "+s.cfg.LiveName)
	}
	if main.finding != nil {
		line("found", violation(main.finding))
	}
}
