package eventgraph

import (
	"encoding/xml"
	"fmt"
	"html/template"
	"path"
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/textfmt"
)

// crashLabel names what a node did when it crashed, unless an arrow shows it.
func (e *Event) crashLabel() string {
	what := ""
	if e.kind != eventkind.Deliver {
		what = e.svgLabel() + ", "
	}
	return what + e.failureWord() + " inside" + replay.AlsoFell(e.With)
}

// svgLabel is a shorter label; the title has the full one.
func (e *Event) svgLabel() string {
	const most = 30
	brief := *e
	brief.What = shortly(e.What)
	if e.kind == eventkind.DeliverError {
		brief.What = ""
	}
	return textfmt.Truncate(brief.label(), most)
}

// svgNotes returns the text beside a step.
func (g *Graph) svgNotes(e *Event) string {
	parts := e.narrow(mostChanges)
	parts = append(parts, e.Aftermath...)
	parts = append(parts, announcements(g, e)...)
	if turn := e.turn; turn != "" {
		parts = append([]string{turn}, parts...)
	}
	if race := e.raceText(); race != "" {
		parts = append([]string{race}, parts...)
	}
	notes := strings.Join(parts, ", ")
	if e.Source != "" {
		notes = strings.TrimSpace(notes + "  " + path.Base(e.Source))
	}
	return notes
}

// twoLines breaks a text between words into lines of at most n letters, and cuts the rest.
func twoLines(s string, n int) (first, second string) {
	if r := []rune(s); len(r) > n {
		if at := strings.LastIndexByte(string(r[:n+1]), ' '); at > 0 {
			return strings.TrimSpace(s[:at]), textfmt.Truncate(strings.TrimSpace(s[at:]), n)
		}
	}
	return textfmt.Truncate(s, n), ""
}

// title describes a step in full, for a tooltip.
func (g *Graph) title(e *Event) string {
	parts := []string{fmt.Sprintf("step %d: %s", e.Step, strings.TrimSpace(fmt.Sprintf("%s %s", e.Kind, e.What)))}
	if c := strings.Join(e.digest(mostChanges), ", "); c != "" {
		parts = append(parts, c)
	}
	parts = append(parts, e.Aftermath...)
	for _, p := range e.Broke {
		parts = append(parts, "no longer: "+p)
	}
	for _, p := range e.Mended {
		parts = append(parts, "holds again: "+p)
	}
	if e.Source != "" {
		parts = append(parts, e.Source)
	}
	return strings.Join(parts, "\n")
}

func escape(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // writing to a builder does not fail
	return b.String()
}

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
