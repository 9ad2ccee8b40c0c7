package testsched

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// accepted is a known finding: a stored one whose file has a line "known REASON". It does not end an exploration.
type accepted struct {
	*Stored
	runs     int  // runs that ended with the finding
	executed bool // its schedule was executed
	applied  bool // all switches of its schedule applied
}

// knows reports whether an outcome is a known finding: everything that it shows is what the known one shows.
func (r *Result) knows(o *Outcome) bool {
	return slices.ContainsFunc(r.known, func(k *accepted) bool { return slices.Equal(k.Shows, o.Shows) })
}

// accept counts a run that ended with a known finding, and reports whether it did.
func (r *Result) accept(o *Outcome) bool {
	for _, k := range r.known {
		if slices.Equal(k.Shows, o.Shows) {
			k.runs++
		}
	}
	return r.knows(o)
}

// recurred reports whether a run ended with a known finding.
func (r *Result) recurred() bool {
	return slices.ContainsFunc(r.known, func(k *accepted) bool { return k.runs > 0 })
}

// repeat executes in new processes the schedules of known findings that did not recur. One that shows another finding is the result's.
func (r *Result) repeat(replay func(*Schedule) *Outcome) {
	for _, k := range r.known {
		if k.runs > 0 || !k.executed {
			continue
		}
		o := replay(&k.Schedule)
		k.executed = o != nil
		if o.fails() && !r.accept(o) {
			found := k.Schedule
			r.Finding, r.Found, r.FromFile = o, &found, true
			return
		}
	}
}

// knownLines describes the known findings that recurred, and those that are fixed, one a line.
func (s *Settings) knownLines(r *Result) (known, fixed []string) {
	for _, k := range r.known {
		file := s.shown(k.File)
		switch {
		case k.runs > 0:
			known = append(known, fmt.Sprintf("%s; in %d of %s: %s (%s)", k.Finding, k.runs, plural(r.Schedules, "schedule", "schedules"), k.Known, file))
		case k.executed && r.Finding == nil && r.Stop == nil && k.applied:
			fixed = append(fixed, "delete "+file)
		case k.executed && r.Finding == nil && r.Stop == nil:
			fixed = append(fixed, "or changed so much that the schedule does not apply: delete "+file)
		}
	}
	return known, fixed
}

// conclude adds the known findings of an exploration to its report, and summarizes it.
func (s *Settings) conclude(test string, r *Result, report *Report, note string) *Report {
	known, _ := s.knownLines(r)
	text, hidden := "", report.Finding == "" && r.passed == 0
	for _, line := range known {
		text += "macemc: " + KnownPrefix(hidden) + line + "\n"
	}
	report.Quiet = r.First != nil && r.knows(r.First)
	switch {
	case report.Finding != "":
		report.Finding += r.unknown() + text
		s.summarizeAs(New, test, r, note)
	case text != "" && hidden:
		report.Finding = text
		s.summarizeAs(Hidden, test, r, note)
	default:
		report.Known = text
		s.summarize(test, r, note)
	}
	return report
}

// unknown lists what the finding shows and no known one does.
func (r *Result) unknown() (text string) {
	for _, shown := range r.Finding.Shows {
		if len(r.known) > 0 && !slices.ContainsFunc(r.known, func(k *accepted) bool { return slices.Contains(k.Shows, shown) }) {
			text += "not known: " + shown + "\n"
		}
	}
	return text
}

// KnownPrefix returns the beginning of a line about a known finding. hidden means that no schedule of the test passes.
func KnownPrefix(hidden bool) string {
	if hidden {
		return "known, and nothing else could be looked at: "
	}
	return "known: "
}

// check returns an error if a stored schedule of a test is marked as known, and does not identify a finding of it.
func (f *Stored) check(pkg, test string) error {
	switch {
	case f.Known == "":
	case len(f.Shows) == 0:
		return fmt.Errorf(`it is known, and has no line "shows": delete it, and mark the one that is stored anew`)
	case f.Package != pkg || f.Test != test:
		return fmt.Errorf("it is known, and belongs to %s in package %s", f.Test, f.Package)
	}
	return nil
}

