package mdb

import (
	"bytes"
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/history"
	"github.com/macemc/macemc/mdb/internal/variables"
)

// Position is the position of a session.
type Position struct {
	System     string
	Run        string // name of the run
	Step       int    // the current step; 0 means the first state
	Last       int    // the last step
	Critical   int    // critical step; 0 means unknown
	Goroutines bool   // the run is that of a test; its nodes are goroutines, the first one is g1
	Live       bool
	Node       int    // selected node; -1 means none
	Finding    string // finding of the step, or of the first state that violates a property, if this is it; otherwise empty
}

// Position returns the position of the session.
func (s *Session) Position() Position {
	r := s.run
	p := Position{
		System: s.sys.Name, Run: r.Name, Step: r.At, Last: r.Len(), Critical: r.Critical,
		Live: r.Step(r.At).Live, Node: s.node, Goroutines: s.kind == ofTest,
	}
	if f := r.Found(r.At); f != nil {
		p.Finding = history.Violation(f)
	}
	return p
}

// Name returns the name of a node: n2, or g3.
func (p Position) Name(node int) string {
	return history.NodeName(p.Goroutines, node)
}

// StepLine is one step in a list.
type StepLine struct {
	Step     int
	Node     int // -1 means the network
	Text     string
	Live     bool // whether the state after the step is live
	Critical bool
	Round    bool // part of a cycle that repeats forever
	Fault    bool
	Finding  string // see [Position]
	// File and Line are the position of the code that handled the step. File is the name that the compiler recorded.
	// Line is 0 without code, or if [Wanted] has no Places.
	File string
	Line int
}

// Steps lists those of the steps from..to that the current run has. Step 0 is the first state.
func (s *Session) Steps(from, to int) []StepLine {
	r := s.run
	var lines []StepLine
	for n := max(0, from); n <= min(to, r.Len()); n++ {
		info := r.Step(n)
		l := StepLine{Step: n, Node: int(info.Ev.Node), Text: info.String(), Live: info.Live, Critical: n > 0 && n == r.Critical,
			Round: r.InRound(n), Fault: info.Ev.Kind.Injection()}
		if f := r.Found(n); f != nil {
			l.Finding = history.Violation(f)
		}
		lines = append(lines, l)
	}
	return lines
}

// places adds the source positions of steps.
func (s *Session) places(lines []StepLine) error {
	for i := range lines {
		l := &lines[i]
		if l.Step == 0 {
			continue
		}
		t, err := s.run.Trace(l.Step)
		if err != nil {
			return err
		}
		l.File, l.Line = t.Place()
	}
	return nil
}

// StateLine is one field of a node's state or, if Path is empty, the heading of a node.
type StateLine struct {
	Node    int
	Path    string
	Value   string
	Changed bool   // by the last step
	Old     string // old value, if changed
	Program bool   // of a heading: the node runs a program with goroutines
	Ended   bool   // of a heading: the goroutine has ended
}

// nodesInOrder returns the nodes in the order of display: the goroutines of a test begin with those of its finding.
func nodesInOrder(s *Session) []int {
	if s.run.Finding == nil {
		return s.runs[0].Order()
	}
	return s.run.Order()
}

// States returns the states of the selected node, or of all nodes, and marks the changes of the last step.
func (s *Session) States() ([]StateLine, error) {
	r := s.run
	var lines []StateLine
	for _, id := range nodesInOrder(s) {
		if s.node >= 0 && id != s.node {
			continue
		}
		fields, old, err := r.State(r.At, id)
		if err != nil {
			return nil, err
		}
		if len(fields) == 0 && r.OmitsEmpty {
			continue
		}
		lines = append(lines, StateLine{Node: id, Changed: len(old) > 0, Program: r.RunsProgram(id), Ended: r.Ended(r.At, id)})
		for _, f := range fields {
			was, changed := old[f.Path]
			lines = append(lines, StateLine{Node: id, Path: f.Path, Value: f.Value, Changed: changed, Old: was})
		}
	}
	return lines, nil
}

// mostNotes is the maximum number of additional lines for the notes beside a step in lanes. The states show the changes, too.
const mostNotes = 2

