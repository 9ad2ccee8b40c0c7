package summary

import (
	"fmt"
	"os"
	"path/filepath"
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

// PlaceOf returns a finding at the line of its decisive step. critical is the number of the critical step; 0 means unknown. Without that
// step it is the place of the finding, in the working directory, which is the folder of the package.
func PlaceOf(o *testsched.Outcome, critical int) *Place {
	p := &Place{Kind: string(o.Kind), Title: o.Title(), Text: o.Title()}
	if len(o.Details) > 0 {
		p.Text = o.Details[0]
	}
	at, _, _ := strings.Cut(o.Where, " ")
	if k := testsched.Decisive(o, critical); k > 0 {
		e := &o.Trace[k-1]
		p.File, at = e.File, e.At
		if k == critical {
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

// Store adds the file of the schedule, which is the place if no source line is known, and the command that executes it.
func (p *Place) Store(file, command string) {
	p.Command = command
	if abs, err := filepath.Abs(file); err == nil && p.File == "" {
		p.File, p.Line, p.Text = abs, 1, "the schedule"
	}
}
