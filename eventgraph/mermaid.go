package eventgraph

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/replay"
)

// Mermaid writes the graph as a Mermaid sequence diagram, with each message at its delivery or end. It ignores
// Width, NoHeader and NoSource of the options.
func (g *Graph) Mermaid(w io.Writer, o Options) error {
	b := bufio.NewWriter(w)
	b.WriteString("sequenceDiagram\n")
	shown := g.shown(o)
	for _, n := range shown {
		fmt.Fprintf(b, "    participant n%d as %s\n", n.ID, mermaidText(g.heading(n)))
	}
	if len(shown) == 0 {
		return b.Flush()
	}
	all := fmt.Sprintf("n%d", shown[0].ID)
	if last := shown[len(shown)-1]; len(shown) > 1 {
		all += fmt.Sprintf(",n%d", last.ID)
	}
	inRound := false
	m := mermaid{b, g, &o, all}
	for _, s := range g.marked(o, g.segments(o)) {
		if s.folded() {
			over := all
			if s.ticks != nil && o.lane(s.ticks.Node) >= 0 {
				over = fmt.Sprintf("n%d", s.ticks.Node)
			}
			m.note(over, g.summary(&s, 100))
			continue
		}
		e := &g.Events[s.from()]
		if g.inRound(e.Step) && !inRound {
			inRound = true
			b.WriteString("    loop forever\n")
		}
		critical := e.Step > 0 && e.Step == g.Critical
		if critical {
			b.WriteString("    rect rgba(220, 60, 60, 0.2)\n")
			m.note(all, "CRITICAL")
		}
		m.event(e)
		if critical {
			b.WriteString("    end\n")
		}
	}
	if inRound {
		b.WriteString("    end\n")
	}
	return b.Flush()
}

// mermaid writes one event after the other.
type mermaid struct {
	b   *bufio.Writer
	g   *Graph
	o   *Options
	all string // all participants
}

func (m *mermaid) note(over, text string) {
	fmt.Fprintf(m.b, "    Note over %s: %s\n", over, mermaidText(text))
}

// arrow writes a message, or a note about it if one of its ends has no lane.
func (m *mermaid) arrow(from, to int, shape, text string) {
	switch {
	case m.o.lane(from) >= 0 && m.o.lane(to) >= 0:
		fmt.Fprintf(m.b, "    n%d%sn%d: %s\n", from, shape, to, mermaidText(text))
	case m.o.lane(to) >= 0:
		m.note(fmt.Sprintf("n%d", to), text+", from "+m.g.lane(from))
	case m.o.lane(from) >= 0:
		m.note(fmt.Sprintf("n%d", from), text+", to "+m.g.lane(to))
	}
}

// struck writes the message that a fault has struck.
func (m *mermaid) struck(e *Event) {
	shape := "--)"
	if e.kind.Consumed() > 0 {
		shape = "--x"
	}
	m.arrow(e.Peer, e.Node, shape, fmt.Sprintf("%d %s %s", e.Step, e.What, e.struck()))
}

func (m *mermaid) event(e *Event) {
	changes := strings.Join(slices.Concat(e.digest(4), announcements(m.g, e)), ", ")
	if turn := e.turn; turn != "" {
		changes = strings.TrimSuffix(turn+", "+changes, ", ")
	}
	own := m.all
	if m.o.lane(e.Node) >= 0 && e.onNode() {
		own = fmt.Sprintf("n%d", e.Node)
	}
	switch {
	case e.Step == 0:
	case e.kind == eventkind.Deliver && e.Peer >= 0:
		m.arrow(e.Peer, e.Node, "->>", fmt.Sprintf("%d %s", e.Step, e.What))
		if changes != "" {
			m.note(own, changes)
		}
	case e.kind == eventkind.TakeQuorum:
		for _, i := range e.Consumed {
			v := &m.g.Messages[i]
			m.arrow(v.From, v.To, "->>", fmt.Sprintf("%d %s", e.Step, v.Text))
		}
		m.note(own, strings.TrimSuffix(e.What+": "+changes, ": "))
	case e.struck() != "" && e.Peer >= 0:
		m.struck(e)
	case e.onLink():
		shape := "--x"
		if e.kind == eventkind.Heal {
			shape = "-->>"
		}
		m.arrow(e.Node, e.Peer, shape, fmt.Sprintf("%d %s", e.Step, e.linkText()))
	default:
		text := fmt.Sprintf("%d %s", e.Step, e.label())
		if e.kind == eventkind.Boot && !e.Crashed {
			changes = strings.Join(append(e.Aftermath, changes), ", ")
			changes = strings.TrimSuffix(changes, ", ")
		}
		if race := e.raceText(); race != "" {
			text += ": " + race
		}
		if changes != "" {
			text += ": " + changes
		}
		m.note(own, text)
	}
	if e.Crashed {
		m.note(own, e.failureWord()+replay.AlsoFell(e.With)+"; "+strings.Join(e.Aftermath, "; "))
	}
	for _, i := range e.Sent {
		if v := &m.g.Messages[i]; len(v.Deliveries) == 0 && v.End == 0 {
			m.arrow(v.From, v.To, "--)", v.Text+" (in flight)")
		}
	}
	for _, i := range e.Gone {
		v := &m.g.Messages[i]
		m.arrow(v.From, v.To, "--x", v.Text+" "+v.Fate)
	}
	if e.Error != "" {
		m.note(m.all, e.errorLine())
	}
}

// mermaidEscapes replaces characters with a meaning in Mermaid by entity codes.
var mermaidEscapes = strings.NewReplacer("#", "#35;", ";", "#59;", "<", "#lt;", "\n", " ", "\r", " ")

func mermaidText(s string) string { return mermaidEscapes.Replace(s) }