// LaneLine is a line of the event graph.
type LaneLine struct {
	Step int // 0 means a heading
	Text string
}

// Lanes draws the event graph of steps from..to in lines of at most width columns.
func (s *Session) Lanes(from, to, width int) ([]LaneLine, error) {
	from, to = max(1, from), min(to, s.run.Len())
	if to < from {
		return nil, nil
	}
	g, o, err := s.run.Graph(max(1, from-lanesMargin), from, to, lanesMargin)
	if err != nil {
		return nil, err
	}
	o.Width, o.Fold, o.Expand, o.NoSource = width, -1, true, width < 100
	lastLane := s.sys.Nodes - 1
	if len(o.Nodes) > 0 {
		lastLane = o.Nodes[len(o.Nodes)-1]
	}
	rows := g.Lines(o)
	heading := rows[0].Text
	last := len(heading)
	if at := strings.LastIndex(heading, s.run.Node(lastLane)); at >= 0 {
		last = len([]rune(heading[:at])) // notes are to the right of the last lane
	}
	lines := []LaneLine{{0, heading}}
	wrapped := 0
	for _, row := range rows[1:] {
		if blank := len(row.Text) - len(strings.TrimLeft(row.Text, " ")); blank <= last {
			wrapped = 0
		} else if wrapped++; wrapped > mostNotes {
			if l := &lines[len(lines)-1]; wrapped == mostNotes+1 {
				l.Text += " …"
			}
			continue
		}
		lines = append(lines, LaneLine{g.Events[row.From].Step, row.Text})
	}
	return lines, nil
}

// Differences describes how the current state differs from the matching state of the run to compare with. The first line names the two
// states. The error describes why there is nothing to compare with.
func (s *Session) Differences() ([]string, error) {
	var b bytes.Buffer
	if err := showDiff(s, nil, nil, &b); err != nil {
		return nil, err
	}
	return strings.Split(strings.TrimRight(b.String(), "\n"), "\n"), nil
}

// Go moves to a step of the current run, or to the nearest one that exists.
func (s *Session) Go(step int) {
	s.run.At = min(max(0, step), s.run.Len())
	s.listed, s.scope = listing{}, variables.Scope{}
}

// Neighbour returns the nearest step of a node in a direction, 1 or -1, starting at the current step. It returns false if there is none.
// Node -1 means any node.
func (s *Session) Neighbour(direction, node int) (int, bool) {
	return s.neighbour(s.run.At, direction, node)
}

// Select selects a node; -1 means none.
func (s *Session) Select(node int) {
	if node < s.sys.Nodes {
		s.node = max(-1, node)
	}
}

// Complete returns the completions of the last word of a line, sorted, and the offset of that word.
func (s *Session) Complete(line string) (words []string, begin int) {
	begin = strings.LastIndexAny(line, " ;") + 1
	word := line[begin:]
	command := line[strings.LastIndexByte(line, ';')+1:]
	fields := strings.Fields(command)
	var all []string
	if len(fields) == 0 || len(fields) == 1 && word != "" {
		all = s.names()
	} else if c, err := s.command(fields[0]); err == nil && c.words != nil {
		all = c.words(s)
	}
	for _, w := range all {
		if strings.HasPrefix(w, word) && !slices.Contains(words, w) {
			words = append(words, w)
		}
	}
	slices.Sort(words)
	return words, begin
}

// Summary describes the current step in one line.
func (s *Session) Summary() string {
	r := s.run
	if r.At == 0 {
		return r.Step(0).String()
	}
	t, err := r.Trace(r.At)
	if err != nil {
		return err.Error()
	}
	var parts []string
	for _, c := range r.Changes(t) {
		if short := c.Short(); short != "" {
			parts = append(parts, r.Node(c.Node)+"."+short)
		}
	}
	text := r.Sentence(t)
	if r.At == r.Critical && r.Why != "" {
		text = "CRITICAL, " + r.Why + ": " + text
	}
	if t.Source != "" {
		text += " [" + t.Source + "]"
	}
	if len(parts) > 0 {
		text += ": " + strings.Join(parts, ", ")
	}
	return text
}
