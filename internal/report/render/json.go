package render

import (
	"encoding/json"
	"io"
	"strings"

	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/report/document"
)

// JSON writes the report as one JSON object. Lists are never null.
func JSON(w io.Writer, d *document.Document) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(forJSON(d))
}

func forJSON(d *document.Document) *report.Report {
	r := d.Report
	c := *r
	c.Summary, c.Folds, c.LiveFolds = d.Summary(), d.DeadFolds, d.LiveFolds
	c.Stack = strings.Join(document.UserFrames(r.Stack), "\n")
	c.Handler, c.Assumes = r.HandledBy(), document.TimingAssumption(r)
	c.Warning = document.ShortWalks(r)
	c.Bugs = orEmpty(c.Bugs)
	c.Phases = orEmpty(c.Phases)
	c.Coverage.NeverHappened = orEmpty(c.Coverage.NeverHappened)
	c.Coverage.Sometimes = orEmpty(c.Coverage.Sometimes)
	if c.Findings != nil {
		c.Findings = make([]*report.Report, len(r.Findings))
		for i, f := range d.Findings {
			c.Findings[i] = forJSON(f)
		}
	}
	return &c
}

func orEmpty[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
