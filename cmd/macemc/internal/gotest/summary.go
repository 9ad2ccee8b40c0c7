package gotest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/internal/explorer/summary"
	"github.com/macemc/macemc/internal/testsched"
)

// summaries is a writer that appends a summary of the exploration to the line of each package.
type summaries struct {
	out    io.Writer
	folder string           // of the summaries of this run
	cached *cachedSummaries // nil means none
	pkg    string           // see exploration
	display
	rest   []byte // incomplete line
	total  packageSummary
	notes  []testNote
	failed int      // number of failed tests, and of findings that no failed test reports
	shown  []string // packages whose summaries were read

	end     io.Writer           // for the last lines
	failing map[string][]string // failed tests of packages without a summary yet; only events of -json name the package
	known   []string            // lines about known findings
	counts  struct{ new, known, fixed, unsought, hidden, damaged int }
	results results
	failures
	typed  string // the command line
	budget *budget
}

// failures describes what failed besides tests.
type failures struct {
	other       bool                   // a package failed for another reason than its tests
	passed      bool                   // a package passed
	ended       bool                   // there are packages without a line
	undefined   string                 // flag that a test binary does not know
	unbuilt     []string               // packages whose tests were not built
	interrupted func() bool            // nil means no
	signals     map[string]string      // lines about processes that were killed, by package as in failing
	output      map[string]*testOutput // of tests, likewise
}

// interrupted is the cause of the end of a command that is interrupted.
const interrupted = "interrupted"

// newSummaries returns the writer for the output of go test, which writes to stdout, and to stderr what is not in events of -json.
func newSummaries(ctx context.Context, x *exploration, stdout, stderr io.Writer, a Runner) *summaries {
	keys := &cachedSummaries{store: x.store, out: stderr, looked: map[string]string{}, saved: map[string][]string{}}
	s := &summaries{out: stdout, end: stdout, folder: x.Summaries, cached: keys, display: x.display, pkg: x.pkg,
		typed: a.typed, budget: &x.budget,
		failures: failures{interrupted: func() bool { return ctx.Err() != nil }}}
	if x.json {
		s.end = stderr
	}
	return s
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
		var event struct{ Package, Output string }
		if s.json && json.Unmarshal([]byte(line), &event) == nil {
			if old := strings.TrimSuffix(event.Output, "\n"); old != "" {
				line = withOutput(line, old, s.line(event.Package, old))
			}
		} else if !s.json {
			line = s.line("", line)
		}
		if _, err := fmt.Fprintln(s.out, line); err != nil {
			return len(p), err
		}
	}
}

// withOutput replaces the output in an event of go test -json. Everything else remains as the go command has encoded it.
func withOutput(event, old, new string) string {
	if new == old {
		return event
	}
	quoted := func(text string) string {
		b, _ := json.Marshal(text)
		return strings.TrimSuffix(string(b), `"`)
	}
	return strings.Replace(event, `"Output":`+quoted(old), `"Output":`+quoted(new), 1)
}

// line returns a line of go test with the summary of its package.
func (s *summaries) line(event, line string) string {
	s.watch(event, line)
	fields := strings.Fields(line)
	if len(fields) < 3 || !strings.HasPrefix(line, "ok  \t") && !strings.HasPrefix(line, "FAIL\t") {
		return line
	}
	pkg := fields[1]
	if pkg == testsched.FileArguments {
		pkg = s.pkg
	}
	if strings.HasSuffix(line, " failed]") { // [build failed] or [setup failed]
		s.unbuilt = append(s.unbuilt, pkg)
	}
	file := summary.File(s.folder, pkg)
	if strings.Contains(line, "(cached)") {
		file = s.cached.file(fields[1])
		now := time.Now()
		_ = os.Chtimes(file, now, now) // see keyAge
	}
	cause := ""
	switch sig := s.signals[event]; {
	case s.interrupted != nil && s.interrupted():
		cause = interrupted
	case sig != "":
		cause = "the process of the tests was killed (" + sig + ")"
		delete(s.signals, event)
	}
	sum := s.read(pkg, file, cause)
	if !strings.Contains(line, "(cached)") {
		s.budget.record(pkg, sum.results)
	}
	s.passed = s.passed || strings.HasPrefix(line, "ok")
	s.failed += sum.unexcused(s.failing[event])
	for _, name := range sum.found {
		if contains(s.failing[event], name) {
			continue
		}
		s.failed++
		if strings.HasPrefix(line, "ok") { // go test shows no output of the package
			s.note(pkg, name, "a new finding was stored, although the process of the tests ended with status 0")
		}
	}
	s.results.packages = append(s.results.packages, &packageResult{pkg, line, s.failing[event], s.output[event], sum})
	delete(s.failing, event)
	delete(s.output, event)
	s.other = s.other || strings.HasPrefix(line, "FAIL\t") && len(sum.excused) == 0
	if sum.schedules == 0 {
		return line
	}
	return line + "\t" + sum.String()
}

