package eventgraph

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/textfmt"
)

// Sizes in an SVG, in pixels.
const (
	svgRow    = 28 // height of a step
	svgTop    = 30 // names of the lanes
	svgLeft   = 58 // live strip, step numbers
	svgNotes  = 420
	svgBottom = 28 // an error at the end
	svgLetter = 7  // approximate width of a letter
	// shortLabel is the maximum length of an event on the last lane if there is little room.
	shortLabel = 14
)

//go:embed svg.css
var svgStyle string

// SVG writes the graph as a self-contained image. Lanes run downward, messages slant from sending to delivery, thin
// lines beside a lane are timers from set to end, and the strip on the left is green while the state is live.
// Colors follow the reader's light or dark scheme. Elements of a step have its number in data-step.
func (g *Graph) SVG(w io.Writer, o Options) error {
	d := newDrawing(g, o)
	d.open("eventgraph", d.top+len(d.rows)*svgRow+svgBottom)
	fmt.Fprintf(&d.out, "<title>event graph of %s</title>\n<style>%s</style>\n", escape(g.System), svgStyle)
	d.names()
	d.content()
	_, err := io.WriteString(w, d.close())
	return err
}

// svgNames draws only the names of the lanes, without style. All text of the run is escaped.
func (g *Graph) svgNames(o Options) template.HTML {
	d := newDrawing(g, o)
	d.open(`eventgraph names" aria-label="lanes`, svgTop)
	d.names()
	return template.HTML(d.close())
}

// svgBody draws the image without names, title and style. All text of the run is escaped.
func (g *Graph) svgBody(o Options) template.HTML {
	o.NoHeader = true
	d := newDrawing(g, o)
	d.open(`eventgraph" aria-label="steps`, d.top+len(d.rows)*svgRow+svgBottom)
	d.content()
	return template.HTML(d.close())
}

// drawing is an SVG drawing in progress.
type drawing struct {
	g          *Graph
	o          Options
	out        strings.Builder
	rows       []segment
	rowOf      map[int]int // by step number
	x          []int       // by node: position of its lane, or -1
	left       int         // first lane
	last       int         // length of the events on the last lane
	pitch      int
	notes      int
	noteLen    int // in letters
	width, top int
	labels     strings.Builder // of messages, drawn over all lines

	arguments arguments
}

func newDrawing(g *Graph, o Options) *drawing {
	d := &drawing{g: g, o: o, rows: g.marked(o, g.segments(o)), rowOf: map[int]int{}, top: svgTop, arguments: argumentsOf(g)}
	if o.NoHeader {
		d.top = 4
	}
	for i, s := range d.rows {
		for _, step := range s.steps {
			d.rowOf[g.Events[step].Step] = i
		}
	}
	layOut(d)
	return d
}

func (d *drawing) open(class string, height int) {
	fmt.Fprintf(&d.out, `<svg xmlns="http://www.w3.org/2000/svg" class="%s" viewBox="0 0 %d %d" width="%d" height="%d" role="img">`+"\n",
		class, d.width, height, d.width, height)
}

func (d *drawing) close() string { return d.out.String() + "</svg>\n" }

func (d *drawing) content() {
	d.decisive()
	d.races()
	d.round()
	d.strip()
	d.lanes(d.top + len(d.rows)*svgRow + 12)
	d.timers()
	d.messages()
	for i, s := range d.rows {
		d.row(i, s)
	}
}

func (d *drawing) y(row int) int { return d.top + row*svgRow + svgRow/2 }

// at returns the vertical position of a step, and whether it is shown individually.
func (d *drawing) at(step int) (int, bool) {
	row, ok := d.rowOf[step]
	return d.y(row), ok && !d.rows[row].folded()
}

func (d *drawing) line(class string, x1, y1, x2, y2 int) {
	fmt.Fprintf(&d.out, `<line class="%s" x1="%d" y1="%d" x2="%d" y2="%d"/>`+"\n", class, x1, y1, x2, y2)
}

func (d *drawing) rect(class string, x, y, width, height int) {
	fmt.Fprintf(&d.out, `<rect class="%s" x="%d" y="%d" width="%d" height="%d"/>`+"\n", class, x, y, width, height)
}

