package eventgraph

import (
	"encoding/xml"
	"fmt"
	"path"
	"strings"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/textfmt"
)

// crashLabel names what a node did when it crashed, unless an arrow shows it.
func (e *Event) crashLabel() string {
	what := ""
	if e.kind != eventkind.Deliver {
		what = e.svgLabel() + ", "
	}
	return what + e.failureWord() + " inside" + replay.AlsoFell(e.With)
}

// svgLabel is a shorter label; the title has the full one.
func (e *Event) svgLabel() string {
	const most = 30
	brief := *e
	brief.What = shortly(e.What)
	if e.kind == eventkind.DeliverError {
		brief.What = ""
	}
	return textfmt.Truncate(brief.label(), most)
}

// svgNotes returns the text beside a step.
func (g *Graph) svgNotes(e *Event) string {
	parts := e.narrow(mostChanges)
	parts = append(parts, e.Aftermath...)
	if turn := e.turn; turn != "" {
		parts = append([]string{turn}, parts...)
	}
	if race := e.raceText(); race != "" {
		parts = append([]string{race}, parts...)
	}
	notes := strings.Join(parts, ", ")
	if e.Source != "" {
		notes = strings.TrimSpace(notes + "  " + path.Base(e.Source))
	}
	return notes
}

// twoLines breaks a text between words into lines of at most n letters, and cuts the rest.
func twoLines(s string, n int) (first, second string) {
	if r := []rune(s); len(r) > n {
		if at := strings.LastIndexByte(string(r[:n+1]), ' '); at > 0 {
			return strings.TrimSpace(s[:at]), textfmt.Truncate(strings.TrimSpace(s[at:]), n)
		}
	}
	return textfmt.Truncate(s, n), ""
}

// title describes a step in full, for a tooltip.
func (g *Graph) title(e *Event) string {
	parts := []string{fmt.Sprintf("step %d: %s", e.Step, strings.TrimSpace(fmt.Sprintf("%s %s", e.Kind, e.What)))}
	if c := strings.Join(e.digest(mostChanges), ", "); c != "" {
		parts = append(parts, c)
	}
	parts = append(parts, e.Aftermath...)
	for _, p := range e.Broke {
		parts = append(parts, "no longer: "+p)
	}
	for _, p := range e.Mended {
		parts = append(parts, "holds again: "+p)
	}
	if e.Source != "" {
		parts = append(parts, e.Source)
	}
	return strings.Join(parts, "\n")
}

func escape(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // writing to a builder does not fail
	return b.String()
}
