package eventgraph

import (
	"io"

	"github.com/macemc/macemc/internal/format"
	"github.com/macemc/macemc/internal/textfmt"
)

// Drawing is a graph with drawing options.
type Drawing struct {
	Graph   *Graph
	Options Options
}

// maxDrawnSteps is the maximum number of steps of an image or a page.
const maxDrawnSteps = 5000

// HTMLFormat is the name of the format of pages.
const HTMLFormat = "html"

// Formats returns the formats that a graph can be written in.
func Formats() format.Table[Drawing] {
	return format.Table[Drawing]{
		{Name: "text", Ext: ".txt", Doc: "for a terminal", Render: drawn((*Graph).Text)},
		{Name: "svg", Ext: ".svg", Doc: "an image", MaxSteps: maxDrawnSteps, Render: drawn((*Graph).SVG)},
		{Name: HTMLFormat, Ext: ".html", Doc: "an interactive page with all states", MaxSteps: maxDrawnSteps, Render: drawn((*Graph).HTML)},
		{Name: "mermaid", Ext: ".mmd", Doc: "a sequence diagram", Render: drawn((*Graph).Mermaid)},
		{Name: "json", Ext: ".json", Doc: "everything", Render: func(w io.Writer, d Drawing) error { return d.Graph.JSON(w) }},
		{Name: "jsonl", Ext: ".jsonl", Doc: "one JSON object per step, for scripts",
			Render: func(w io.Writer, d Drawing) error { return d.Graph.JSONLines(w, d.Options) }},
	}
}

// drawn adapts a method that writes a graph as text, and escapes control characters.
func drawn(write func(*Graph, io.Writer, Options) error) func(io.Writer, Drawing) error {
	return func(w io.Writer, d Drawing) error { return write(d.Graph, textfmt.Printer(w), d.Options) }
}
