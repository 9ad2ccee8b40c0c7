package testsched

import (
	"os"
	"sort"
	"strings"
	"time"
)

// KnownList is a list of known findings. They do not end an exploration.
type KnownList struct {
	File  string   // as the user named it
	Lines []string // "DATE IDENTITY" or only the identity
}

// knownList reads the list from VariableKnown. Nil means that there is none.
func knownList() *KnownList {
	file, lines, _ := strings.Cut(os.Getenv(VariableKnown), "\n")
	if file == "" {
		return nil
	}
	return &KnownList{File: file, Lines: strings.Split(lines, "\n")}
}

// KnownFinding counts the runs that ended with a known finding.
type KnownFinding struct {
	Line  string // of the list
	Runs  int
	Title string
}

// countKnown reports whether a run ended with a known finding, and counts it.
func (r *Result) countKnown(c *Config, o *Outcome) bool {
	if c.Known == nil {
		return false
	}
	identity := c.identity(o)
	for _, line := range c.Known.Lines {
		if line != identity && !strings.HasSuffix(line, " "+identity) {
			continue
		}
		for i := range r.Known {
			if r.Known[i].Line == line {
				r.Known[i].Runs++
				return true
			}
		}
		r.Known = append(r.Known, KnownFinding{Line: line, Runs: 1, Title: o.Title()})
		return true
	}
	return false
}

// identity recognizes a finding under other seeds and after other changes of the code: the test, the kind, and the functions in which the
// run ends, or the message of a failed test without lines and numbers.
func (c *Config) identity(o *Outcome) string {
	in := o.In
	if o.Kind == Failed {
		in = general(o.Message)
	}
	text := c.Package + " " + c.Test + ": " + string(o.Kind)
	if in != "" {
		text += " in " + in
	}
	return text
}

// general replaces the numbers of a message by N, and removes the line of a position.
func general(message string) string {
	var b strings.Builder
	digits := false
	for _, c := range strings.Join(strings.Fields(message), " ") {
		if '0' <= c && c <= '9' {
			if !digits {
				b.WriteByte('N')
			}
			digits = true
			continue
		}
		digits = false
		b.WriteRune(c)
	}
	return strings.ReplaceAll(b.String(), ".go:N:", ".go:")
}

// functions names the functions in which goroutines wait: those of the goroutines that hold or wait for a lock that another one needs, or
// else all.
func functions(all []Goroutine) string {
	var locked, names []string
	for _, g := range all {
		if g.Func != "" && g.rank(all) == 0 {
			locked = append(locked, g.Func)
		}
		if g.Func != "" {
			names = append(names, g.Func)
		}
	}
	if len(locked) > 0 {
		names = locked
	}
	return unique(names)
}

// unique sorts names and joins the distinct ones.
func unique(names []string) string {
	sort.Strings(names)
	n := 0
	for i, name := range names {
		if i == 0 || name != names[n-1] {
			names[n] = name
			n++
		}
	}
	return strings.Join(names[:n], ", ")
}

// knownLines returns the lines of the list for the command.
func (r *Result) knownLines() string {
	var lines []string
	for _, k := range r.Known {
		lines = append(lines, k.Line)
	}
	return strings.Join(lines, "\n")
}

// knownText describes the known findings of an exploration.
func knownText(list []KnownFinding, runs int) string {
	var b strings.Builder
	for _, k := range list {
		b.WriteString("macemc: known: " + k.Title + "\n  " + k.Line + "\n  in " + plural(k.Runs, "run", "runs") + " of " + plural(runs, "schedule", "schedules") + "\n")
	}
	return b.String()
}

// asNew returns the lines that make a finding known. The outcome of the minimized run may be another one.
func (s *Settings) asNew(c *Config, outcomes ...*Outcome) string {
	if c.Known == nil {
		return ""
	}
	var b strings.Builder
	last := ""
	for _, o := range outcomes {
		if o == nil || c.identity(o) == last {
			continue
		}
		last = c.identity(o)
		b.WriteString("new; this line in " + c.Known.File + " makes it known:\n  " + time.Now().Format(time.DateOnly) + " " + last + "\n")
	}
	return b.String()
}
