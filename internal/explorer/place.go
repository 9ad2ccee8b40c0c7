package explorer

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/macemc/macemc/internal/testsched"
)

// Place is a finding at its source line, for other programs.
type Place struct {
	Kind    string
	Title   string
	Text    string // what happens at the line
	File    string // absolute, unless the build trims paths; empty means unknown
	Line    int
	Command string // executes the schedule; empty means that it could not be stored
	Known   string // reason for which the finding is accepted; empty means that it is new
}

// Decisive returns the number of the step whose source reports show: the critical one, or else the last one at the place of the finding. 0
// means unknown.
func Decisive(o *testsched.Outcome, critical int) int {
	if 0 < critical && critical <= len(o.Trace) {
		return critical
	}
	for i, e := range slices.Backward(o.Trace) {
		if len(o.Details) == 0 || e.At == "" {
			continue
		}
		_, rest, found := strings.Cut(o.Details[0], " at "+e.At)
		if found && strings.IndexAny(rest, "0123456789") != 0 { // a longer number is another line
			return i + 1
		}
	}
	return 0
}

// placeOf returns a finding at the line of its decisive step. Without that step it is the place of the finding, in the working directory,
// which is the folder of the package.
func placeOf(m *Minimized) *Place {
	o := m.Outcome
	p := &Place{Kind: string(o.Kind), Title: o.Title(), Text: o.Title()}
	if len(o.Details) > 0 {
		p.Text = o.Details[0]
	}
	at, _, _ := strings.Cut(o.Where, " ")
	if k := Decisive(o, m.Critical); k > 0 {
		e := &o.Trace[k-1]
		p.File, at = e.File, e.At
		if k == m.Critical {
			p.Text = fmt.Sprintf("critical step %d: %v", k, e)
		}
	} else if at == "" {
		_, at, _ = strings.Cut(p.Text, " at ")
		at, _, _ = strings.Cut(at, " ")
	}
	base, line, _ := strings.Cut(strings.TrimRight(at, ",;:"), ":")
	p.Line, _ = strconv.Atoi(line)
	if here, err := filepath.Abs(base); err == nil && (p.File == "" || trimmed(here, p.File)) {
		if info, err := os.Stat(here); err == nil && info.Mode().IsRegular() {
			p.File = here
		}
	}
	if p.Line == 0 {
		p.File = ""
	}
	return p
}

// trimmed reports whether a build that trims paths names a file by its import path, whose last elements are the same.
func trimmed(file, name string) bool {
	folder := func(path string) string { return filepath.Base(filepath.Dir(path)) }
	return !filepath.IsAbs(name) && folder(file) == folder(name)
}

// store adds the file of the schedule, which is the place if no source line is known, and the command that executes it.
func (p *Place) store(file, command string) {
	p.Command = command
	if abs, err := filepath.Abs(file); err == nil && p.File == "" {
		p.File, p.Line, p.Text = abs, 1, "the schedule"
	}
}

// placeLine is the format of a place in a summary.
const placeLine = "place %q %q %q %q %q %d %q %q\n"

func (p *Place) line(test string) string {
	return fmt.Sprintf(placeLine, test, p.Kind, p.Title, p.Text, p.File, p.Line, p.Command, p.Known)
}

// ParsePlace reads the place from a line of a summary. It returns false for other lines.
func ParsePlace(line string) (p Place, ok bool) {
	var test string
	_, err := fmt.Sscanf(line, placeLine, &test, &p.Kind, &p.Title, &p.Text, &p.File, &p.Line, &p.Command, &p.Known)
	return p, err == nil
}

// knownPlaces returns the known findings that recurred, at their schedules.
func knownPlaces(r *Result) (list []*Place) {
	for _, k := range r.known {
		if k.recurred {
			kind, _, _ := strings.Cut(k.Finding, ":")
			p := &Place{Kind: strings.ToLower(kind), Title: k.Finding, Known: k.Known}
			p.store(k.File, "")
			list = append(list, p)
		}
	}
	return list
}

// resultLines returns the lines of a summary about the result of an exploration: its finding, or else its coverage.
func resultLines(test string, r *Result) (text string) {
	if r.First != nil && r.First.Skipped {
		text = fmt.Sprintf("skipped %q\n", test)
	}
	switch p := r.reported; {
	case p == nil:
	case p.place != nil:
		text += fmt.Sprintf("finding %q %q\n", test, p.Finding) + showsLine(p.shows) + p.place.line(test)
	default:
		text += fmt.Sprintf("text %q %q\n", test, cmp.Or(p.Note, p.Known))
	}
	for _, p := range knownPlaces(r) {
		text += p.line(test)
	}
	return text
}
