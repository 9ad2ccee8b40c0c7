// Package identity distinguishes findings by their causes.
package identity

import (
	"cmp"
	"regexp"
	"strings"
	"unicode"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel/properties"
	"github.com/macemc/macemc/internal/pathfile"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/report/document"
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/sim"
)

// Identity is equal for findings with the same cause.
type Identity struct {
	Kind           sim.FindingKind
	Property       string
	event, handler string // of the decisive step: the kind of event with the name of its action, timer or message; the source position
	panicked       string // the frame that panicked
	text           string // the words of the message of a panic, an assertion or a monitor
}

// Of returns the identity of a report's finding.
func Of(r *report.Report) Identity {
	id := Identity{Kind: r.Kind, Property: r.Property, handler: r.HandledBy()}
	if s := r.DecisiveStep(); s != nil {
		id.event = s.Kind
		name := s.What
		if n := strings.IndexFunc(name, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) && c != '_' && c != '.' }); n >= 0 && s.Kind != eventkind.DoAction.String() {
			name = name[:n] // the rest is content
		}
		if name != "" {
			id.event += " " + name
		}
	}
	if places := document.Positions(r); r.Stack != "" && len(places) > 0 {
		id.panicked = places[0].Short
	}
	if tells(r) {
		id.text = words(r.Message)
	}
	return id
}

// tells reports whether the message of a finding distinguishes defects. That of a property describes a state.
func tells(r *report.Report) bool {
	return r.Kind == sim.Panic || r.Kind == sim.Safety && r.Explain == "" && r.Message != properties.DoesNotHold
}

// words returns the first line of a message without numbers, addresses, quoted texts and the contents of brackets.
func words(message string) string {
	depth, quoted := 0, false
	return strings.Map(func(c rune) rune {
		switch {
		case c == '"':
			quoted = !quoted
			return c
		case quoted:
			return -1
		case strings.ContainsRune("([{", c):
			depth++
		case strings.ContainsRune(")]}", c):
			depth = max(0, depth-1)
		}
		if depth > 0 || unicode.IsDigit(c) {
			return -1
		}
		return c
	}, address.ReplaceAllString(textfmt.FirstLine(message), ""))
}

var address = regexp.MustCompile(`\b0x[0-9a-f]+`)

// AsRecorded reports whether a violation is the one that the header of its path file records: kind, property, and the words of a message
// that tells defects apart.
func AsRecorded(h *pathfile.Header, r *report.Report) bool {
	if string(r.Kind) != h.Finding || r.Property != h.Property {
		return false
	}
	recorded, ok := strings.CutPrefix(h.Note, string(r.Kind)+": ")
	return !ok || !tells(r) || words(recorded) == words(r.Message)
}

// Step describes the decisive step.
func (id Identity) Step() string {
	switch {
	case id.event == "", id.handler == "", id.handler == id.event:
		return cmp.Or(id.event, id.handler)
	}
	return id.event + " (" + id.handler + ")"
}
