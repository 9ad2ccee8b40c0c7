package eventgraph

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/textfmt"
)

// messages draws the messages with an end that is shown.
func (d *drawing) messages() {
	// Messages that end together between the same nodes share a label.
	together := map[[3]int]int{}
	for i := range d.g.Messages {
		if m := &d.g.Messages[i]; m.End > 0 {
			together[[3]int{m.End, m.From, m.To}]++
		}
	}
	waiting := map[[2]int]int{} // by step and direction
	direction := func(m *Message) [2]int { return [2]int{m.Sent, cmp.Compare(d.x[m.To], d.x[m.From])} }
	for i := range d.g.Messages {
		if m := &d.g.Messages[i]; m.End == 0 && len(m.Deliveries) == 0 {
			waiting[direction(m)]++
		}
	}
	for i := range d.g.Messages {
		m := &d.g.Messages[i]
		if d.x[m.From] < 0 || d.x[m.To] < 0 {
			continue // its step names the other node
		}
		y1, sent := d.at(m.Sent)
		shown := func(step int) (y2 int, ok bool) {
			if y2, ok = d.at(step); ok && !sent {
				y1 = y2 - svgRow/2
			}
			return y2, ok
		}
		for _, s := range m.Deliveries {
			if y2, ok := shown(s); ok {
				d.delivered(m, y1, y2, s)
			}
		}
		for _, s := range m.Duplicated {
			if y2, ok := shown(s); ok {
				d.duplicated(m, y1, y2, s)
			}
		}
		switch {
		case m.End > 0:
			if y2, ok := shown(m.End); ok {
				key := [3]int{m.End, m.From, m.To}
				d.ended(m, y1, y2, together[key])
				together[key] = 0
			}
		case len(m.Deliveries) == 0 && sent:
			d.waiting(m, y1, waiting[direction(m)])
			waiting[direction(m)] = 0
		}
	}
	d.out.WriteString(d.labels.String())
}

// caption writes a text of a step over all lines.
func (d *drawing) caption(step int, class, anchor string, x, y int, s string) {
	if s == "" {
		return
	}
	own := drawing{}
	own.text(class, anchor, x, y, s)
	fmt.Fprintf(&d.labels, "<g data-step=\"%d\">%s</g>\n", step, strings.TrimSuffix(own.out.String(), "\n"))
}

func (d *drawing) delivered(m *Message, y1, y2, step int) {
	x1, x2 := d.x[m.From], d.x[m.To]
	title := fmt.Sprintf("%s, sent in step %d, delivered in step %d", m.Text, m.Sent, step)
	if d.g.Goroutines {
		how := "woken"
		if !slices.ContainsFunc(d.g.Events[:step], func(e Event) bool { return e.Step > 0 && e.Node == m.To }) {
			how = "started"
		}
		title = fmt.Sprintf("%s in step %d, %s in step %d", m.Text, m.Sent, how, step)
	}
	fmt.Fprintf(&d.out, `<g data-step="%d"><title>%s</title>`+"\n", step, escape(title))
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
	if d.g.Events[d.rows[d.rowOf[step]].from()].kind != eventkind.TakeQuorum { // which has its own label
		d.label(m.Text, step, x1, x2, y2)
	}
	d.out.WriteString("</g>\n")
}

// label writes text under the end of a line, in the row of the step, which no other step uses; if the step sends
// a message back, between the two lines. The title has the full text.
func (d *drawing) label(text string, step, x1, x2, y2 int) {
	name, _ := splitMessage(text)
	room, gap, below := max(x1-x2, x2-x1), 14, 9
	pending := func(m *Message) bool { return m.End == 0 && len(m.Deliveries) == 0 }
	switch {
	case d.sends(step, x1, pending):
		room = d.pitch / 2 // as that message has its label below the step, too
	case d.sends(step, x1, func(m *Message) bool { return m.End != m.Sent && !pending(m) }):
		gap, below = 32, 4
		room -= gap
	}
	text = cmp.Or(d.arguments.label(text, room/svgLetter-3), name)
	if x2 < x1 {
		d.caption(step, "", "start", x2+gap, y2+below, text)
	} else {
		d.caption(step, "", "end", x2-gap, y2+below, text)
	}
}

// sends reports whether a step sends such a message towards a side.
func (d *drawing) sends(step, x int, such func(*Message) bool) bool {
	e := &d.g.Events[d.rows[d.rowOf[step]].from()]
	return slices.ContainsFunc(e.Sent, func(i int) bool {
		m := &d.g.Messages[i]
		return such(m) && m.From != m.To && d.x[m.To] >= 0 && (d.x[m.To] < d.x[e.Node]) == (x < d.x[e.Node])
	})
}

