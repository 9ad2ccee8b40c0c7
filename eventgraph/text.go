package eventgraph

import (
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/macemc/macemc/replay"
	"github.com/macemc/macemc/sim"
)

// Text writes the lane view: a column per node, time downward, arrows where messages are delivered,
// beside them what changed and where in the code. With three or more nodes, a bar runs down each lane
// while its node is up. Labels that do not fit between their lanes move to the notes on the right.
func (g *Graph) Text(w io.Writer, o Options) error {
	stretches := g.stretches(o)
	last := 0
	for _, s := range stretches {
		last = s.to
	}
	l := newLanes(g, o, g.Events[last].Step)
	next := 0
	advance := func(to int) {
		for ; next <= to; next++ {
			l.follow(&g.Events[next])
		}
	}
	for _, s := range stretches {
		if s.gap {
			l.rows = append(l.rows, row{lane: strings.Repeat(" ", l.x[0]-2) + "...", plain: true})
		}
		if s.folded {
			lead := strings.Repeat(" ", l.x[0]-2) + "... "
			l.rows = append(l.rows, row{plain: true, lane: lead + g.tally(s.from, s.to, l.width-len(lead))})
			advance(s.to)
			continue
		}
		advance(s.from - 1)
		l.event(&g.Events[s.from], s.to)
		advance(s.to)
	}
	return l.write(w)
}

// lanes lays out a text.
type lanes struct {
	g      *Graph
	o      Options
	width  int
	digits int
	x      []int // column of each lane
	bars   bool
	notes  int    // first column of the notes
	up     []bool // nodes that are up where the layout has come to
	rows   []row
}

// row is one line of output, before notes are wrapped.
type row struct {
	lane   string
	notes  string
	source string
	plain  bool // lane is the whole line
}

func newLanes(g *Graph, o Options, last int) *lanes {
	l := &lanes{g: g, o: o, width: o.Width, digits: max(2, len(fmt.Sprint(last))), bars: len(g.Nodes) > 2}
	if l.width <= 0 {
		l.width = 100
	}
	const (
		noteWidth         = 36 // wanted
		narrowest, widest = 8, 29
		gutter            = 4 // mark before and space after the number
	)
	first := gutter + l.digits
	pitch := widest
	if n := len(g.Nodes); n > 1 {
		pitch = min(widest, max(narrowest, (l.width-first-noteWidth)/(n-1)))
	}
	for i := range g.Nodes {
		l.x = append(l.x, first+i*pitch)
		l.up = append(l.up, !g.Nodes[i].Late)
	}
	l.notes = l.x[len(l.x)-1] + 1
	if l.bars {
		l.notes++
	}
	if len(g.Nodes) == 1 {
		l.notes += pitch
	}
	return l
}

// follow keeps track of which nodes are up.
func (l *lanes) follow(e *Event) {
	if e.Step == 0 || e.Node < 0 {
		return
	}
	switch {
	case e.kind == sim.Crash || e.Crashed:
		l.up[e.Node] = false
	case e.kind == sim.Boot:
		l.up[e.Node] = true
	}
}

