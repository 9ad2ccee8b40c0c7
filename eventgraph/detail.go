package eventgraph

import (
	"fmt"
	"path"
	"strings"

	"github.com/macemc/macemc/replay"
)

// detail lists what a step did, for a reader who opens it: choices, nested calls, effects.
func (e *Event) detail() []string {
	var lines []string
	for _, c := range e.Choices {
		if replay.Notable(c) {
			lines = append(lines, fmt.Sprintf("choice %s: %d of %d", c.Label, c.Pick, c.Arity))
		}
	}
	for _, f := range e.effects {
		text := strings.Repeat("  ", f.Depth) + strings.TrimSpace(f.Kind+" "+f.Text)
		if f.Peer >= 0 {
			text += fmt.Sprintf(" to n%d", f.Peer)
		}
		if !f.Applied {
			text += " (did not happen)"
		}
		if f.From != "" {
			text += "  " + path.Base(f.From)
		}
		lines = append(lines, text)
	}
	return lines
}
