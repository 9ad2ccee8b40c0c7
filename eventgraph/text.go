package eventgraph

import (
	"bufio"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/replay"
)

// Line is one line of the lane view.
type Line struct {
	// From and To are the steps of the line, several if they are folded. They are -1 in the header, and for omitted
	// steps.
	From, To int
	Text     string
}

// Text writes the lane view: a column per node, time downward, an arrow for each delivery, and beside them the
// changes and the places in the code. With three or more lanes, each has a bar while its node is up. Labels that do
// not fit between their lanes move to the notes on the right.
func (g *Graph) Text(w io.Writer, o Options) error {
	b := bufio.NewWriter(w)
	lines := g.Lines(o)
	for i, l := range lines {
		b.WriteString(l.Text)
		b.WriteByte('\n')
		if i > 0 || o.NoHeader {
			continue
		}
		for _, n := range g.shown(o) {
			if n.Origin != "" {
				fmt.Fprintf(b, "      %s: %s\n", g.lane(n.ID), n.Origin)
			}
		}
	}
	for _, line := range g.rest(lines) {
		fmt.Fprintf(b, "      %s\n", line)
	}
	return b.Flush()
}

// rest returns the part of a finding that the lane view of a test's run lacks, such as the blocked goroutines, whose last steps may not
// be shown.
func (g *Graph) rest(lines []Line) (rest []string) {
	if !g.Goroutines || g.found == 0 {
		return nil
	}
	e := &g.Events[g.found]
	finding := strings.Split(strings.TrimSpace(e.Error), "\n")
	if !slices.ContainsFunc(lines, func(l Line) bool { return l.From <= g.found && g.found <= l.To }) {
		rest = append(rest, fmt.Sprintf("!! %s, in step %d", finding[0], e.Step))
	} else if e.errorLine() != finding[0] {
		return nil // it has all lines
	}
	for _, line := range finding[1:] {
		rest = append(rest, "   "+line)
	}
	return rest
}

// Lines returns the lane view as lines, see [Graph.Text]. Each step has at least one. If it
// expands folds, it takes time linear in the number of shown steps, and little for the others.
func (g *Graph) Lines(o Options) []Line {
	segments := g.segments(o)
	last := 0
	for _, s := range segments {
		last = s.to()
	}
	l := newLanes(g, o, g.Events[last].Step)
	next := 0
	advance := func(to int) {
		at, _ := slices.BinarySearch(g.upDown, next)
		for ; at < len(g.upDown) && g.upDown[at] <= to; at++ {
			l.follow(&g.Events[g.upDown[at]])
		}
		next = max(next, to+1)
	}
	lead := strings.Repeat(" ", l.left-2) + "... "
	room := l.width - len(lead)
	for i, s := range segments {
		l.from, l.to = -1, -1
		if s.gap || o.Steps != nil && !o.NoHeader && next == 0 && s.from() > 1 {
			l.whole(lead + g.skipped(max(next, 1), s.from()-1, room))
		}
		l.from, l.to = s.from(), s.to()
		if s.folded() {
			l.whole(lead + g.summary(&s, room))
			advance(s.to())
			continue
		}
		advance(s.from() - 1)
		l.adjacent = i+1 < len(segments) && !segments[i+1].folded() && segments[i+1].from() == s.from()+1
		l.event(&g.Events[s.from()])
		advance(s.to())
	}
	if o.Steps != nil && 0 < next && next <= g.Last() {
		l.from, l.to = -1, -1
		l.whole(lead + g.skipped(next, g.Last(), room))
	}
	return l.lines()
}

// lanes lays out the text.
type lanes struct {
	g      *Graph
	o      Options
	width  int
	digits int
	x      []int // by node: column of its lane, or -1
	left   int   // column of the first lane
	bars   bool
	notes  int    // first column of the notes
	up     []bool // nodes that are up at the current step
	rows   []row

	from, to int  // steps of the rows being added
	adjacent bool // the line after the current step is that of the next one
}