func (d *drawing) text(class, anchor string, x, y int, s string) {
	if s == "" {
		return
	}
	if class != "" {
		class = ` class="` + class + `"`
	}
	if anchor != "start" {
		class += ` text-anchor="` + anchor + `"`
	}
	fmt.Fprintf(&d.out, `<text%s x="%d" y="%d">%s</text>`+"\n", class, x, y, escape(s))
}

func (d *drawing) cross(x, y int) {
	fmt.Fprintf(&d.out, `<path class="x" d="M%d %dl8 8m0 -8l-8 8"/>`+"\n", x-4, y-4)
}

func (d *drawing) names() {
	for _, n := range d.g.shown(d.o) {
		d.text("", "middle", d.x[n.ID], 20, headingIn(d.g, n, (d.pitch-4)/svgLetter))
	}
}

// decisive draws bands behind the critical step and the step with the finding.
func (d *drawing) decisive() {
	if y, ok := d.at(d.g.Events[d.g.found].Step); ok && d.g.found > 0 && d.g.found != d.g.Critical {
		d.rect("mark violation", 1, y-svgRow/2, d.width-2, svgRow)
	}
	if y, ok := d.at(d.g.Critical); ok && d.g.Critical > 0 {
		d.rect("mark", 0, y-svgRow/2, d.width, svgRow)
	}
}

// round draws a band behind the steps of the cycle.
func (d *drawing) round() {
	if d.g.Round == 0 {
		return
	}
	for step := d.g.Round; step <= d.g.Last(); step++ {
		if y, ok := d.at(step); ok {
			d.rect("mark", 0, y-svgRow/2, d.width, svgRow)
		}
	}
}

// strip shows where the state is live.
func (d *drawing) strip() {
	for i := 0; i < len(d.rows); {
		live := d.g.Events[d.rows[i].to()].Live
		j := i
		for j < len(d.rows) && d.g.Events[d.rows[j].to()].Live == live {
			j++
		}
		class := "not-live"
		if live {
			class = "is-live"
		}
		d.rect(class, 2, d.top+i*svgRow, 4, (j-i)*svgRow)
		i = j
	}
}

// lanes draws a line per node, interrupted while the node is down.
func (d *drawing) lanes(bottom int) {
	first := 0
	if len(d.rows) > 0 {
		first = d.rows[0].from()
	}
	for _, n := range d.g.shown(d.o) {
		up, from := !n.Late, d.top
		draw := func(to int) {
			class := "lane"
			if !up {
				class = "down"
			}
			if to > from {
				d.line(class, d.x[n.ID], from, d.x[n.ID], to)
				from = to
			}
		}
		for s := 1; s < len(d.g.Events); s++ {
			e := &d.g.Events[s]
			change := e.kind == eventkind.Boot && e.Node == n.ID && !up || e.takesNodeDown(n.ID) && up
			if !change {
				continue
			}
			if row, ok := d.rowOf[e.Step]; ok && s >= first {
				draw(d.y(row))
			}
			up = !up
		}
		draw(bottom)
	}
}

// timers draws a line beside the lane from the setting of a timer to its end.
func (d *drawing) timers() {
	const slots, gap = 4, 3
	slot := map[int][]string{}
	for i := range d.g.Timers {
		t := &d.g.Timers[i]
		x := d.x[t.Node]
		if x < 0 {
			continue
		}
		k := slices.Index(slot[t.Node], t.What)
		if k < 0 {
			k = len(slot[t.Node])
			slot[t.Node] = append(slot[t.Node], t.What)
		}
		x -= 6 + gap*(k%slots)
		y1, shown1 := d.at(t.Set)
		y2, shown2 := d.at(t.End)
		if t.Ended == armed {
			y2, shown2 = d.y(len(d.rows)-1)+svgRow/2, false
		}
		switch {
		case !shown1 && !shown2:
			continue
		case !shown1:
			y1 = y2 - svgRow/2
		case !shown2 && t.Ended != armed:
			y2 = y1 + svgRow/2
		}
		ended := fmt.Sprintf("%s in step %d", t.Ended, t.End)
		if t.Ended == armed {
			ended = "armed at the end"
		}
		fmt.Fprintf(&d.out, `<path class="armed" d="M%d %dv%dm-2 0h4"><title>timer %s, set in step %d, %s</title></path>`+"\n",
			x, y1, y2-y1, escape(t.What), t.Set, ended)
	}
}

