package eventgraph

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/macemc/macemc/sim"
)

// Mermaid writes the graph as a Mermaid sequence diagram, each message where it is delivered or ends.
// Width, NoHeader and NoSource of the options do not matter.
func (g *Graph) Mermaid(w io.Writer, o Options) error {
	b := bufio.NewWriter(w)
	b.WriteString("sequenceDiagram\n")
	for _, n := range g.Nodes {
		fmt.Fprintf(b, "    participant n%d as %s\n", n.ID, mermaidText(strings.TrimSpace(fmt.Sprintf("n%d %s", n.ID, n.Name))))
	}
	all := "n0"
	if n := len(g.Nodes); n > 1 {
		all = fmt.Sprintf("n0,n%d", n-1)
	}
	note := func(over, text string) { fmt.Fprintf(b, "    Note over %s: %s\n", over, mermaidText(text)) }
	for _, s := range g.stretches(o) {
		if s.gap {
			note(all, "...")
		}
		if s.folded() {
			note(all, g.tally(s.steps, 100))
			continue
		}
		e := &g.Events[s.from()]
		critical := e.Step > 0 && e.Step == g.Critical
		if critical {
			b.WriteString("    rect rgba(220, 60, 60, 0.2)\n")
			note(all, "CRITICAL")
		}
		g.mermaidEvent(b, e, o, note)
		if critical {
			b.WriteString("    end\n")
		}
	}
	return b.Flush()
}

func (g *Graph) mermaidEvent(b *bufio.Writer, e *Event, o Options, note func(over, text string)) {
	changes := strings.Join(e.digest(4), ", ")
	own := fmt.Sprintf("n%d", e.Node)
	arrow := func(from, to int, shape, text string) {
		fmt.Fprintf(b, "    n%d%sn%d: %s\n", from, shape, to, mermaidText(text))
	}
	switch {
	case e.Step == 0:
	case e.kind == sim.Deliver && e.Peer >= 0:
		arrow(e.Peer, e.Node, "->>", fmt.Sprintf("%d %s", e.Step, e.What))
		if changes != "" {
			note(own, changes)
		}
	case e.kind == sim.Lose && e.Peer >= 0:
		arrow(e.Peer, e.Node, "--x", fmt.Sprintf("%d %s lost", e.Step, e.What))
	case e.kind == sim.Duplicate && e.Peer >= 0:
		arrow(e.Peer, e.Node, "--)", fmt.Sprintf("%d %s duplicated", e.Step, e.What))
	case e.onLink():
		shape := "--x"
		if e.kind == sim.Heal {
			shape = "-->>"
		}
		arrow(e.Node, e.Peer, shape, fmt.Sprintf("%d %s", e.Step, e.linkText()))
	default:
		over := own
		if e.Node < 0 {
			over = "n0"
		}
		text := fmt.Sprintf("%d %s", e.Step, e.label())
		if changes != "" {
			text += ": " + changes
		}
		note(over, text)
	}
	if e.Crashed {
		note(own, fmt.Sprintf("CRASH after %d of %d effects", e.Applied, e.Effects))
	}
	for _, i := range e.Sent {
		m := &g.Messages[i]
		if len(m.Deliveries) == 0 && m.End == 0 {
			arrow(m.From, m.To, "--)", m.Text+" (in flight)")
		}
	}
	for _, i := range e.Gone {
		m := &g.Messages[i]
		arrow(m.From, m.To, "--x", m.Text+" "+m.Fate)
	}
	if e.Error != "" {
		note("n0", firstLine(e.Error))
	}
}

// mermaidText replaces what has a meaning for Mermaid, by its entity codes.
var mermaidEscapes = strings.NewReplacer("#", "#35;", ";", "#59;", "<", "#lt;", "\n", " ", "\r", " ")

func mermaidText(s string) string { return mermaidEscapes.Replace(s) }
