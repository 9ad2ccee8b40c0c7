package eventgraph

import (
	"html/template"
	"slices"

	"github.com/macemc/macemc/internal/netmodel"
)

// legendEntry explains a sign of graphs.
type legendEntry struct {
	Sign template.HTML // the content of an SVG of 26 by 14 pixels
	Text string
	in   func(*Graph) bool // whether a graph has it
}

// legend returns what explains the signs of some graphs.
func legend(graphs []*Graph) []legendEntry {
	event := func(has func(*Event) bool) func(*Graph) bool {
		return func(g *Graph) bool {
			return slices.ContainsFunc(g.Events[1:], func(e Event) bool { return has(&e) })
		}
	}
	class := func(c string) func(*Graph) bool { return event(func(e *Event) bool { return e.class() == c }) }
	message := func(has func(*Message) bool) func(*Graph) bool {
		return func(g *Graph) bool {
			return slices.ContainsFunc(g.Messages, func(m Message) bool { return has(&m) })
		}
	}
	down := event((*Event).takesDown)
	step, woken, arrow := "action", "message handled", "message"
	if graphs[0].Goroutines {
		step, woken, arrow = "operation", "operation of a goroutine that was started or woken", "starts or wakes"
	}
	return slices.DeleteFunc([]legendEntry{
		{`<circle class="dot actions" cx="13" cy="7" r="4.5"/>`, step, class(actionClass)},
		{`<circle class="dot messages" cx="13" cy="7" r="4.5"/>`, woken, class(messageClass)},
		{`<circle class="dot timers" cx="13" cy="7" r="4.5"/>`, "timer fires", class(timerClass)},
		{`<path class="x" d="M9 3l8 8m0 -8l-8 8"/>`, "node crashes", down},
		{`<line class="down" x1="13" y1="0" x2="13" y2="14"/>`, "node down", down},
		{`<line class="msg" x1="1" y1="7" x2="25" y2="7"/>`, arrow, message(func(m *Message) bool { return len(m.Deliveries) > 0 })},
		{`<line class="gone" x1="1" y1="7" x2="25" y2="7"/>`, "lost", message(func(m *Message) bool { return m.End > 0 })},
		{`<line class="waiting" x1="1" y1="7" x2="25" y2="7"/>`, "still in flight",
			message(func(m *Message) bool { return m.Fate == netmodel.InFlight.String() })},
		{`<path class="armed" d="M13 0v14"/>`, "timer set", func(g *Graph) bool { return len(g.Timers) > 0 }},
		{`<rect class="is-live" x="11" y="0" width="4" height="14"/>`, "live: properties hold", event(func(e *Event) bool { return e.turn != "" })},
		{`<rect class="not-live" x="11" y="0" width="4" height="14"/>`, "not live", event(func(e *Event) bool { return e.turn != "" })},
		{`<rect class="mark" x="0" y="0" width="26" height="14"/>`, "critical step", func(g *Graph) bool { return g.Critical > 0 }},
		{`<rect class="mark violation" x="1" y="1" width="24" height="12"/>`, "violation", func(g *Graph) bool { return g.found > 0 && g.found != g.Critical }},
		{`<rect class="mark" x="0" y="0" width="26" height="14"/>`, "data race", event(func(e *Event) bool { return e.Race > 0 })},
	}, func(l legendEntry) bool { return !slices.ContainsFunc(graphs, l.in) })
}
