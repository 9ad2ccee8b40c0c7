package stats

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/macemc/macemc/internal/textfmt"
)

// Text writes the distributions as a table for people. A percentile that lies among the walks that did
// not become live is shown as more than the walk limit.
func (r *Result) Text(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	const titles = "%-24s\t" // as long as the longest, or they would be aligned to the right
	fmt.Fprintf(t, titles, "steps to a live state")
	for _, p := range percentiles {
		fmt.Fprintf(t, "p%d\t", p)
	}
	fmt.Fprintln(t, "max\tlive\tnot live\t")
	for i := range r.Distributions {
		d := &r.Distributions[i]
		fmt.Fprintf(t, titles, d.Title())
		for _, p := range d.Percentiles {
			if p.Steps != nil {
				fmt.Fprintf(t, "%s\t", textfmt.Number(*p.Steps))
			} else {
				fmt.Fprintf(t, ">%s\t", textfmt.Number(r.WalkSteps))
			}
		}
		fmt.Fprintf(t, "%s\t%s\t%.2g%%\t\n", textfmt.Number(d.MaxSteps), textfmt.Number(d.Live), 100*d.NotLive())
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for i := range r.Distributions {
		if d := &r.Distributions[i]; d.Found > 0 {
			if _, err := fmt.Fprintf(w, "%s: %s ended with a finding\n", d.Title(), textfmt.Plural(d.Found, "walk")); err != nil {
				return err
			}
		}
	}
	_, err := fmt.Fprintln(w, r.subtitle())
	return err
}
