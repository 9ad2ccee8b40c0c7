package eventgraph

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/macemc/macemc/sim"
)

// Sizes of an SVG, in user units.
const (
	svgRow    = 30 // height of a step
	svgTop    = 40
	svgLeft   = 64  // room for step numbers
	svgNotes  = 420 // room for notes
	svgLetter = 7   // width of a letter, about
)

// SVG writes the graph as a self-contained SVG image: lanes run downward, messages slant from where
// they were sent to where they were delivered. Its colours follow the reader's light or dark scheme.
// Elements of a step carry its number as data-step. Width, NoHeader and NoSource do not matter.
func (g *Graph) SVG(w io.Writer, o Options) error {
	d := newDrawing(g, o)
	height := svgTop + len(d.rows)*svgRow + 24
	width := d.notes + svgNotes
	fmt.Fprintf(&d.out, `<svg xmlns="http://www.w3.org/2000/svg" class="eventgraph" viewBox="0 0 %d %d" width="%d" height="%d" role="img">`+"\n",
		width, height, width, height)
	fmt.Fprintf(&d.out, "<title>event graph of %s</title>\n<style>%s</style>\n", escape(g.System), svgStyle)
	d.critical(width)
	d.lanes(height)
	d.messages()
	for i, s := range d.rows {
		d.row(i, s)
	}
	d.out.WriteString("</svg>\n")
	b := bufio.NewWriter(w)
	b.WriteString(d.out.String())
	return b.Flush()
}

const svgStyle = `
.eventgraph{--bg:#fff;--fg:#1f2328;--dim:#8a929b;--line:#c5ccd3;--msg:#2563b0;--bad:#c62828;--mark:#fbe3e3;--act:#2e7d32;--timer:#b26a00;font:12px ui-monospace,Menlo,Consolas,monospace;color:var(--fg);background:var(--bg)}
@media (prefers-color-scheme:dark){.eventgraph{--bg:#15181c;--fg:#e2e6ea;--dim:#8a929b;--line:#454c54;--msg:#7db2f0;--bad:#ff7b72;--mark:#4a2226;--act:#7cc884;--timer:#e0a458}}
.eventgraph text{fill:var(--fg);paint-order:stroke;stroke:var(--bg);stroke-width:3px}.eventgraph .dim{fill:var(--dim)}.eventgraph .bad{fill:var(--bad)}
.eventgraph .lane{stroke:var(--line);stroke-width:2}.eventgraph .down{stroke:var(--line);stroke-width:1;stroke-dasharray:2 5}
.eventgraph .msg{stroke:var(--msg);stroke-width:1.3;fill:none}.eventgraph .gone{stroke:var(--bad);stroke-width:1.3;stroke-dasharray:5 3;fill:none}
.eventgraph .waiting{stroke:var(--msg);stroke-width:1.3;stroke-dasharray:2 4;fill:none}.eventgraph .head{fill:var(--msg)}
.eventgraph .x{stroke:var(--bad);stroke-width:2;fill:none}.eventgraph .mark{fill:var(--mark)}
.eventgraph .dot{fill:var(--msg)}.eventgraph .dot.action{fill:var(--act)}.eventgraph .dot.timer{fill:var(--timer)}.eventgraph .dot.fault{fill:var(--bad)}
.eventgraph .here .dot{stroke:var(--fg);stroke-width:2.5}.eventgraph .here text{font-weight:bold}
`

type drawing struct {
	g     *Graph
	out   strings.Builder
	rows  []stretch
	rowOf map[int]int // step -> row
	x     []int
	notes int
}

func newDrawing(g *Graph, o Options) *drawing {
	d := &drawing{g: g, rows: g.stretches(o), rowOf: map[int]int{}}
	for i, s := range d.rows {
		for step := s.from; step <= s.to; step++ {
			d.rowOf[step] = i
		}
	}
	longest, last := 12, 0
	for _, m := range g.Messages {
		longest = max(longest, len(m.Text))
	}
	for i := range g.Events {
		if e := &g.Events[i]; e.Node == len(g.Nodes)-1 && e.kind != sim.Deliver {
			last = max(last, len(e.label()))
		}
	}
	widest := 260
	if len(g.Nodes) > 5 {
		widest = 130
	}
	pitch := min(widest, max(130, (longest+4)*svgLetter))
	for i := range g.Nodes {
		d.x = append(d.x, svgLeft+30+i*pitch)
	}
	d.notes = d.x[len(d.x)-1] + 24 + last*svgLetter
	return d
}

func (d *drawing) y(row int) int { return svgTop + row*svgRow + svgRow/2 }