// note writes the changes of a step beside it, in two lines if they are long.
func (d *drawing) note(y int, e *Event) {
	first, second := d.g.svgNotes(e, d.noteLen)
	if second == "" {
		d.text("dim", "start", d.notes, y+4, first)
		return
	}
	d.text("dim", "start", d.notes, y-3, first)
	d.text("dim", "start", d.notes, y+10, second)
}

// row draws the step number, the mark on its lane, and the notes.
func (d *drawing) row(i int, s segment) {
	y := d.y(i)
	if s.folded() {
		text, class := d.g.summary(&s, 100), `<g class="ticks">`
		if s.leftOut {
			text = d.g.summary(&s, max(100, d.width/svgLetter-8))
			class = fmt.Sprintf(`<g class="left-out" data-from="%d">`, d.g.Events[s.from()].Step)
		} else if s.ticks == nil {
			d.text("dim", "start", svgLeft-20, y+4, text)
			return
		}
		fmt.Fprintf(&d.out, `%s<title>%s</title>`+"\n", class, escape(text))
		d.rect("hit", 0, y-svgRow/2, d.width, svgRow)
		if s.leftOut {
			d.line("down", 0, y-svgRow/2+2, d.width, y-svgRow/2+2)
			d.line("down", 0, y+svgRow/2-2, d.width, y+svgRow/2-2)
		}
		d.text("dim", "start", svgLeft-20, y+4, text)
		d.out.WriteString("</g>\n")
		return
	}
	e := &d.g.Events[s.from()]
	fmt.Fprintf(&d.out, `<g class="step" data-step="%d"><title>%s</title>`+"\n", e.Step, escape(d.g.title(e)))
	d.rect("hit", 0, y-svgRow/2, d.width, svgRow)
	number := fmt.Sprint(e.Step)
	if d.g.decisive(e) {
		number = "> " + number
	} else if d.g.inRound(e.Step) {
		number = "@ " + number
	}
	d.text("dim", "end", svgLeft-10, y+4, number)
	on := e.Node >= 0 && d.x[e.Node] >= 0
	if on && e.onNode() {
		fmt.Fprintf(&d.out, `<circle class="dot %s" cx="%d" cy="%d" r="4.5"/>`+"\n", e.class(), d.x[e.Node], y)
	}
	if on && e.takesDown() {
		d.cross(d.x[e.Node], y)
	}
	for _, mate := range e.With {
		if d.x[mate] >= 0 {
			d.cross(d.x[mate], y)
		}
	}
	if on && e.Crashed {
		d.text("bad", "start", d.x[e.Node]+9, y-5, e.crashLabel())
	}
	both := on && e.Peer >= 0 && d.x[e.Peer] >= 0
	if e.onLink() && both {
		middle := (d.x[e.Node] + d.x[e.Peer]) / 2
		class := "waiting"
		if e.kind != eventkind.Heal {
			class = "gone"
			d.cross(middle, y)
		}
		d.line(class, d.x[e.Node], y, d.x[e.Peer], y)
		d.text("dim", "middle", middle, y-6, e.linkText())
	}
	switch {
	case e.Step == 0:
		d.text("dim", "start", d.left+9, y+4, d.g.first())
	case both && e.Node != e.Peer && (e.kind.OfMessage() || e.onLink()):
	case on && e.Crashed:
	case on:
		class := ""
		if c := e.class(); c == faultClass && e.kind != eventkind.Boot {
			class = "bad"
		}
		label := e.svgLabel()
		if d.o.Width > 0 && d.x[e.Node] == slices.Max(d.x) {
			label = textfmt.Truncate(label, d.last)
		}
		d.text(class, "start", d.x[e.Node]+9, y-3, label)
	case e.Node < 0:
		d.text("bad", "start", d.left+9, y-5, e.label())
	}
	switch failed := "!! " + e.errorLine(); {
	case e.Error == "":
		d.note(y, e)
	case i < len(d.rows)-1:
		d.text("bad", "start", d.notes, y+4, textfmt.Truncate(failed, d.noteLen))
	default:
		d.note(y, e)
		d.text("bad", "start", svgLeft-20, y+svgRow, textfmt.Truncate(failed, d.width/svgLetter-8))
	}
	d.out.WriteString("</g>\n")
}