// watch records what a line of go test reports about failures before the line of the package.
func (s *summaries) watch(event, line string) {
	if s.failing == nil {
		s.failing, s.signals, s.output = map[string][]string{}, map[string]string{}, map[string]*testOutput{}
	}
	if s.output[event] == nil {
		s.output[event] = new(testOutput)
	}
	s.output[event].add(line)
	if name, failed := strings.CutPrefix(strings.TrimSpace(line), "--- FAIL: "); failed {
		name, _, _ = strings.Cut(name, " (")
		s.failing[event] = append(s.failing[event], name)
	}
	if strings.HasPrefix(line, "signal: ") {
		s.signals[event], s.other = line, true
	}
	s.other = s.other || strings.HasPrefix(line, "exit status ") && line != "exit status 1"
	if flag, ok := strings.CutPrefix(line, "flag provided but not defined: "); ok {
		s.undefined = flag
	}
}

// read returns the sum over the tests of a package, from a file. Notes about the end of the process state its cause, unless that is empty.
func (s *summaries) read(pkg, file, cause string) (sum packageSummary) {
	if _, err := os.Stat(file); err != nil {
		return sum
	}
	s.shown = append(s.shown, pkg)
	sum.results, sum.names = summary.Read(file), map[string]int{}
	for _, t := range sum.results {
		if cause != "" {
			t.Note = strings.NewReplacer(summary.EndedEarly, cause+summary.Exploring, summary.EndedBefore,
				"("+cause+summary.Before).Replace(t.Note)
		}
		if strings.HasPrefix(t.Note, unexplored+systemOfNodes) {
			t.Note = searched
		}
		s.count(&sum, t)
		if t.Note != "" {
			s.note(pkg, t.Test, t.Note)
		}
		if d := t.Delayed; d != nil {
			s.noteDelay(pkg, t.Test, d.Text, d.Delay)
		}
		if text := shortNote(t.Short); text != "" && (s.verbose || s.json) {
			s.note(pkg, t.Test, text)
		}
		sum.count(t)
		s.total.count(t)
		for i, lines := range [][]string{t.Known, t.Fixed, t.Unsought} {
			for _, line := range lines {
				prefix := []string{summary.KnownPrefix(t.Kind == summary.Hidden), "fixed: ", "not looked for: "}[i]
				s.known = append(s.known, fmt.Sprintf("%s %s: %s%s", pkg, t.Test, prefix, line))
			}
		}
	}
	return sum
}

// count counts a test by its kind, and its known findings.
func (s *summaries) count(sum *packageSummary, t *summary.Test) {
	sum.names[function(t.Test)]++
	switch t.Kind {
	case summary.Suspect:
		s.failed++
		s.counts.new++
	case summary.New:
		s.counts.new++
		sum.found = append(sum.found, t.Test)
	case summary.Hidden:
		s.counts.hidden++
		sum.excused = append(sum.excused, t.Test)
	case summary.Damaged:
		s.counts.damaged++
		sum.excused = append(sum.excused, t.Test)
	}
	s.counts.known += len(t.Known)
	s.counts.fixed += len(t.Fixed)
	s.counts.unsought += len(t.Unsought)
}

