package eventgraph

import (
	"path"
	"strings"

	"github.com/macemc/macemc/internal/replay"
)

// detail lists the choices, nested calls and effects of a step.
func (e *Event) detail() []string {
	var lines []string
	for _, c := range e.Choices {
		if replay.Notable(c) {
			lines = append(lines, "choice "+replay.Decision(c))
		}
	}
	for i := range e.effects {
		f := &e.effects[i]
		text := strings.Repeat("  ", f.Depth) + f.Phrase()
		if !f.Applied {
			text += " (did not happen)"
		}
		if f.From != "" {
			text += "  " + path.Base(f.From)
		}
		lines = append(lines, text)
	}
	if e.Round != "" {
		lines = append(lines, e.Round)
	}
	return lines
}