// loose returns the label of a line that ends between lanes, in about a lane's width, with the number of messages
// that it stands for. The title has the full text.
func (d *drawing) loose(text string, count int) string {
	const most = 20
	name, _ := splitMessage(text)
	text = cmp.Or(d.arguments.label(text, min(most, d.pitch/svgLetter-3)), textfmt.Truncate(name, most))
	if count > 1 {
		text += fmt.Sprintf(" +%d", count-1)
	}
	return text
}

// halfway returns the end of the line of a message in flight: between its sender's lane and the next one.
func (d *drawing) halfway(m *Message) int {
	switch x := d.x[m.From]; {
	case m.From == m.To:
		return x + 24
	case d.x[m.To] < x:
		return x - d.pitch/2
	default:
		return x + d.pitch/2
	}
}

// beside returns the end of the line of a message that does not arrive, right before its receiver's lane.
func (d *drawing) beside(m *Message) int {
	const gap = 18
	switch x := d.x[m.To]; {
	case m.From == m.To:
		return d.halfway(m)
	case x < d.x[m.From]:
		return x + gap
	default:
		return x - gap
	}
}

// duplicated draws a duplication by the network.
func (d *drawing) duplicated(m *Message, y1, y2, step int) {
	x2 := d.halfway(m)
	fmt.Fprintf(&d.out, `<g data-step="%d"><title>%s, sent in step %d, duplicated in step %d</title>`+"\n",
		step, escape(m.Text), m.Sent, step)
	d.line("waiting", d.x[m.From], y1, x2, y2)
	d.caption(step, "bad", "middle", x2, y2+4, "x2 "+d.loose(m.Text, 1))
	d.out.WriteString("</g>\n")
}

// ended draws a lost message. Count is the number of messages lost with it that share its label; 0 means that the
// label already exists.
func (d *drawing) ended(m *Message, y1, y2, count int) {
	x1, x2 := d.x[m.From], d.beside(m)
	fmt.Fprintf(&d.out, `<g data-step="%d"><title>%s, sent in step %d, %s in step %d</title>`+"\n",
		m.End, escape(m.Text), m.Sent, escape(m.Fate), m.End)
	d.line("gone", x1, y1, x2, y2)
	d.cross(x2, y2)
	label := d.loose(m.Text, count)
	if count > 0 {
		y := y2 + 10
		if d.besideDelivery(m) {
			y = y2 - 5
		}
		// On the sender's side, to stay out of the other lane.
		if x2 < x1 {
			d.caption(m.End, "bad", "start", x2+8, y, label)
		} else {
			d.caption(m.End, "bad", "end", x2-6, y, label)
		}
	}
	d.out.WriteString("</g>\n")
}

// besideDelivery reports whether a message was lost in its sending step, and the step's received message has its
// label under the line on the same side.
func (d *drawing) besideDelivery(m *Message) bool {
	row, ok := d.rowOf[m.End]
	if !ok || m.Sent != m.End || m.From == m.To {
		return false
	}
	e := &d.g.Events[d.rows[row].from()]
	if e.kind != eventkind.Deliver || e.Node != m.From || e.Peer < 0 || d.x[e.Peer] < 0 {
		return false
	}
	return (d.x[e.Peer] < d.x[e.Node]) == (d.x[m.To] < d.x[m.From])
}

// waiting draws a message that is still in flight; see ended for count.
func (d *drawing) waiting(m *Message, y, count int) {
	x1, x2 := d.x[m.From], d.halfway(m)
	fmt.Fprintf(&d.out, `<g data-step="%d"><title>%s, sent in step %d, in flight at the end</title>`+"\n", m.Sent, escape(m.Text), m.Sent)
	d.line("waiting", x1, y, x2, y+8)
	anchor, gap := "start", 4
	if x2 < x1 {
		anchor, gap = "end", -4
	}
	if count > 0 {
		d.caption(m.Sent, "dim", anchor, x2+gap, y+12, d.loose(m.Text, count))
	}
	d.out.WriteString("</g>\n")
}

// races draws a band behind the steps of a data race.
func (d *drawing) races() {
	for i, s := range d.rows {
		if !s.folded() && d.g.Events[s.from()].Race > 0 {
			d.rect("mark", 0, d.y(i)-svgRow/2, d.width, svgRow)
		}
	}
}