// at returns the height of a step, and whether it is shown by itself.
func (d *drawing) at(step int) (int, bool) {
	row, ok := d.rowOf[step]
	return d.y(row), ok && !d.rows[row].folded
}

func (d *drawing) line(class string, x1, y1, x2, y2 int) {
	fmt.Fprintf(&d.out, `<line class="%s" x1="%d" y1="%d" x2="%d" y2="%d"/>`+"\n", class, x1, y1, x2, y2)
}

func (d *drawing) text(class, anchor string, x, y int, s string) {
	if s == "" {
		return
	}
	fmt.Fprintf(&d.out, `<text class="%s" text-anchor="%s" x="%d" y="%d">%s</text>`+"\n", class, anchor, x, y, escape(s))
}

func (d *drawing) cross(x, y int) {
	fmt.Fprintf(&d.out, `<path class="x" d="M%d %dl8 8m0 -8l-8 8"/>`+"\n", x-4, y-4)
}

// critical lays a band under the critical step.
func (d *drawing) critical(width int) {
	if d.g.Critical == 0 {
		return
	}
	if y, ok := d.at(d.g.Critical); ok {
		fmt.Fprintf(&d.out, `<rect class="mark" x="0" y="%d" width="%d" height="%d"/>`+"\n", y-svgRow/2, width, svgRow)
	}
}

// lanes draws a line per node, broken while the node is down.
func (d *drawing) lanes(height int) {
	for i, n := range d.g.Nodes {
		d.text("", "middle", d.x[i], 22, strings.TrimSpace(fmt.Sprintf("n%d %s", n.ID, n.Name)))
		up, from := !n.Late, svgTop-8
		draw := func(to int) {
			class := "lane"
			if !up {
				class = "down"
			}
			if to > from {
				d.line(class, d.x[i], from, d.x[i], to)
				from = to
			}
		}
		for s := 1; s < len(d.g.Events); s++ {
			e := &d.g.Events[s]
			if e.Node != n.ID {
				continue
			}
			change := e.kind == sim.Boot && !up || (e.kind == sim.Crash || e.Crashed) && up
			if !change {
				continue
			}
			if y, ok := d.at(s); ok {
				draw(y)
			}
			up = !up
		}
		draw(height - 16)
	}
}

// messages draws the messages with an end that is shown.
func (d *drawing) messages() {
	// Messages that end together between the same nodes share a label.
	together := map[[3]int]int{}
	for i := range d.g.Messages {
		if m := &d.g.Messages[i]; m.End > 0 {
			together[[3]int{m.End, m.From, m.To}]++
		}
	}
	for i := range d.g.Messages {
		m := &d.g.Messages[i]
		y1, sent := d.at(m.Sent)
		for _, s := range m.Deliveries {
			if y2, ok := d.at(s); ok {
				if !sent {
					y1 = y2 - svgRow/2
				}
				d.delivered(m, y1, y2, s)
			}
		}
		switch {
		case m.End > 0:
			y2, ok := d.at(m.End)
			if !ok {
				continue
			}
			if !sent {
				y1 = y2 - svgRow/2
			}
			key := [3]int{m.End, m.From, m.To}
			d.ended(m, y1, y2, together[key])
			together[key] = 0
		case len(m.Deliveries) == 0 && sent:
			d.waiting(m, y1)
		}
	}
}

func (d *drawing) delivered(m *Message, y1, y2, step int) {
	x1, x2 := d.x[m.From], d.x[m.To]
	fmt.Fprintf(&d.out, `<g data-step="%d"><title>%s, sent in step %d, delivered in step %d</title>`+"\n",
		step, escape(m.Text), m.Sent, step)
	if x1 == x2 {
		fmt.Fprintf(&d.out, `<path class="msg" d="M%d %dC%d %d %d %d %d %d"/>`+"\n", x1, y1, x1+40, y1, x1+40, y2, x1+6, y2)
		d.out.WriteString("</g>\n")
		return
	}
	side := 1
	if x2 < x1 {
		side = -1
	}
	d.line("msg", x1, y1, x2-side*6, y2)
	fmt.Fprintf(&d.out, `<path class="head" d="M%d %dl%d -4v8z"/>`+"\n", x2-side*4, y2, -side*9)
	d.label(m.Text, x1, y1, x2, y2)
	d.out.WriteString("</g>\n")
}

// label writes text beside the far end of a line; the whole of it stands in the title.
func (d *drawing) label(text string, x1, y1, x2, y2 int) {
	text, _ = fit(shortly(text), max(x1-x2, x2-x1)/svgLetter-4)
	d.text("", "middle", x1+(x2-x1)*6/10, y1+(y2-y1)*6/10-4, text)
}

