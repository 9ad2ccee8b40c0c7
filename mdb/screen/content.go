package screen

import (
	"fmt"

	"github.com/macemc/macemc/mdb"
)

// content is what a session has to show at present.
type content struct {
	at     mdb.Position
	steps  []mdb.StepLine
	state  []mdb.StateLine
	lanes  []mdb.LaneLine
	diff   []string
	source []string
	about  string
	err    error
}

// refresh asks the session for what is to be shown.
func (m *Model) refresh() {
	if m.busy != "" || m.tooSmall() {
		return
	}
	l := m.layout()
	var c content
	c.at = m.session.Position()
	half := l.steps.h / 2
	from := max(0, min(c.at.Step-half, c.at.Last-l.steps.h+2))
	c.steps = m.session.Steps(from, from+l.steps.h)
	c.about = m.session.Summary()
	var err error
	if c.state, err = m.session.States(); err != nil {
		c.err = err
	}
	if m.lower == showGraph || l.second.w > 0 {
		reach := l.lower.h
		if c.lanes, err = m.session.Lanes(c.at.Step-reach, c.at.Step+reach, l.lower.w); err != nil {
			c.err = err
		}
	}
	if m.lower == showDiff || l.second.w > 0 {
		if c.diff, err = m.session.Differences(); err != nil {
			c.diff = []string{err.Error()}
		}
	}
	if m.lower == showSource {
		if c.source, err = m.session.Source(max(2, l.lower.h/2-2)); err != nil {
			c.source = []string{err.Error()}
		}
	}
	if old := m.shown.at; c.at.Step != old.Step || c.at.Run != old.Run {
		m.state = inSight(c, l.state.h-1)
	}
	m.state = max(0, min(m.state, len(c.state)-1))
	m.shown = c
	if c.err != nil {
		m.message, m.failed = c.err.Error(), true
	}
}

// inSight is the first line of the state pane, of some height, with which what the step changed is seen,
// or else the node of the step.
func inSight(c content, height int) int {
	node, first := -1, 0
	for _, s := range c.steps {
		if s.Step == c.at.Step {
			node = s.Node
		}
	}
	for i, l := range c.state {
		switch {
		case l.Path == "" && l.Node == node:
			first = i
		case l.Path != "" && l.Changed:
			if i-first >= height {
				return i - 1 // whose place the node's name takes
			}
			return first
		}
	}
	return first
}

// heading is the first line of the screen.
func (m *Model) heading() string {
	p := m.shown.at
	text := fmt.Sprintf(" mdb  %s  %s  step %d of %d", p.System, p.Run, p.Step, p.Last)
	if p.Node >= 0 {
		text += fmt.Sprintf("  n%d selected", p.Node)
	}
	switch {
	case p.Critical > 0 && p.Step == p.Critical:
		text += "  CRITICAL"
	case p.Critical > 0:
		text += fmt.Sprintf("  critical: %d", p.Critical)
	}
	if p.Live {
		text += "  live"
	} else {
		text += "  not live"
	}
	return text
}
