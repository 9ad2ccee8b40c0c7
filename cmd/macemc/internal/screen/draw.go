package screen

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/macemc/macemc/mdb"
)

// layout is the position of the panes.
type layout struct {
	steps, state, lower area
	second              area // beside the lower pane, on wide screens: the difference
}

// wide is the width from which on the difference has a pane of its own.
const wide = 150

func (m *Model) layout() layout {
	top := max(5, (m.height-3)*9/20)
	left := m.width * 9 / 20
	l := layout{
		steps: area{x: 0, y: 1, w: left, h: top},
		state: area{x: left + 1, y: 1, w: m.width - left - 1, h: top},
		lower: area{x: 0, y: 1 + top, w: m.width, h: m.height - 3 - top},
	}
	if m.width >= wide {
		l.lower.w = m.width * 13 / 20
		l.second = area{x: l.lower.w + 1, y: l.lower.y, w: m.width - l.lower.w - 1, h: l.lower.h}
	}
	return l
}

// View draws the screen.
func (m *Model) View() *Frame {
	f := newFrame(m.width, m.height)
	all := area{f, 0, 0, m.width, m.height}
	if m.tooSmall() {
		all.put(0, 0, fmt.Sprintf("%dx%d is too small,", m.width, m.height), Bad)
		all.put(0, 1, fmt.Sprintf("%dx%d is needed; q quits", MinWidth, MinHeight), Plain)
		return f
	}
	l := m.layout()
	for _, a := range []*area{&l.steps, &l.state, &l.lower, &l.second} {
		a.f = f
	}
	heading := m.heading()
	all.put(0, 0, heading+strings.Repeat(" ", max(0, m.width-len([]rune(heading)))), Title)
	m.drawSteps(l.steps.box("steps", m.focus == stepsPane))
	about := "states"
	if m.shown.At.Node >= 0 {
		about = "state of " + m.shown.At.Name(m.shown.At.Node)
	}
	m.drawState(l.state.box(about, m.focus == statePane))
	focus := m.focus == lowerPane
	switch m.lower {
	case showGraph:
		m.drawLanes(l.lower.box("event graph", focus))
	case showDiff:
		m.drawText(l.lower.box(m.compared(), focus), m.shown.Differences, m.scrolls[showDiff])
	case showSource:
		m.drawText(l.lower.box("source", focus), m.shown.Source, m.scrolls[showSource])
	case showOutput:
		m.drawText(l.lower.box("output", focus), m.output, m.scrolls[showOutput])
	case showHelp:
		if m.running.line == "" { // otherwise the session is in use by a command
			m.drawText(l.lower.box("help", focus), m.text(), m.scrolls[showHelp])
		}
	}
	if l.second.w > 0 {
		m.drawText(l.second.box(m.compared(), false), m.shown.Differences, 0)
	}
	m.drawFoot(area{f, 0, m.height - 2, m.width, 2})
	return f
}

// compared returns the title of the differences.
func (m *Model) compared() string {
	if m.shown.At.Goroutines {
		return "difference from the passing run"
	}
	return "difference from the live run"
}

func (m *Model) drawSteps(a area) {
	at := m.shown.At
	first := 0
	for i, s := range m.shown.Steps { // the list is slightly longer than the pane
		if s.Step == at.Step && i >= a.h {
			first = i - a.h + 1
		}
	}
	digits := len(fmt.Sprint(at.Last))
	for y, s := range m.shown.Steps[min(first, len(m.shown.Steps)):] {
		if y >= a.h {
			break
		}
		style := Plain
		marks := []byte("   ")
		if s.Fault {
			style = Fault
		}
		if s.Live {
			marks[2] = '+'
		}
		if s.Critical {
			marks[1], style = '>', Critical
		} else if s.Round {
			marks[1] = 'o'
		}
		if s.Step == at.Step {
			marks[0], style = '@', Current
		}
		text := fmt.Sprintf("%s%*d %s", marks, digits, s.Step, s.Text)
		if style == Current {
			text += strings.Repeat(" ", max(0, a.w-len([]rune(text))))
		}
		a.put(0, y, text, style)
	}
}

