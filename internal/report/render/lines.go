package render

import (
	"bufio"
	"fmt"
	"io"

	"github.com/macemc/macemc/internal/report/document"
	"github.com/macemc/macemc/internal/textfmt"
)

// linesMark is in each line of [Lines].
const linesMark = "[macemc]"

// Lines writes a line file:line: message for each source position of a finding, as compilers do, so that editors can
// jump there. For a search without a finding, the last line has its result.
func Lines(w io.Writer, d *document.Document) error {
	b := bufio.NewWriter(w)
	for _, f := range d.Report.Each() {
		for i, p := range document.Positions(f) {
			text := p.Text
			if i == 0 {
				text = fmt.Sprintf("%s (%s)", document.Headline(f), p.Text)
				if f.Commands.Look != "" {
					text += "; " + f.Commands.Look
				}
			}
			fmt.Fprintf(b, "%s: %s %s\n", p.Short, linesMark, textfmt.Printable(text))
		}
	}
	if len(d.Report.Each()) == 0 {
		fmt.Fprintf(b, "%s %s\n", linesMark, textfmt.Printable(d.Title))
	}
	for _, line := range document.KnownLines(d.Report) {
		fmt.Fprintf(b, "%s %s\n", linesMark, textfmt.Printable(line))
	}
	return b.Flush()
}

// MergeLines writes the lines of several searches.
func MergeLines(w io.Writer, parts []Output) error {
	return concatenate(w, parts, func(p Output) string {
		return fmt.Sprintf("%s %s: %s\n", linesMark, p.Name, textfmt.Printable(textfmt.FirstLine(p.Problem)))
	})
}

// concatenate writes the outputs one after another. In place of a missing one it writes the result of missing.
func concatenate(w io.Writer, parts []Output, missing func(Output) string) error {
	for _, p := range parts {
		text := p.Text
		if text == nil {
			text = []byte(missing(p))
		}
		if _, err := w.Write(text); err != nil {
			return err
		}
	}
	return nil
}
