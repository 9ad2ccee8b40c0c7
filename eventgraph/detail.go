package eventgraph

import (
	"path"
	"strings"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/textfmt"
)

// errorLine returns the finding in one line: all its lines, or only the first one if they are long.
func (e *Event) errorLine() string {
	const most = 160
	if all := strings.ReplaceAll(strings.TrimSpace(e.Error), "\n", "; "); len(all) <= most {
		return all
	}
	return textfmt.FirstLine(e.Error)
}

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
	if e.kind == eventkind.Boot {
		lines = append(lines, e.Aftermath...)
	}
	if race := e.raceText(); race != "" {
		lines = append(lines, race)
	}
	if e.Round != "" {
		lines = append(lines, e.Round)
	}
	return lines
}
