package eventgraph

import (
	"encoding/json"
	"io"

	"github.com/macemc/macemc/internal/format"
	"github.com/macemc/macemc/internal/replay"
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

// Formats returns the formats that a graph can be written in. A new one may be a function that drawn adapts. The tests of all
// formats name mermaid.
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

// drawn adapts a function that writes a graph as text, and escapes control characters.
func drawn(write func(*Graph, io.Writer, Options) error) func(io.Writer, Drawing) error {
	return func(w io.Writer, d Drawing) error { return write(d.Graph, textfmt.Printer(w), d.Options) }
}

// jsonStep is the line of one step. Each line is complete: it has messages and timers where [Event] has indices.
type jsonStep struct {
	Event
	Critical bool                `json:"critical,omitempty"`
	Changes  []replay.NodeChange `json:"changes,omitempty"` // of step 0, the initial state
	Consumed []Message           `json:"consumed,omitempty"`
	Sent     []Message           `json:"sent,omitempty"`
	Gone     []Message           `json:"gone,omitempty"`
	Sets     []Timer             `json:"sets,omitempty"`
	Ends     []Timer             `json:"ends,omitempty"`
}

// JSONLines writes a JSON object for each shown step, one per line, for programs that filter lines. It folds nothing.
func (g *Graph) JSONLines(w io.Writer, o Options) error {
	o.Fold, o.Expand = -1, true
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for _, s := range g.segments(o) {
		e := g.Events[s.from()]
		line := jsonStep{
			Event: e, Critical: e.Step > 0 && e.Step == g.Critical, Changes: e.Changes,
			Consumed: pick(g.Messages, e.Consumed), Sent: pick(g.Messages, e.Sent), Gone: pick(g.Messages, e.Gone),
			Sets: pick(g.Timers, e.Sets), Ends: pick(g.Timers, e.Ends),
		}
		if e.Step == 0 {
			line.Changes = g.Initial
		}
		if err := enc.Encode(line); err != nil {
			return err
		}
	}
	return nil
}

// pick returns the elements with the given indices.
func pick[T any](all []T, indices []int) (chosen []T) {
	for _, i := range indices {
		chosen = append(chosen, all[i])
	}
	return chosen
}
