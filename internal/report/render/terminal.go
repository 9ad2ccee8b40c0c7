package render

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/report/document"
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/search"
)

const (
	bold  = "\x1b[1m"
	red   = "\x1b[1;31m"
	green = "\x1b[1;32m"
	plain = "\x1b[0m"
)

// Terminal writes the report for a terminal or a test log. Without colors it contains no control characters. Two
// reports of the same run differ only in times.
func Terminal(w io.Writer, d *document.Document) error {
	t := terminal{b: bufio.NewWriter(w), style: d.Style, textAt: 16}
	if t.style.Width <= 0 {
		t.style.Width = 100
	}
	r := d.Report
	for i, f := range d.Findings {
		t.paint(bold, fmt.Sprintf("finding %d of %d", i+1, len(d.Findings)))
		one := *f
		one.Style = d.Style
		if err := Terminal(t.b, &one); err != nil {
			return err
		}
		t.line("")
	}
	if !d.Single() {
		color := green
		switch r.Verdict {
		case search.OK:
		case search.Violation:
			color = red
		default:
			color = bold
		}
		t.paint(color, d.Title)
		for i, f := range r.Findings {
			t.paragraph(fmt.Sprintf("  %d  ", i+1), "     ", document.FindingLine(f))
		}
		if d.Style.Brief && r.Verdict == search.OK {
			for _, line := range document.Essentials(r) {
				t.line("  " + replay.Shorten(line, t.style.Width-2))
			}
			t.known(r)
			return t.b.Flush()
		}
		for _, line := range d.Coverage {
			t.paragraph("  ", "    ", line)
		}
		t.commands(r.Commands)
		t.known(r)
		return t.b.Flush()
	}
	if t.style.Short {
		t.short(d)
		return t.b.Flush()
	}
	setting := "(" + document.Setting(r) + ")"
	if len([]rune(d.Title))+2+len([]rune(setting)) <= t.style.Width {
		t.paint(red, d.Title, "  "+setting)
	} else {
		t.paint(red, d.Title)
		t.paragraph("  ", "   ", setting)
	}
	t.paragraph("  ", "  ", d.Sentence)
	if len(d.Violated)+len(d.Compared) > 0 || d.Code != nil {
		t.line("")
	}
	for _, f := range slices.Concat(d.Violated, d.Compared, d.Facts) {
		t.textAt = max(t.textAt, len([]rune(f.Label))+4)
	}
	for _, f := range d.Violated {
		t.fact(f)
	}
	t.code(d.Code, -1)
	for _, f := range d.Compared {
		t.fact(f)
	}
	t.causes(d)
	if d.Dead != nil {
		t.line("")
		t.excerpt(d.Violating(t.style.Expand, t.style.Width))
	}
	if d.Tail != "" {
		t.paragraph(" "+d.TailLabel()+": ", "     ", d.Tail)
	}
	if d.Live != nil {
		t.line("")
		title := d.LiveTitle()
		if len(d.LiveSteps) > 0 {
			title += ":"
		}
		t.paragraph("  ", "    ", title)
		t.excerpt(document.Excerpt(d.Live, d.LiveSteps, false, t.style.Expand, t.style.Width))
	}
	if len(d.Facts) > 0 {
		t.line("")
	}
	for _, f := range d.Facts {
		t.fact(f)
	}
	t.commands(r.Commands)
	t.known(r)
	return t.b.Flush()
}

// Limits of a short report.
const (
	shortLines = 40
	shortWidth = 80
	shortSteps = 5 // before the marked one
	shortCode  = 5 // lines after the marked one
	shortEnd   = 4 // lines of the commands
)

// short writes the headline of a finding, its decisive step and code, the steps around it, and the commands that show the rest.
func (t *terminal) short(d *document.Document) {
	t.style.Width = min(t.style.Width, shortWidth)
	t.paint(red, d.Title)
	t.paragraph("  ", "  ", d.Sentence)
	t.line("")
	for _, f := range slices.Concat(d.Violated, d.Compared) {
		t.textAt = max(t.textAt, len([]rune(f.Label))+4)
	}
	for _, f := range slices.Concat(d.Violated, d.Compared) {
		marked := f.Label == "critical step:" || strings.HasPrefix(f.Label, "at step")
		if marked || f.Label == "effect:" || f.Label == "nearest run:" || f.Label == "certainty:" {
			t.fact(document.Fact{Label: f.Label, Text: f.Text})
		}
		if marked {
			t.code(d.Code, shortCode)
		}
	}
	commands := report.Commands{Look: d.Report.Commands.Look, Report: d.Report.Commands.Report}
	if program, _, ok := strings.Cut(commands.Look, " mdb "); ok {
		commands.Look = program + " mdb last"
	}
	if commands.Report != "" {
		commands.More = "the report has all steps, their causes, and the nearest run"
	}
	if d.Dead != nil {
		mark := document.MarkedStep(d.Report, d.Dead.Last())
		for before := shortSteps; before >= 0; before-- {
			steps := slices.DeleteFunc(slices.Clone(d.DeadSteps), func(step int) bool { return step < mark-before || step > mark+1 })
			if lines := document.Excerpt(d.Dead, steps, true, false, t.style.Width); t.lines+1+len(lines)+shortEnd <= shortLines {
				t.line("")
				t.excerpt(lines)
				break
			}
		}
	}
	t.commands(commands)
}