func (l *lanes) add(r row) {
	r.from, r.to = l.from, l.to
	l.rows = append(l.rows, r)
}

// whole adds a line without notes.
func (l *lanes) whole(text string) { l.add(row{lane: text, plain: true}) }

// row is one line of output, before notes are wrapped.
type row struct {
	lane   string
	notes  string
	source string
	plain  bool // lane is the whole line

	from, to int
}

func newLanes(g *Graph, o Options, last int) *lanes {
	shown := g.shown(o)
	l := &lanes{g: g, o: o, width: o.Width, digits: max(2, len(fmt.Sprint(last))), bars: len(shown) > 2}
	if l.width <= 0 {
		l.width = 100
	}
	const (
		noteWidth         = 36 // wanted
		narrowest, widest = 8, 29
		gutter            = 4 // mark before and space after the number
	)
	l.left = gutter + l.digits
	pitch := widest
	if n := len(shown); n > 1 {
		pitch = min(widest, max(narrowest, (l.width-l.left-noteWidth)/(n-1)))
	}
	for i := range g.Nodes {
		at := -1
		if k := o.lane(i); k >= 0 {
			at = l.left + k*pitch
			l.notes = max(l.notes, at+1)
		}
		l.x = append(l.x, at)
		l.up = append(l.up, !g.Nodes[i].Late)
	}
	if l.bars {
		l.notes++
	}
	if len(shown) == 1 {
		l.notes += pitch
	}
	return l
}

// follow tracks which nodes are up.
func (l *lanes) follow(e *Event) {
	if e.Step == 0 || e.Node < 0 {
		return
	}
	switch {
	case e.takesDown():
		l.up[e.Node] = false
		for _, mate := range e.With {
			l.up[mate] = false
		}
	case e.kind == eventkind.Boot:
		l.up[e.Node] = true
	}
}

// event adds the lines of one step.
func (l *lanes) event(e *Event) {
	c := l.numbered(e)
	var notes []string
	source := ""
	if e.Source != "" {
		source = path.Base(e.Source)
	}
	handler := false
	between := e.Node >= 0 && e.Peer >= 0 && e.Peer != e.Node && l.x[e.Node] >= 0 && l.x[e.Peer] >= 0
	switch {
	case e.Step == 0:
		c.put(l.left, l.g.first())
	case e.kind == eventkind.Deliver && between:
		if !l.arrow(&c, e.Peer, e.Node, "-", e.What) {
			notes = append(notes, e.What)
		}
		handler = true
	case e.kind == eventkind.TakeQuorum && l.x[e.Node] >= 0:
		var note string
		if c, note = l.arrows(c, e); note != "" {
			notes = append(notes, note)
		}
		notes = append(notes, e.What)
	case e.struck() != "" && between:
		notes = l.struck(&c, e)
	case e.onLink() && between:
		l.arrow(&c, e.Node, e.Peer, "~", "")
		left, right := l.reach(e.Node, e.Peer)
		c.put(left, "~")
		c.put(right, "~")
		if e.kind != eventkind.Heal {
			c.put((left+right)/2, "x")
		}
		notes = append(notes, e.linkText())
	case e.kind.TakesDown():
		notes = append(notes, l.fallen(&c, e)...)
	case e.Node >= 0 && l.x[e.Node] >= 0:
		l.at(&c, e.Node, e.shortLabel())
		if e.shortLabel() != e.label() {
			notes = append(notes, e.What)
		}
		handler = e.kind == eventkind.FireTimer || e.kind == eventkind.Deliver
	case e.Node >= 0:
		notes = append(notes, l.g.lane(e.Node)+" "+e.label())
	default:
		c.put(l.left, e.label())
	}
	notes = append(notes, l.changes(e, handler)...)
	l.add(row{lane: c.String(), notes: strings.Join(notes, "; "), source: source})
	l.follow(e)
	l.ends(e)
}

