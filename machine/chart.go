package machine

import (
	"fmt"
	"html"
	"slices"
	"strings"
)

// Mermaid returns the state chart of the kind as a Mermaid diagram. A dashed note lists the events that a state defers
// and ignores.
func (k *Kind) Mermaid() string {
	var b strings.Builder
	b.WriteString("stateDiagram-v2\n")
	for i, s := range k.states {
		fmt.Fprintf(&b, "  s%d: %s\n", i, s.name)
	}
	b.WriteString("  [*] --> s0\n")
	for _, a := range k.arrows() {
		fmt.Fprintf(&b, "  s%d --> s%d: %s\n", a.from, a.to, strings.Join(a.labels, ", "))
	}
	for i, s := range k.states {
		if note := s.note(); note != "" {
			fmt.Fprintf(&b, "  note right of s%d: %s\n", i, note)
		}
	}
	return b.String()
}

// arrow holds all edges from one state to another.
type arrow struct {
	from, to int
	labels   []string
}

func (k *Kind) arrows() (all []arrow) {
	for from, s := range k.states {
		for e := range s.edges() {
			to := slices.IndexFunc(k.states, func(t *state) bool { return t.name == e.to })
			label := e.label
			if e.push {
				label = "push " + label
			}
			i := slices.IndexFunc(all, func(a arrow) bool { return a.from == from && a.to == to })
			if i < 0 {
				i = len(all)
				all = append(all, arrow{from: from, to: to})
			}
			if !slices.Contains(all[i].labels, label) {
				all[i].labels = append(all[i].labels, label)
			}
		}
	}
	return all
}

// note describes the events that the state handles without leaving, and whether it is hot or cold.
func (s *state) note() string {
	var parts []string
	for _, n := range []struct {
		how  reaction
		text string
	}{{handle, "handles"}, {deferred, "defers"}, {ignored, "ignores"}} {
		var names []string
		for _, r := range s.rules {
			if r.reaction == n.how && (r.act == nil || len(r.act.targets) == 0) {
				names = append(names, eventName(r.event))
			}
		}
		if n.how == deferred && s.deferAll {
			names = append(names, "all else")
		}
		if len(names) > 0 {
			parts = append(parts, n.text+" "+strings.Join(names, ", "))
		}
	}
	if s.hot {
		parts = append(parts, "hot")
	}
	if s.cold {
		parts = append(parts, "cold")
	}
	return strings.Join(parts, "; ")
}

// Sizes of charts, in pixels.
const (
	chartWidth, chartBox, chartRow = 260, 54, 110
	chartBend                      = 46 // bend of an arrow for each state that it passes
)

// SVG returns the state chart of the kind as an SVG image: states from top to bottom, forward edges on the right,
// backward edges and self-loops on the left.
func (k *Kind) SVG() string {
	arrows := k.arrows()
	longest := 0
	for _, a := range arrows {
		longest = max(longest, len(strings.Join(a.labels, ", ")))
	}
	side := chartBend*len(k.states)/2 + 7*longest + 30
	width, height := 2*side+chartWidth, chartRow*len(k.states)+20
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" `+
		`font-family="sans-serif" font-size="12">`+"\n", width, height, width, height)
	fmt.Fprintf(&b, "<title>%s</title>\n", html.EscapeString(k.name))
	b.WriteString(`<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">` +
		`<path d="M0 0L8 4L0 8z"/></marker></defs>` + "\n")
	top := func(i int) int { return 20 + i*chartRow }
	for i, s := range k.states {
		fill := map[bool]string{true: "#fbe3d6", false: "#eef3fa"}[s.hot]
		fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%d" height="%d" rx="8" fill="%s" stroke="#345"/>`+"\n", side, top(i), chartWidth,
			chartBox, fill)
		fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="middle" font-weight="bold">%s</text>`+"\n", side+chartWidth/2, top(i)+22,
			html.EscapeString(string(s.name)))
		fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="middle" font-size="9">%s</text>`+"\n", side+chartWidth/2, top(i)+40,
			html.EscapeString(s.note()))
	}
	for _, a := range arrows {
		x, sign, anchor := side+chartWidth, 1, "start"
		if a.to <= a.from {
			x, sign, anchor = side, -1, "end"
		}
		y1, y2 := top(a.from)+chartBox*2/3, top(a.to)+chartBox/3
		bend := x + sign*chartBend*max(1, a.to-a.from, a.from-a.to)
		fmt.Fprintf(&b, `<path d="M%d %dC%d %d %d %d %d %d" fill="none" stroke="#345" marker-end="url(#tip)"/>`+"\n", x, y1, bend, y1,
			bend, y2, x, y2)
		fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="%s">%s</text>`+"\n", x+(bend-x)*3/4+sign*4, (y1+y2)/2, anchor,
			html.EscapeString(strings.Join(a.labels, ", ")))
	}
	b.WriteString("</svg>\n")
	return b.String()
}