// code writes source, if it is not nil, with up to a number of lines after the marked one. A negative number means all.
func (t *terminal) code(c *document.Code, after int) {
	if c == nil {
		return
	}
	t.fact(document.Fact{Label: cmp.Or(c.Label, "source:"), Text: c.Place, Aside: c.Note})
	lines := c.Text()
	if after >= 0 {
		lines = lines[:min(len(lines), c.Mark+1+after)]
	}
	for _, line := range lines {
		t.line("      " + replay.Shorten(line, t.style.Width-6))
	}
}

// causes lists the handlers of steps that led to the violation, the first one with its source.
func (t *terminal) causes(d *document.Document) {
	label := "causes:"
	for i, c := range d.Causes {
		t.fact(document.Fact{Label: label, Text: c.Place, Aside: c.Note})
		for _, line := range c.Text() {
			if i == 0 {
				t.line("      " + replay.Shorten(line, t.style.Width-6))
			}
		}
		label = ""
	}
	if d.MoreCauses > 0 {
		t.fact(document.Fact{Text: "and " + textfmt.Plural(d.MoreCauses, "more handler")})
	}
}

type terminal struct {
	b      *bufio.Writer
	style  document.Style
	textAt int // column of the text of facts
	lines  int // written
}

func (t *terminal) line(s string) { t.paint("", "", s) }

// paint writes a line and highlights its first part.
func (t *terminal) paint(color, text string, rest ...string) {
	text, other := textfmt.Printable(text), textfmt.Printable(strings.Join(rest, ""))
	if t.style.Color && color != "" {
		text = color + text + plain
	}
	t.lines++
	t.b.WriteString(strings.TrimRight(text+other, " "))
	t.b.WriteByte('\n')
}

// paragraph writes text after lead, wrapped, with the other lines indented.
func (t *terminal) paragraph(lead, indent, text string) {
	for part := range strings.SplitSeq(text, "\n") {
		for _, line := range wrap(part, t.style.Width-max(len(lead), len(indent))) {
			t.line(lead + line)
			lead = indent
		}
	}
}

// fact writes a label, its text, and the aside in a column of its own if the text leaves room.
func (t *terminal) fact(f document.Fact) {
	asideAt := t.textAt + 33
	lead := fmt.Sprintf("  %-*s", t.textAt-2, f.Label)
	indent := strings.Repeat(" ", t.textAt)
	if len([]rune(f.Text)) > asideAt-t.textAt-2 || f.Aside == "" || strings.Contains(f.Text, "\n") {
		t.paragraph(lead, indent, f.Text)
		if f.Aside != "" {
			t.paragraph(indent, indent, f.Aside)
		}
		return
	}
	t.paragraph(lead+fmt.Sprintf("%-*s", asideAt-t.textAt, f.Text), strings.Repeat(" ", asideAt), f.Aside)
}

func (t *terminal) excerpt(lines []string) {
	for _, l := range lines {
		if strings.HasPrefix(l, " >") {
			t.paint(bold, l)
		} else {
			t.line(l)
		}
	}
}

// known writes the lines about accepted findings.
func (t *terminal) known(r *report.Report) {
	for _, line := range document.KnownLines(r) {
		t.paragraph("  ", "    ", line)
	}
	if counts := document.KnownCounts(r); counts != "" {
		t.line(counts)
	}
}

func (t *terminal) commands(c report.Commands) {
	if c == (report.Commands{}) {
		return
	}
	t.line("")
	const again = "search again:"
	width := len("replay:")
	if c.Search != "" {
		width = len(again)
	}
	for _, l := range [][2]string{{"debug:", c.Look}, {"replay:", c.Replay}, {again, c.Search}, {"report:", c.Report}, {"more:", c.More}} {
		if l[1] != "" {
			t.line(fmt.Sprintf("  %-*s %s", width, l[0], l[1]))
		}
	}
}

// wrap breaks text at spaces into lines of at most n characters. A longer word gets its own line.
func wrap(text string, n int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		switch {
		case line == "":
			line = word
		case len([]rune(line))+1+len([]rune(word)) <= n:
			line += " " + word
		default:
			lines = append(lines, line)
			line = word
		}
	}
	return append(lines, line)
}