// event adds the lines of one step; last is the last step of its stretch.
func (l *lanes) event(e *Event, last int) {
	c := l.numbered(e)
	var notes []string
	source := ""
	if e.Source != "" {
		source = path.Base(e.Source)
	}
	message := func(fits bool) {
		if !fits {
			notes = append(notes, e.What)
		}
	}
	handler := false
	switch {
	case e.Step == 0:
		c.put(l.x[0], "first boots")
	case e.kind == sim.Deliver && e.Peer == e.Node:
		l.at(&c, e.Node, e.What+" from itself")
		handler = true
	case e.kind == sim.Deliver && e.Peer >= 0:
		message(l.arrow(&c, e.Peer, e.Node, "-", e.What))
		handler = true
	case e.kind == sim.Lose && e.Peer >= 0 && e.Peer != e.Node:
		message(l.stub(&c, e.Peer, e.Node, e.What, "lost"))
	case e.kind == sim.Duplicate && e.Peer >= 0 && e.Peer != e.Node:
		message(l.arrow(&c, e.Peer, e.Node, "=", e.What))
		notes = append(notes, "duplicated")
	case e.onLink():
		l.arrow(&c, e.Node, e.Peer, "~", "")
		left, right := l.reach(e.Node, e.Peer)
		c.put(left, "~")
		c.put(right, "~")
		if e.kind != sim.Heal {
			c.put((left+right)/2, "x")
		}
		notes = append(notes, e.linkText())
	case e.Node >= 0:
		l.at(&c, e.Node, e.label())
		handler = e.kind == sim.FireTimer
	default:
		c.put(l.x[0], e.label())
	}
	notes = append(notes, l.changes(e, handler)...)
	l.rows = append(l.rows, row{lane: c.String(), notes: strings.Join(notes, "; "), source: source})
	l.follow(e)
	l.ends(e)
}

// changes are the notes that every kind of event has.
func (l *lanes) changes(e *Event, handler bool) []string {
	var changes []string
	bookkeeping := false
	for _, c := range e.Changes {
		switch {
		case c.Bookkeeping():
			bookkeeping = true
		case c.Path == "(node)":
		case c.Node != e.Node:
			changes = append(changes, fmt.Sprintf("n%d.%s", c.Node, c.Short()))
		default:
			changes = append(changes, c.Short())
		}
	}
	var notes []string
	switch {
	case e.kind == sim.Boot || e.kind == sim.Crash || e.Crashed:
	case len(changes) > 0:
		notes = append(notes, strings.Join(changes, ", "))
	case handler && !bookkeeping && e.kind == sim.Deliver:
		notes = append(notes, "no change")
	}
	for _, c := range e.Choices {
		if replay.Notable(c) && !e.Crashed {
			notes = append(notes, fmt.Sprintf("%s: %d of %d", c.Label, c.Pick, c.Arity))
		}
	}
	for _, i := range e.Sent {
		// An arrow in the next line needs no announcement.
		if m := &l.g.Messages[i]; len(m.Deliveries) > 0 && m.Deliveries[0] != e.Step+1 {
			notes = append(notes, fmt.Sprintf("sends %s to n%d", shortly(m.Text), m.To))
		}
	}
	if l.o.Notes {
		notes = append(notes, e.Notes...)
	}
	return notes
}

// ends adds the lines about messages of this step that do not arrive, and about how the step ended.
func (l *lanes) ends(e *Event) {
	if e.Crashed {
		c := l.blank()
		l.at(&c, e.Node, "CRASH")
		l.rows = append(l.rows, row{lane: c.String(), notes: fmt.Sprintf("after %d of %d effects", e.Applied, e.Effects)})
	}
	for _, i := range e.Sent {
		m := &l.g.Messages[i]
		if len(m.Deliveries) > 0 || m.End == e.Step && m.End > 0 {
			continue
		}
		l.undelivered(m, m.Text, "(in flight)")
	}
	for _, i := range e.Gone {
		m := &l.g.Messages[i]
		text := m.Text
		if m.Sent < e.Step {
			text = shortly(text) // it was shown in full when it was sent
		}
		l.undelivered(m, text, m.Fate)
	}
	if e.Error != "" {
		l.rows = append(l.rows, row{lane: strings.Repeat(" ", l.x[0]) + "!! " + firstLine(e.Error), plain: true})
	}
}

func (l *lanes) undelivered(m *Message, text, notes string) {
	c := l.blank()
	whole := true
	switch {
	case m.From == m.To:
		l.at(&c, m.From, text+" to itself")
	case notes == "(in flight)":
		whole = l.arrow(&c, m.From, m.To, "-", text)
	default:
		whole = l.stub(&c, m.From, m.To, text, "")
	}
	if !whole {
		notes = text + " " + notes
	}
	l.rows = append(l.rows, row{lane: c.String(), notes: notes})
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}