// Identify completes what an outcome shows. Equal lists mean the same finding, in any run of any process.
func (o *Outcome) Identify() {
	o.Shows = append(o.Shows, string(o.Kind))
	for _, g := range o.Waiting {
		o.Shows = append(o.Shows, g.identity())
	}
	for i, text := range o.Shows {
		o.Shows[i] = brief(text)
	}
	slices.Sort(o.Shows)
	o.Shows = slices.Compact(o.Shows)
}

// Show adds a message, and the place that it comes from, to what an outcome shows.
func (o *Outcome) Show(what, message string, at Stack) {
	text := what + ": " + general(message)
	if at != nil {
		text += " at " + at.place()
	}
	o.Shows = append(o.Shows, text)
}

// identity describes a goroutine without its number.
func (g Goroutine) identity() string {
	text := "goroutine " + describeWait(g.Waits) + " at " + g.Stack.place()
	if g.Creation != nil {
		text += ", started at " + g.Creation.place()
	}
	return text
}

// place describes the innermost frame of the user's code by its function and the text of its line, which other changes of the file leave
// alone.
func (s Stack) place() string {
	f, ok := s.user()
	if !ok {
		return s.Where()
	}
	return f.Function + " " + sourceLine(f.File, f.Line)
}

// source is a source file, by lines. code has no comments and no content of strings.
type source struct{ lines, code []string }

var sources = map[string]*source{}

// sourceOf reads a source file. A file that is missing has no text.
func sourceOf(file string) *source {
	s := sources[file]
	if s == nil {
		text, _ := os.ReadFile(file)
		s = &source{strings.Split(string(text), "\n"), strings.Split(codeOf(string(text)), "\n")}
		sources[file] = s
	}
	return s
}

// sourceCode returns a line of a source file as it is and as code, and the code of the line before it.
func sourceCode(file string, line int) (text, code, before string) {
	s := sourceOf(file)
	if line < 1 || line > len(s.lines) {
		return "", "", ""
	}
	if line > 1 {
		before = s.code[line-2]
	}
	return s.lines[line-1], s.code[line-1], before
}

// sourceLine returns the text of a line, with its number among equal ones of the function if it is not the first. If the source is missing,
// it returns the position.
func sourceLine(file string, line int) string {
	lines := sourceOf(file).lines
	if line < 1 || line > len(lines) || strings.TrimSpace(lines[line-1]) == "" {
		return fmt.Sprintf("%s:%d", filepath.Base(file), line)
	}
	text, n := strings.Join(strings.Fields(lines[line-1]), " "), 0
	for _, l := range slices.Backward(lines[:line]) {
		if strings.Join(strings.Fields(l), " ") == text {
			n++
		}
		if strings.HasPrefix(l, "func ") {
			break
		}
	}
	if n > 1 {
		return fmt.Sprintf("`%s` (%d)", text, n)
	}
	return "`" + text + "`"
}

// noise matches addresses, UUIDs, hexadecimal words, durations and numbers.
var noise = regexp.MustCompile(`(?i)0x[0-9a-f]+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b[0-9a-f]{8,}\b|` +
	`-?(?:[0-9]+(?:\.[0-9]+)?(?:ns|us|µs|ms|s|m|h))+\b|-?[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?`)

// folders are replaced in messages, the longest first.
var folders = func() (list []string) {
	here, _ := os.Getwd()
	home, _ := os.UserHomeDir()
	for _, dir := range []string{here, os.Getenv(VariableFolder), os.TempDir(), home, strings.TrimSuffix(root, "/src/")} {
		if len(dir) > 1 {
			list = append(list, strings.TrimSuffix(dir, "/"))
		}
	}
	slices.SortFunc(list, func(a, b string) int { return len(b) - len(a) })
	return list
}()

// general removes from a message what may differ between runs.
func general(message string) string {
	for _, dir := range folders {
		message = strings.ReplaceAll(message, dir+"/", "DIR/")
	}
	return noise.ReplaceAllStringFunc(strings.Join(strings.Fields(message), " "), func(text string) string {
		if strings.ContainsAny(text, "0123456789") {
			return "N"
		}
		return text
	})
}

// brief shortens a text to what fits in a line of a file. Long texts differ by a hash of the rest.
func brief(text string) string {
	const most = 400
	if len(text) <= most {
		return text
	}
	hash := uint64(0)
	for _, b := range []byte(text) {
		hash = mix(hash ^ uint64(b))
	}
	return fmt.Sprintf("%s... %x", strings.ToValidUTF8(text[:most], ""), hash)
}
