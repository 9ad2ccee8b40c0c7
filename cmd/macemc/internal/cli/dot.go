package cli

import (
	"github.com/emicklei/dot"

	"github.com/macemc/macemc/eventgraph"
)

// dotText is a diagram in the language of Graphviz.
func dotText(d eventgraph.Diagram) string {
	g := dot.NewGraph(dot.Directed)
	g.Attr("rankdir", "TB")
	g.Attr("newrank", "true")
	var columns []*dot.Graph
	for _, title := range d.Columns {
		c := g.Subgraph(title, dot.ClusterOption{})
		c.Attr("style", "dashed")
		columns = append(columns, c)
	}
	boxes := map[string]dot.Node{}
	for _, b := range d.Boxes {
		in := g
		if b.Column >= 0 {
			in = columns[b.Column]
		}
		n := in.Node(b.Name).Attr("label", b.Label).Attr("shape", "box")
		switch {
		case b.Critical:
			n.Attr("color", "red").Attr("penwidth", "3")
		case b.Fault:
			n.Attr("color", "red")
		}
		if b.Round {
			n.Attr("style", "filled").Attr("fillcolor", "mistyrose")
		}
		boxes[b.Name] = n
	}
	for _, a := range d.Arrows {
		from, to := boxes[a.From], boxes[a.To]
		switch a.Kind {
		case eventgraph.MessageArrow:
			g.Edge(from, to, a.Label).Attr("color", "blue")
		case eventgraph.NextArrow:
			g.Edge(from, to).Attr("weight", "10")
		case eventgraph.CauseArrow:
			g.Edge(from, to).Attr("style", "dashed")
		case eventgraph.RoundArrow:
			g.Edge(from, to, a.Label).Attr("color", "red").Attr("constraint", "false")
		}
	}
	return g.String()
}
