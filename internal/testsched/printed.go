package testsched

import (
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/testsched/program"
)

// Printed is a line that a goroutine has printed or logged.
type Printed struct {
	After  int // number of preceding events of the trace
	Number int // of the goroutine
	Text   string
	Hidden bool // it is shown neither when it is printed nor as the log of the test
}

// Output is the end of what a run has printed and logged.
type Output []Printed

// Add adds a text, which may be a part of a line, or several lines.
func (p *Output) Add(after, number int, text string, hidden bool) {
	for part := range strings.Lines(text) {
		if line := p.unfinished(number); line != nil {
			line.Text += part
		} else {
			*p = append(*p, Printed{after, number, part, hidden})
		}
	}
}

// unfinished returns the line that a goroutine has begun; nil means none.
func (p *Output) unfinished(number int) *Printed {
	const recent = 64 // lines, which a print statement of others does not exceed
	for i := len(*p) - 1; i >= max(0, len(*p)-recent); i-- {
		if line := &(*p)[i]; line.Number == number {
			if strings.HasSuffix(line.Text, "\n") {
				return nil
			}
			return line
		}
	}
	return nil
}

// HiddenLines returns the hidden lines.
func (p Output) HiddenLines() (lines Output) {
	for _, line := range p {
		if line.Hidden {
			lines = append(lines, line)
		}
	}
	return lines
}

// Last describes the last lines, for a report that begins with the given lines. It omits those that are blank, in the report, or only the
// note of package testing about a race.
func (p Output) Last(report []string) (lines []string) {
	const most, wide = 10, 200
	for i := len(p) - 1; i >= 0 && len(lines) < most; i-- {
		text := strings.TrimSpace(p[i].Text)
		if text == "" || strings.HasSuffix(text, RaceFailure) || contains(report, text) || len(report) > 0 && has(report[0], p[i].Text) {
			continue
		}
		if len(text) > wide {
			text = strings.ToValidUTF8(text[:wide], "") + "..."
		}
		lines = append(lines, "  "+text)
	}
	if len(lines) == 0 {
		return nil
	}
	slices.Reverse(lines)
	return append([]string{"last output of the run:"}, lines...)
}

// contains reports whether one of the lines of a report ends with a text.
func contains(report []string, text string) bool {
	return slices.ContainsFunc(report, func(line string) bool { return strings.HasSuffix(line, text) })
}

// Logs returns the first lines that a failed test and its subtests have logged, except those whose text the title has.
func Logs(output, title string) (lines []string) {
	for line := range strings.Lines(output) {
		if has(title, line) || len(lines) == maxLines {
			continue
		}
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "--- FAIL: ") {
			lines = append(lines, program.Shorten(line))
		}
	}
	return lines
}

// has reports whether a title says what a line does, which may be one of package testify.
func has(title, line string) bool {
	label, text := program.Labeled(strings.TrimSuffix(line, "\n"))
	if label == "Error Trace" {
		text = text[strings.LastIndexByte(text, '/')+1:]
	}
	parts := func(text string) string {
		return ": " + strings.ReplaceAll(strings.TrimSuffix(text, ":"), ", ", ": ") + ": "
	}
	return label == "Test" || strings.Contains(parts(title), parts(text))
}
