package mdb

import (
	"bytes"
	"slices"
	"strings"

	"github.com/macemc/macemc/mdb/internal/history"
	"github.com/macemc/macemc/sim"
)

// What follows is for screens: what a session shows, as data.

// Position is where a session stands.
type Position struct {
	System     string
	Run        string // its name
	Step       int    // the step after which we stand; 0: the first state
	Last       int    // the last step
	Critical   int    // 0: not known
	Goroutines bool   // the run is that of a test; its nodes are goroutines, the first one is g1
	Live       bool
	Node       int    // selected; -1: none
	Finding    string // of the step, or of the first state that violates a property; "" elsewhere
}

// Position returns where the session stands.
func (s *Session) Position() Position {
	r := s.run
	p := Position{
		System: s.sys.Name, Run: r.Name, Step: r.At, Last: r.Len(), Critical: r.Critical,
		Live: r.Step(r.At).Live, Node: s.node, Goroutines: r.Whole != nil,
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
	Node     int // -1: the network
	Text     string
	Live     bool // the state after it is
	Critical bool
	Round    bool // it goes on for ever
	Fault    bool
	Finding  string // see [Position]
	// File and Line are where the code that handled the step is, the file as the compiler named it. Line is 0 if there is none, or if
	// [Wanted] has no Places.
	File string
	Line int
}

// Steps lists steps from..to of the current run, as many as there are; 0 is the first state.
func (s *Session) Steps(from, to int) []StepLine {
	r := s.run
	var lines []StepLine
	for n := max(0, from); n <= min(to, r.Len()); n++ {
		info := r.Step(n)
		l := StepLine{Step: n, Node: int(info.Ev.Node), Live: info.Live, Critical: n > 0 && n == r.Critical, Round: r.InRound(n)}
		if n == 0 {
			l.Node, l.Text = -1, r.Beginning()
		} else {
			l.Text, l.Fault = info.String(), info.Ev.Kind.Injection()
		}
		if f := r.Found(n); f != nil {
			l.Finding = history.Violation(f)
		}
		lines = append(lines, l)
	}
	return lines
}

// places adds where the code of steps is.
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

// StateLine is one field of a node's state, or, with an empty Path, the heading of a node.
type StateLine struct {
	Node    int
	Path    string
	Value   string
	Changed bool   // by the last step
	Old     string // when changed
}

// States returns the states of the selected node, or of all, with what the last step changed.
func (s *Session) States() ([]StateLine, error) {
	r := s.run
	var lines []StateLine
	for id := range s.sys.Nodes {
		if s.node >= 0 && id != s.node {
			continue
		}
		fields, err := r.Fields(r.At, sim.NodeID(id))
		if err != nil {
			return nil, err
		}
		if len(fields) == 0 && r.Whole != nil {
			continue // it was not yet started
		}
		old, gone, err := changed(r, r.At, id)
		if err != nil {
			return nil, err
		}
		lines = append(lines, StateLine{Node: id, Changed: len(old) > 0})
		for _, f := range append(fields, gone...) {
			was, changed := old[f.Path]
			lines = append(lines, StateLine{id, f.Path, f.Value, changed, was})
		}
	}
	return lines, nil
}

// mostNotes is into how many more lines the notes beside a step are wrapped in lanes. What changed can be
// seen in the states, too.
const mostNotes = 2

// LaneLine is a line of the event graph.
type LaneLine struct {
	Step int // 0: a heading
	Text string
}

// Lanes draws the event graph of steps from..to in lines that keep to a width.
func (s *Session) Lanes(from, to, width int) ([]LaneLine, error) {
	from, to = max(1, from), min(to, s.run.Len())
	if to < from {
		return nil, nil
	}
	g, o, err := s.run.Graph(max(1, from-lanesMargin), from, to, lanesMargin)
	if err != nil {
		return nil, err
	}
	o.Width, o.Fold, o.NoSource = width, -1, width < 100
	lastLane := s.sys.Nodes - 1
	if len(o.Nodes) > 0 {
		lastLane = o.Nodes[len(o.Nodes)-1]
	}
	rows := g.Lines(o)
	heading := rows[0].Text
	last := len(heading)
	if at := strings.LastIndex(heading, s.run.Node(lastLane)); at >= 0 {
		last = len([]rune(heading[:at])) // notes lie right of the last lane
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

// Differences says how the current state differs from that of the run to compare with, at the matching step; the
// first line says which states these are. The error says why there is nothing to compare with.
func (s *Session) Differences() ([]string, error) {
	var b bytes.Buffer
	if err := showDiff(s, nil, nil, &b); err != nil {
		return nil, err
	}
	return strings.Split(strings.TrimRight(b.String(), "\n"), "\n"), nil
}

// Go goes to a step of the current run, as near as there is one.
func (s *Session) Go(step int) { s.run.At = min(max(0, step), s.run.Len()) }

// Neighbour is the next step of a node in a direction, 1 or -1, from where the session stands; false when
// there is none. Node -1 stands for all.
func (s *Session) Neighbour(direction, node int) (int, bool) {
	return s.neighbour(s.run.At, direction, node)
}

// Select selects a node; -1: none.
func (s *Session) Select(node int) {
	if node < s.sys.Nodes {
		s.node = max(-1, node)
	}
}

// Complete returns what the last word of a line may become, sorted, and where that word begins.
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

// Summary says in one line what the step did after which the session stands.
func (s *Session) Summary() string {
	r := s.run
	if r.At == 0 {
		return r.Beginning()
	}
	t, err := r.Trace(r.At)
	if err != nil {
		return err.Error()
	}
	var parts []string
	for _, c := range t.Changes {
		if r.Whole != nil && history.Told(&c, t) {
			continue
		}
		parts = append(parts, r.Node(c.Node)+"."+c.Short())
	}
	text := r.Sentence(r.At, t)
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
