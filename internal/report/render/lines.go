package render

import (
	"bufio"
	"fmt"
	"io"
	"slices"

	"github.com/macemc/macemc/internal/report/document"
	"github.com/macemc/macemc/internal/textfmt"
)

// linesMark is in each line of [Lines].
const linesMark = "[macemc]"

// Lines writes a line file:line: message for each source position of a finding, as compilers do, so that editors can
// jump there. For a search without a finding, the last line has its result.
func Lines(w io.Writer, d *document.Document) error {
	return resultsLines(w, Results{Annotations: annotations(d)})
}

func resultsLines(w io.Writer, r Results) error {
	b := bufio.NewWriter(w)
	found := r.found()
	for i := range found {
		for k, p := range found[i].Positions {
			text := p.Text
			if k == 0 {
				text = found[i].headline()
			}
			fmt.Fprintf(b, "%s: %s %s\n", p.Short, linesMark, textfmt.Printable(text))
		}
	}
	rest := r.Problems
	if len(found) == 0 {
		rest = append(slices.Clone(rest), r.Title)
	}
	for _, line := range append(slices.Clone(rest), r.Notes...) {
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