// struck draws the message that a fault has struck. It returns notes for what does not fit.
func (l *lanes) struck(c *canvas, e *Event) (notes []string) {
	var fits bool
	if e.kind.Consumed() > 0 {
		fits = l.stub(c, e.Peer, e.Node, e.What, e.struck())
	} else {
		fits, notes = l.arrow(c, e.Peer, e.Node, "=", e.What), []string{e.struck()}
	}
	if !fits {
		notes = append([]string{e.What}, notes...)
	}
	return notes
}

// arrows adds a line for each message of a set except the last, for which it returns the line. The text of a
// message that does not fit becomes a note.
func (l *lanes) arrows(c canvas, e *Event) (last canvas, note string) {
	for k, i := range e.Consumed {
		if k > 0 {
			l.add(row{lane: c.String(), notes: note})
			c, note = l.blank(), ""
		}
		if m := &l.g.Messages[i]; m.From == e.Node || l.x[m.From] < 0 {
			l.at(&c, e.Node, shortly(m.Text)+" from "+l.g.lane(m.From))
		} else if !l.arrow(&c, m.From, m.To, "-", m.Text) {
			note = m.Text
		}
	}
	return c, note
}

// fallen marks the lanes of the nodes that the event took down. It returns notes for nodes without a lane.
func (l *lanes) fallen(c *canvas, e *Event) (notes []string) {
	if l.x[e.Node] >= 0 {
		l.at(c, e.Node, e.failureWord())
	} else {
		notes = append(notes, l.g.lane(e.Node)+" "+e.label())
	}
	for _, mate := range e.With {
		switch {
		case l.x[mate] >= 0:
			l.at(c, mate, e.failureWord())
		case l.x[e.Node] >= 0:
			notes = append(notes, strings.TrimSpace(replay.AlsoFell(e.With)))
		}
	}
	return slices.Compact(notes)
}

// ends adds the lines about messages of this step that do not arrive, and about the end of the step.
func (l *lanes) ends(e *Event) {
	if e.Crashed {
		c := l.blank()
		notes := append(l.fallen(&c, e), e.Aftermath...)
		l.add(row{lane: c.String(), notes: strings.Join(notes, "; ")})
	}
	for _, i := range e.Sent {
		m := &l.g.Messages[i]
		if len(m.Deliveries) > 0 || m.End == e.Step && m.End > 0 {
			continue
		}
		// A message that is lost later is not in flight at the end.
		notes := "(in flight)"
		if m.End > 0 {
			notes = fmt.Sprintf("(%s in step %d)", m.Fate, m.End)
		}
		l.undelivered(m, m.Text, notes)
	}
	for _, i := range e.Gone {
		m := &l.g.Messages[i]
		text := m.Text
		if m.Sent < e.Step {
			text = shortly(text) // the full text was shown at the sending
		}
		l.undelivered(m, text, m.Fate)
	}
	if e.Error != "" {
		l.whole(strings.Repeat(" ", l.left) + "!! " + e.errorLine())
	}
}

func (l *lanes) undelivered(m *Message, text, notes string) {
	c := l.blank()
	whole := true
	from, to := l.x[m.From] >= 0, l.x[m.To] >= 0
	switch {
	case !from && !to:
		return
	case m.From == m.To:
		l.at(&c, m.From, text+" to itself")
	case !to:
		l.at(&c, m.From, fmt.Sprintf("%s to n%d", text, m.To))
	case !from:
		l.at(&c, m.To, fmt.Sprintf("%s from n%d", text, m.From))
	case strings.HasPrefix(notes, "("):
		whole = l.arrow(&c, m.From, m.To, "-", text)
	default:
		whole = l.stub(&c, m.From, m.To, text, "")
	}
	if !whole {
		notes = text + " " + notes
	}
	l.add(row{lane: c.String(), notes: notes})
}