// ended draws a message that was lost. It stands for so many that were lost with it; 0: the label is
// there already.
func (d *drawing) ended(m *Message, y1, y2, count int) {
	x1 := d.x[m.From]
	x2 := (x1 + d.x[m.To]) / 2
	if m.From == m.To {
		x2 = x1 + 24
	}
	fmt.Fprintf(&d.out, `<g data-step="%d"><title>%s, sent in step %d, %s in step %d</title>`+"\n",
		m.End, escape(m.Text), m.Sent, escape(m.Fate), m.End)
	d.line("gone", x1, y1, x2, y2)
	d.cross(x2, y2)
	label := shortly(m.Text)
	if count > 1 {
		label += fmt.Sprintf(" +%d", count-1)
	}
	if count > 0 {
		d.text("bad", "middle", x2, y2+14, label)
	}
	d.out.WriteString("</g>\n")
}

func (d *drawing) waiting(m *Message, y int) {
	x1 := d.x[m.From]
	x2 := (x1 + d.x[m.To]) / 2
	if m.From == m.To {
		x2 = x1 + 24
	}
	fmt.Fprintf(&d.out, `<g><title>%s, sent in step %d, in flight at the end</title>`+"\n", escape(m.Text), m.Sent)
	d.line("waiting", x1, y, x2, y+8)
	anchor, gap := "start", 4
	if x2 < x1 {
		anchor, gap = "end", -4
	}
	d.text("dim", anchor, x2+gap, y+13, shortly(m.Text))
	d.out.WriteString("</g>\n")
}

// row draws the step number, the mark on its lane, and the notes.
func (d *drawing) row(i int, s stretch) {
	y := d.y(i)
	if s.folded {
		d.text("dim", "start", svgLeft, y+4, d.g.tally(s.from, s.to, 100))
		return
	}
	e := &d.g.Events[s.from]
	fmt.Fprintf(&d.out, `<g class="step" data-step="%d"><title>%s</title>`+"\n", e.Step, escape(d.g.title(e)))
	number := fmt.Sprint(e.Step)
	if e.Step > 0 && e.Step == d.g.Critical {
		number = "> " + number
	}
	d.text("dim", "end", svgLeft-24, y+4, number)
	if s.gap {
		d.line("down", 0, y-svgRow/2, d.notes+svgNotes, y-svgRow/2)
	}
	kind := e.Kind
	if e.kind.Injection() {
		kind = "fault"
	}
	if e.Node >= 0 && e.kind != sim.Lose && e.kind != sim.Duplicate && e.kind != sim.Heal {
		fmt.Fprintf(&d.out, `<circle class="dot %s" cx="%d" cy="%d" r="4.5"/>`+"\n", kind, d.x[e.Node], y)
	}
	if e.Crashed || e.kind == sim.Crash {
		d.cross(d.x[e.Node], y)
	}
	if e.onLink() {
		middle := (d.x[e.Node] + d.x[e.Peer]) / 2
		class := "waiting"
		if e.kind != sim.Heal {
			class = "gone"
			d.cross(middle, y)
		}
		d.line(class, d.x[e.Node], y, d.x[e.Peer], y)
		d.text("dim", "middle", middle, y-6, e.linkText())
	}
	switch {
	case e.Step == 0:
		d.text("dim", "start", d.x[0]+9, y+4, "first boots")
	case e.kind == sim.Deliver || e.kind == sim.Lose || e.kind == sim.Duplicate || e.onLink():
	case e.Node >= 0:
		d.text("", "start", d.x[e.Node]+9, y-5, e.label())
	default:
		d.text("bad", "start", d.x[0]+9, y-5, e.label())
	}
	notes := joinChanges(e)
	if e.Source != "" {
		notes = strings.TrimSpace(notes + "  " + path.Base(e.Source))
	}
	const most = svgNotes/svgLetter - 4
	if r := []rune(notes); len(r) > most {
		notes = string(r[:most-3]) + "..."
	}
	d.text("dim", "start", d.notes, y+4, notes)
	if e.Error != "" {
		d.text("bad", "start", d.notes, y+16, firstLine(e.Error))
	}
	d.out.WriteString("</g>\n")
}

// title says everything of a step, for a reader who points at it.
func (g *Graph) title(e *Event) string {
	parts := []string{fmt.Sprintf("step %d: %s", e.Step, strings.TrimSpace(fmt.Sprintf("%s %s", e.Kind, e.What)))}
	if c := joinChanges(e); c != "" {
		parts = append(parts, c)
	}
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
	if err := xml.EscapeText(&b, []byte(s)); err != nil {
		return ""
	}
	return b.String()
}