func (m *Model) drawState(a area) {
	for y, s := range m.shown.States[min(m.state, len(m.shown.States)):] {
		if y >= a.h {
			break
		}
		if s.Path == "" || y == 0 {
			mark := ""
			if s.Path == "" && s.Changed {
				mark = " changed"
			}
			a.put(0, y, m.shown.At.Name(s.Node)+mark, Title)
			continue
		}
		mark, style, was := "  ", Plain, ""
		if s.Changed {
			mark, style, was = " *", Changed, "  was "+cmp.Or(s.Old, "none")
		}
		text := mark + s.Path
		if room := a.w - len([]rune(s.Value+was)) - 2; len([]rune(text)) > room && room > 12 {
			rs := []rune(text)
			text = mark + "…" + string(rs[len(rs)-room+4:]) // the end of a path is most informative
		}
		x := a.put(0, y, text+"  ", style)
		x = a.put(x, y, s.Value, style)
		a.put(x, y, was, Dim)
	}
	a.more(len(m.shown.States) - m.state - a.h)
}

// drawLanes draws the event graph with the current step in the middle.
func (m *Model) drawLanes(a area) {
	at := m.shown.At
	lines := m.shown.Lanes
	if len(lines) == 0 {
		a.put(0, 0, "no step yet", Dim)
		return
	}
	a.put(0, 0, lines[0].Text, Title) // names of the lanes
	lines, a = lines[1:], area{a.f, a.x, a.y + 1, a.w, a.h - 1}
	begin, end := 0, 0
	for i, l := range lines {
		if l.Step < at.Step {
			begin = i + 1
		}
		if l.Step <= at.Step {
			end = i + 1
		}
	}
	first := max(0, min((begin+end-a.h)/2, len(lines)-a.h, begin))
	for y, l := range lines[first:] {
		if y >= a.h {
			break
		}
		a.put(0, y, l.Text, laneStyle(l, at))
	}
}

func laneStyle(l mdb.LaneLine, at mdb.Position) Style {
	switch {
	case l.Step == at.Step && at.Step > 0:
		return Current
	case l.Step == at.Critical && l.Step > 0:
		return Critical
	}
	return Plain
}

func (m *Model) drawText(a area, text []string, first int) {
	first = min(first, max(0, len(text)-1))
	for y, line := range text[first:] {
		if y >= a.h {
			break
		}
		style := Plain
		switch {
		case strings.HasPrefix(line, ": "):
			style = Dim
		case strings.HasPrefix(line, "error: "):
			style = Bad
		case strings.HasPrefix(line, "=> "):
			style = Current
		}
		a.put(0, y, line, style)
	}
	a.more(len(text) - first - a.h)
}

// drawFoot draws a message or the summary of the step, and the command line.
func (m *Model) drawFoot(a area) {
	switch {
	case m.entry.offers != nil:
		a.put(0, 0, strings.Join(m.entry.offers, "  "), Dim)
	case m.message != "" && m.failed:
		a.put(0, 0, m.message, Bad)
	case m.message != "":
		a.put(0, 0, m.message, Dim)
	case m.shown.At.Finding != "":
		a.put(0, 0, m.shown.At.Finding, Bad)
	default:
		a.put(0, 0, m.shown.Summary, Plain)
	}
	switch {
	case m.running.line != "":
		a.put(0, 1, m.running.line+" … (Ctrl-C stops it)", Dim)
	case m.entry.typing:
		first := max(0, m.entry.cursor-(a.w-3)) // the cursor stays visible
		a.put(0, 1, ":"+string(m.entry.line[first:]), Plain)
		a.f.CursorX, a.f.CursorY = 1+m.entry.cursor-first, a.y+1
	default:
		a.put(0, 1, ": command  ? help  c critical  g graph  d diff  s source  Tab pane  q quit", Dim)
	}
}
