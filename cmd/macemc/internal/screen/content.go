package screen

import (
	"fmt"

	"github.com/macemc/macemc/mdb"
)

// refresh requests the visible content from the session.
func (m *Model) refresh() {
	if m.running.line != "" || m.tooSmall() {
		return
	}
	l := m.layout()
	w := mdb.Wanted{Steps: l.steps.h, Width: l.lower.w, Differences: m.lower == showDiff || l.second.w > 0}
	if m.lower == showGraph || l.second.w > 0 {
		w.Reach = l.lower.h
	}
	if m.lower == showSource {
		w.Source = max(2, l.lower.h/2-2)
	}
	v := m.session.View(w)
	if old := m.shown.At; v.At.Step != old.Step || v.At.Run != old.Run {
		m.state = inSight(v, l.state.h-1)
	}
	m.state = max(0, min(m.state, len(v.States)-1))
	m.shown = v
	if v.Err != "" {
		m.message, m.failed = v.Err, true
	}
}

// inSight returns a first line for the state pane, of the given height, that makes the changes of the step visible, or else the node of the
// step.
func inSight(v mdb.View, height int) int {
	node, first := -1, 0
	for _, s := range v.Steps {
		if s.Step == v.At.Step {
			node = s.Node
		}
	}
	for i, l := range v.States {
		switch {
		case l.Path == "" && l.Node == node:
			first = i
		case l.Path != "" && l.Changed:
			if i-first >= height {
				return i - 1 // the node's name replaces the line before
			}
			return first
		}
	}
	return first
}

// heading returns the first line of the screen.
func (m *Model) heading() string {
	p := m.shown.At
	text := fmt.Sprintf(" mdb  %s  %s  step %d of %d", p.System, p.Run, p.Step, p.Last)
	if p.Node >= 0 {
		text += "  " + p.Name(p.Node) + " selected"
	}
	switch {
	case p.Critical > 0 && p.Step == p.Critical:
		text += "  CRITICAL"
	case p.Critical > 0:
		text += fmt.Sprintf("  critical: %d", p.Critical)
	}
	switch {
	case p.Goroutines: // states of a test are never live
	case p.Live:
		text += "  live"
	default:
		text += "  not live"
	}
	return text
}
