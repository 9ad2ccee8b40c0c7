package eventgraph

import (
	"fmt"
	"io"
	"strings"

	"github.com/emicklei/dot"
)

// Dot writes the steps shown and what they follow directly, for Graphviz: a column per node, an edge
// per message with its text, one from each step to the next on its node. Steps that are folded or left
// out are not drawn; what follows from them then has no edge.
func (g *Graph) Dot(w io.Writer, o Options) error {
	d := dot.NewGraph(dot.Directed)
	d.Attr("rankdir", "TB")
	d.Attr("newrank", "true")
	columns := map[int]*dot.Graph{}
	for _, n := range g.shown(o) {
		c := d.Subgraph(n.title(), dot.ClusterOption{})
		c.Attr("style", "dashed")
		columns[n.ID] = c
	}
	drawn := map[int]dot.Node{}
	last := map[int]int{} // per lane
	for _, s := range g.stretches(o) {
		if s.folded() {
			continue
		}
		e := &g.Events[s.from()]
		in := d
		if c := columns[e.Node]; c != nil && e.onNode() {
			in = c
		}
		label := fmt.Sprintf("%d first boots", e.Step)
		if e.Step > 0 {
			label = strings.Join(append([]string{fmt.Sprintf("%d %s", e.Step, e.label())}, e.digest(4)...), "\n")
		}
		n := in.Node(fmt.Sprintf("s%d", e.Step)).Attr("label", label).Attr("shape", "box")
		switch {
		case e.Step > 0 && e.Step == g.Critical:
			n.Attr("color", "red").Attr("penwidth", "3")
		case e.class() == Faults:
			n.Attr("color", "red")
		}
		drawn[e.Step] = n
		g.dotEdges(d, e, drawn, last)
		if e.onNode() {
			last[e.Node] = e.Step
		}
	}
	_, err := io.WriteString(w, d.String())
	return err
}

func (g *Graph) dotEdges(d *dot.Graph, e *Event, drawn map[int]dot.Node, last map[int]int) {
	done := map[int]bool{}
	for _, i := range e.Consumed {
		m := &g.Messages[i]
		if from, ok := drawn[m.Sent]; ok && m.Sent != e.Step {
			d.Edge(from, drawn[e.Step], shortly(m.Text)).Attr("color", "blue")
			done[m.Sent] = true
		}
	}
	if before, ok := last[e.Node]; ok && e.onNode() && !done[before] {
		d.Edge(drawn[before], drawn[e.Step]).Attr("weight", "10")
		done[before] = true
	}
	for _, c := range e.Causes {
		if from, ok := drawn[c]; ok && !done[c] {
			d.Edge(from, drawn[e.Step]).Attr("style", "dashed")
		}
	}
}
