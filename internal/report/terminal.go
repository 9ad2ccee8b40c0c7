package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/search"
)

// Style says how a terminal report looks. The zero value suits a log.
type Style struct {
	Color bool // for a terminal: headline and marked step stand out
	Width int  // columns; 0: 100
	Brief bool // a search that found nothing takes five lines at most
}

const (
	bold  = "\x1b[1m"
	red   = "\x1b[1;31m"
	green = "\x1b[1;32m"
	plain = "\x1b[0m"
)

// Terminal writes the report for a terminal or a test log. Without colours it has no control
// characters. Two reports of the same run differ in times only.
func Terminal(w io.Writer, r *Report, style Style) error {
	if style.Width <= 0 {
		style.Width = 100
	}
	for i, f := range r.Findings {
		t := terminal{b: bufio.NewWriter(w), style: style}
		t.paint(bold, fmt.Sprintf("finding %d of %d", i+1, len(r.Findings)))
		if err := t.b.Flush(); err != nil {
			return err
		}
		if err := Terminal(w, f, style); err != nil {
			return err
		}
		if _, err := io.WriteString(w, "\n"); err != nil {
			return err
		}
	}
	t := terminal{b: bufio.NewWriter(w), style: style, textAt: 16}
	s := r.summarise()
	if r.Verdict != search.Violation || r.Findings != nil {
		color := green
		switch r.Verdict {
		case search.OK:
		case search.Violation:
			color = red
		default:
			color = bold
		}
		t.paint(color, s.title)
		for i, f := range r.Findings {
			t.paragraph(fmt.Sprintf("  %d  ", i+1), "     ", f.brief())
		}
		if style.Brief && r.Verdict == search.OK {
			for _, line := range r.essentials() {
				t.line("  " + replay.Shorten(line, style.Width-2))
			}
			return t.b.Flush()
		}
		for _, line := range s.coverage {
			t.paragraph("  ", "    ", line)
		}
		t.commands(r)
		return t.b.Flush()
	}
	setting := "(" + r.setting() + ")"
	if len([]rune(s.title))+2+len([]rune(setting)) <= style.Width {
		t.paint(red, s.title, "  "+setting)
	} else {
		t.paint(red, s.title)
		t.paragraph("  ", "   ", setting)
	}
	t.line("")
	for _, f := range s.facts {
		t.textAt = max(t.textAt, len([]rune(f.label))+4)
	}
	for _, f := range s.facts {
		t.fact(f)
	}
	t.excerpt(excerpt(s.dead, s.deadSteps, true, style.Width))
	if s.tail != "" {
		t.paragraph(" then forever: ", "     ", s.tail)
	}
	if s.live != nil {
		t.line("")
		title := s.recovered(r)
		if len(s.liveSteps) > 0 {
			title += ":"
		}
		t.paragraph("  ", "    ", title)
		t.excerpt(excerpt(s.live, s.liveSteps, false, style.Width))
		if s.difference != "" {
			t.line("  first difference: " + s.difference)
		}
	}
	t.commands(r)
	return t.b.Flush()
}

type terminal struct {
	b      *bufio.Writer
	style  Style
	textAt int // column of what facts say
}

func (t *terminal) line(s string) { t.paint("", "", s) }

// paint writes a line whose first part stands out.
func (t *terminal) paint(color, text string, rest ...string) {
	text, other := textfmt.Printable(text), textfmt.Printable(strings.Join(rest, ""))
	if t.style.Color && color != "" {
		text = color + text + plain
	}
	t.b.WriteString(strings.TrimRight(text+other, " "))
	t.b.WriteByte('\n')
}

// paragraph writes text behind lead, wrapped and with its other lines indented.
func (t *terminal) paragraph(lead, indent, text string) {
	for part := range strings.SplitSeq(text, "\n") {
		for _, line := range wrap(part, t.style.Width-max(len(lead), len(indent))) {
			t.line(lead + line)
			lead = indent
		}
	}
}

// fact writes a label, what it says, and the aside in a column of its own if the text leaves room.
func (t *terminal) fact(f fact) {
	asideAt := t.textAt + 33
	lead := fmt.Sprintf("  %-*s", t.textAt-2, f.label)
	indent := strings.Repeat(" ", t.textAt)
	if len([]rune(f.text)) > asideAt-t.textAt-2 || f.aside == "" || strings.Contains(f.text, "\n") {
		t.paragraph(lead, indent, f.text)
		if f.aside != "" {
			t.paragraph(indent, indent, f.aside)
		}
		return
	}
	t.paragraph(lead+fmt.Sprintf("%-*s", asideAt-t.textAt, f.text), strings.Repeat(" ", asideAt), f.aside)
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

func (t *terminal) commands(r *Report) {
	c := r.Commands
	if c == (Commands{}) {
		return
	}
	t.line("")
	for _, l := range [][2]string{{"look:", c.Look}, {"rerun:", c.Rerun}, {"report:", c.Report}} {
		if l[1] != "" {
			t.line(fmt.Sprintf("  %-7s %s", l[0], l[1]))
		}
	}
}