// lacking returns the packages that have a summary and no line yet.
func (s *summaries) lacking() (packages []string) {
	files, _ := os.ReadDir(s.folder)
	for _, f := range files {
		if pkg := summary.Package(f.Name()); pkg != "" && !slices.Contains(s.shown, pkg) {
			packages = append(packages, pkg)
		}
	}
	return packages
}

// unreported reads the summaries of packages for which the go command wrote no line, because it ended early. It writes the findings of
// their tests, unless the go command did. An empty cause means that it did not end early.
func (s *summaries) unreported(cause string) {
	if cause == "" {
		return
	}
	s.out.Write(s.rest)
	s.rest = nil
	for _, pkg := range s.lacking() {
		s.ended = true
		sum := s.read(pkg, summary.File(s.folder, pkg), cause)
		s.results.packages = append(s.results.packages, &packageResult{pkg: pkg, sum: sum})
		for _, t := range sum.results {
			if t.Kind == summary.New && !contains(slices.Concat(s.failing[""], s.failing[pkg]), t.Test) {
				s.failed++
				fmt.Fprintf(s.end, "--- FAIL: %s\n    %s\n", function(t.Test), strings.ReplaceAll(strings.TrimSpace(t.Finding), "\n", "\n    "))
			}
		}
	}
	s.results.problems = append(s.results.problems, cause)
	fmt.Fprintf(s.end, "macemc: %s\n", cause)
}

// finish writes the sum over all packages, and the known findings.
func (s *summaries) finish() {
	s.out.Write(s.rest)
	for _, names := range s.failing {
		s.failed += len(names)
	}
	lines := s.noteLines(s.verbose || s.json)
	if len(s.shown) > 1 && s.total.tests > 1 || s.ended && s.total.tests > 0 { // the line of a single package has its sum
		lines = append(lines, s.total.String())
	}
	if (s.verbose || s.json) && s.total.tests > 1 {
		lines = append(lines, s.unscheduled())
	}
	lines = slices.Concat(lines, s.known, s.untried())
	if s.undefined != "" {
		flag := strings.TrimPrefix(s.undefined, "-")
		lines = append(lines, fmt.Sprintf("unknown flag %s; %ssee macemc test --help", s.undefined, suggestFlag(flag)))
	}
	if len(s.known) > 0 {
		counts := fmt.Sprintf("%d new, %d known, %d fixed", s.counts.new, s.counts.known, s.counts.fixed)
		if s.counts.unsought > 0 {
			counts += fmt.Sprintf(", %d not looked for", s.counts.unsought)
		}
		lines = append(lines, counts)
	}
	for _, line := range lines {
		fmt.Fprintln(s.end, "macemc:", line)
	}
}

// untried describes what limits of time left untried, and schedules without a test.
func (s *summaries) untried() []string {
	if s.budget == nil {
		return nil
	}
	return append(s.budget.unclaimed, s.total.short.lines(s.total.tests, s.budget.total, s.typed)...)
}

// unscheduled describes what the exploration does not cover of any test.
func (s *summaries) unscheduled() string {
	if s.race {
		return "not scheduling points: cgo, files, processes, iterators of iter.Pull"
	}
	return "not scheduling points: cgo, files, processes, iterators of iter.Pull, plain memory (without -race)"
}

// explains reports whether something in the output explains that go test failed.
func (s *summaries) explains() bool {
	return !s.passed || s.failed > 0 || len(s.failing) > 0 || s.other || s.undefined != "" || s.counts.damaged+s.counts.hidden > 0
}

// status returns the exit status after go test ended with the given one.
func (s *summaries) status(ended int) int {
	switch {
	case s.failed > 0:
		return exitcode.Violation
	case ended == 0:
		return exitcode.OK
	case s.undefined != "":
		return exitcode.Usage
	case ended != 1 || s.other:
	case s.counts.damaged > 0:
		return exitcode.Usage
	case s.counts.hidden > 0:
		return exitcode.Inconclusive
	}
	return max(1, ended)
}
