package eventgraph

import (
	"fmt"
	"strings"
)

// canvas is the lane part of one line.
type canvas []rune

func (c *canvas) put(col int, s string) {
	for _, r := range s {
		for len(*c) <= col {
			*c = append(*c, ' ')
		}
		if col >= 0 {
			(*c)[col] = r
		}
		col++
	}
}

func (c canvas) String() string { return strings.TrimRight(string(c), " ") }

// blank returns a line with bars only.
func (l *lanes) blank() canvas {
	var c canvas
	for i, x := range l.x {
		if l.bars && x >= 0 && l.up[i] {
			c.put(x, "|")
		}
	}
	return c
}

// numbered returns the first line of a step.
func (l *lanes) numbered(e *Event) canvas {
	c := l.blank()
	mark := ' '
	if l.g.decisive(e) {
		mark = '>'
	} else if l.g.inRound(e.Step) {
		mark = '@'
	}
	c.put(0, fmt.Sprintf(" %c%*d", mark, l.digits, e.Step))
	return c
}

// at writes an event of one node.
func (l *lanes) at(c *canvas, node int, text string) {
	x := l.x[node]
	if l.bars {
		text = "* " + text
	}
	c.put(x, text)
}

// reach returns the columns of an arrow between two lanes, both inclusive.
func (l *lanes) reach(from, to int) (left, right int) {
	margin := 2
	if l.bars {
		margin = 1
	}
	return min(l.x[from], l.x[to]) + margin, max(l.x[from], l.x[to]) - margin
}

// arrow draws an arrow between two different lanes, and reports whether its label fitted.
func (l *lanes) arrow(c *canvas, from, to int, line, label string) bool {
	left, right := l.reach(from, to)
	room := right - left + 1
	for x := left; x <= right; x++ {
		c.put(x, line)
	}
	for _, x := range l.x {
		if l.bars && x > left && x < right {
			c.put(x, "+")
		}
	}
	text, whole := fit(label, room-4)
	if l.x[from] < l.x[to] {
		c.put(right, ">")
		c.put(left+2, text)
	} else {
		c.put(left, "<")
		c.put(right-1-len([]rune(text)), text)
	}
	return whole
}

// fit returns label, or the name in front of its fields, or nothing, whichever fits into room characters.
func fit(label string, room int) (text string, whole bool) {
	if len([]rune(label)) <= room {
		return label, true
	}
	name, _, _ := strings.Cut(label, "{")
	if len([]rune(name)) <= room {
		return name, false
	}
	return "", false
}

// shortly returns label, or only the name in front of its fields if label is long.
func shortly(label string) string {
	const most = 16
	if text, _ := fit(label, most); text != "" {
		return text
	}
	return label
}

// stub draws a message that does not arrive, and reports whether its label fitted. The text lost is between the
// label and the end of the line.
func (l *lanes) stub(c *canvas, from, to int, label, lost string) bool {
	left, right := l.reach(from, to)
	text, whole := fit(label, right-left-3-len(lost)-1)
	if l.x[from] < l.x[to] {
		c.put(left, "--"+strings.TrimSpace(text+" "+lost)+" x")
	} else {
		text = "x " + strings.TrimSpace(lost+" "+text) + "--"
		c.put(right+1-len([]rune(text)), text)
	}
	return whole
}
