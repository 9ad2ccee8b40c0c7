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
	return resultsLines(w, []Results{{Annotations: annotations(d)}})
}

func resultsLines(w io.Writer, list []Results) error {
	b := bufio.NewWriter(w)
	for i := range list {
		r := &list[i]
		found := r.found()
		for k := range found {
			for n, p := range found[k].Positions {
				text := p.Text
				if n == 0 {
					text = found[k].headline()
				}
				fmt.Fprintf(b, "%s: %s %s\n", p.Short, linesMark, textfmt.Printable(text))
			}
		}
		var rest []string
		for _, problem := range r.Problems {
			rest = append(rest, textfmt.FirstLine(problem))
		}
		if len(found) == 0 && r.Title != "" {
			rest = append(rest, r.Title)
		}
		for _, line := range append(rest, r.Notes...) {
			fmt.Fprintf(b, "%s %s\n", linesMark, textfmt.Printable(line))
		}
	}
	return b.Flush()
}
