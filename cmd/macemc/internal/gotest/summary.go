package gotest

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/testsched"
	"github.com/macemc/macemc/internal/textfmt"
)

// summaries is a writer that appends a summary of the exploration to the line of each package.
type summaries struct {
	out    io.Writer
	folder string
	since  time.Time
	race   bool
	rest   []byte // incomplete line
	total  packageSummary
	notes  []testNote
	known  []string // lines of known findings that were found
	ran    []string // tests whose known findings are not found unless they are in known, as "PACKAGE TEST"
	list   []report.Known
	file   string          // of list; empty means none
	failed int             // number of failed tests, and of findings that were not yet confirmed or minimized
	shown  map[string]bool // packages whose summaries were read
}

// testNote is a note of the exploration about tests of a package.
type testNote struct {
	pkg, text string
	tests     []string
}

// String lists the first three tests.
func (n testNote) String() string {
	names, text := strings.Join(n.tests, ", "), n.text
	if more := len(n.tests) - 3; more > 0 {
		names = fmt.Sprintf("%s and %d more", strings.Join(n.tests[:3], ", "), more)
	}
	if len(n.tests) > 1 {
		text = strings.Replace(text, ": it ", ": each ", 1)
	}
	return n.pkg + " " + names + ": " + text
}

// packageSummary is the sum over the tests of packages.
type packageSummary struct {
	tests, schedules int
	complete         int // number of tests
	elapsed          time.Duration
}

func (p packageSummary) String() string {
	complete := ""
	if p.complete > 0 {
		complete = fmt.Sprintf(" (%d complete)", p.complete)
	}
	return fmt.Sprintf("%s of %s%s, %.0f/s", textfmt.Plural(p.schedules, "schedule"), textfmt.Plural(p.tests, "test"), complete,
		float64(p.schedules)/max(p.elapsed.Seconds(), 1e-6))
}

func (s *summaries) Write(p []byte) (int, error) {
	s.rest = append(s.rest, p...)
	for {
		end := bytes.IndexByte(s.rest, '\n')
		if end < 0 {
			return len(p), nil
		}
		line := string(s.rest[:end])
		s.rest = append(s.rest[:0], s.rest[end+1:]...)
		if _, err := fmt.Fprintln(s.out, s.line(line)); err != nil {
			return len(p), err
		}
	}
}

// line returns a line of go test with the summary of its package.
func (s *summaries) line(line string) string {
	if strings.HasPrefix(strings.TrimSpace(line), "--- FAIL: ") {
		s.failed++
	}
	fields := strings.Fields(line)
	if len(fields) < 3 || !strings.HasPrefix(line, "ok  \t") && !strings.HasPrefix(line, "FAIL\t") {
		return line
	}
	file, err := os.Stat(testsched.SummaryFile(s.folder, fields[1]))
	if err != nil || file.ModTime().Before(s.since) && !strings.Contains(line, "(cached)") {
		return line // the summary is of an earlier run
	}
	sum := s.read(fields[1])
	if sum.schedules == 0 {
		return line
	}
	return line + "\t" + sum.String()
}

// read returns the sum over the tests of a package.
func (s *summaries) read(pkg string) (sum packageSummary) {
	text, err := os.ReadFile(testsched.SummaryFile(s.folder, pkg))
	if err != nil {
		return sum
	}
	if s.shown == nil {
		s.shown = map[string]bool{}
	}
	s.shown[pkg] = true
	for line := range strings.Lines(string(text)) {
		var name, note string
		var schedules int
		var micros int64
		var kind, known string
		if _, err := fmt.Sscanf(line, "%q %d %d %s %q %q", &name, &schedules, &micros, &kind, &note, &known); err != nil {
			continue
		}
		if known != "" {
			s.known = append(s.known, strings.Split(known, "\n")...)
		}
		if kind == testsched.Suspect {
			s.failed++
		}
		if note != "" {
			i := slices.IndexFunc(s.notes, func(n testNote) bool { return n.pkg == pkg && n.text == note })
			if i < 0 {
				i, s.notes = len(s.notes), append(s.notes, testNote{pkg: pkg, text: note})
			}
			s.notes[i].tests = append(s.notes[i].tests, name)
		}
		if strings.HasPrefix(note, "not explored") {
			continue
		}
		sum.tests++
		if kind == testsched.SampledOnly || kind == testsched.Complete {
			s.ran = append(s.ran, pkg+" "+name)
		}
		if kind == testsched.Complete {
			sum.complete++
		}
		sum.schedules += schedules
		sum.elapsed += time.Duration(micros) * time.Microsecond
	}
	s.total.tests += sum.tests
	s.total.complete += sum.complete
	s.total.schedules += sum.schedules
	s.total.elapsed += sum.elapsed
	return sum
}

// unreported reads the summaries of packages of these modules for which the go command wrote no line, because it was killed.
func (s *summaries) unreported(modules []string) {
	files, _ := os.ReadDir(s.folder)
	for _, f := range files {
		pkg := testsched.SummaryPackage(f.Name())
		info, err := f.Info()
		if err != nil || info.ModTime().Before(s.since) || s.shown[pkg] {
			continue
		}
		if slices.ContainsFunc(modules, func(m string) bool { return pkg == m || strings.HasPrefix(pkg, m+"/") }) {
			s.read(pkg)
		}
	}
}

// finish writes the sum over all packages.
func (s *summaries) finish() {
	s.out.Write(s.rest)
	for _, note := range s.notes {
		fmt.Fprintln(s.out, "macemc:", note)
	}
	if s.total.tests > 1 {
		memory := ", plain memory (without -race)"
		if s.race {
			memory = ""
		}
		fmt.Fprintf(s.out, "macemc: %v; not scheduling points: cgo, files, processes, signals%s\n", s.total, memory)
	}
	s.baseline()
}
