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

// svgNotes returns the text beside a step in lines of at most n letters. The position in the code, at the end, is not cut.
func (g *Graph) svgNotes(e *Event, n int) (first, second string) {
	parts := e.narrow(mostChanges)
	parts = append(parts, e.Aftermath...)
	parts = append(parts, announcements(g, e)...)
	if turn := e.turn; turn != "" {
		parts = append([]string{turn}, parts...)
	}
	if race := e.raceText(); race != "" {
		parts = append([]string{race}, parts...)
	}
	notes, source := strings.Join(parts, ", "), ""
	if e.Source != "" {
		source = path.Base(e.Source)
	}
	whole := strings.TrimSpace(notes + "  " + source)
	first, second = twoLines(whole, n)
	if left := n - len([]rune(source)) - 2; second != "" && left > 0 && len([]rune(first))+len([]rune(second))+2 < len([]rune(whole)) {
		second = strings.TrimSpace(textfmt.Truncate(strings.TrimSpace(notes[min(len(first), len(notes)):]), left) + "  " + source)
	}
	return first, second
}

// layOut sets the positions of the lanes and notes, and the width of the drawing.
func layOut(d *drawing) {
	nodes := d.g.shown(d.o)
	longest, last := 12, 0
	for i := range d.g.Messages {
		longest = max(longest, min(len(d.g.Messages[i].Text), 30))
	}
	for i := range d.g.Events {
		e := &d.g.Events[i]
		if row, ok := d.rowOf[e.Step]; ok && !d.rows[row].leftOut && e.Node >= 0 && len(nodes) > 0 && e.Node == nodes[len(nodes)-1].ID && e.kind != eventkind.Deliver {
			last = max(last, len([]rune(e.svgLabel())))
		}
	}
	const narrowest, fewestNotes = 76, 184
	d.pitch = min(230, max(130, (longest+3)*svgLetter))
	if len(nodes) > 5 {
		d.pitch = 130
	}
	d.left = svgLeft + 26
	lanes := max(len(nodes)-1, 0)
	notes := svgNotes
	if d.o.Width > 0 {
		wide, whole, most := d.pitch, last, widestNotes(d)
		d.pitch = min(d.pitch, 140) // the notes are more informative than long arrows
		last = min(last, shortLabel)
		room := d.o.Width - d.left - 24 - last*svgLetter
		notes = max(min(240, most), min(most, room-lanes*d.pitch))
		if lanes > 0 {
			d.pitch = max(narrowest, min(d.pitch, (room-notes)/lanes))
			notes = max(min(fewestNotes, most), min(notes, room-lanes*d.pitch))
		}
		// What the notes leave is for the labels.
		rest := max(0, room-lanes*d.pitch-notes)
		more := min(whole-last, rest/svgLetter)
		last, rest = last+more, rest-more*svgLetter
		if lanes > 0 && d.pitch < wide {
			more := min(wide-d.pitch, rest/lanes)
			d.pitch, rest = d.pitch+more, rest-more*lanes
		}
		notes = min(svgNotes, notes+rest)
	}
	d.last = last
	for i := range d.g.Nodes {
		at := -1
		if k := d.o.lane(i); k >= 0 {
			at = d.left + k*d.pitch
		}
		d.x = append(d.x, at)
	}
	d.notes = d.left + lanes*d.pitch + 24 + last*svgLetter
	d.width = d.notes + notes
	d.noteLen = notes/svgLetter - 2
}

// widestNotes returns the width that the notes of the shown steps need, at most svgNotes.
func widestNotes(d *drawing) int {
	widest := 0
	for i, s := range d.rows {
		if s.folded() {
			continue
		}
		e := &d.g.Events[s.from()]
		if e.Error != "" && i < len(d.rows)-1 {
			return svgNotes
		}
		first, second := d.g.svgNotes(e, svgNotes/svgLetter-2)
		widest = max(widest, len([]rune(first)), len([]rune(second)))
	}
	return min(svgNotes, (widest+2)*svgLetter)
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
