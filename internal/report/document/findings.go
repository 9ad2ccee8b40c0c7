package document

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/search/strategy"
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/search"
)

// otherFindings describes the result of continuing after the first finding.
func otherFindings(r *report.Report) []string {
	if len(r.Findings) == 0 {
		return nil
	}
	lines := []string{"not searched: states after a violation; if a state violates several properties, only the first is reported"}
	if search.Name(r.Strategy).Can(strategy.VisitsStates) {
		lines = append(lines, r.Strategy+" reports one violation of each Always property; other strategies also distinguish violations by handler")
	}
	if r.Alike > 0 {
		lines = append(lines, textfmt.Plural(r.Alike, "more violation")+" like these")
	}
	if len(r.Unsure) > 0 {
		var other []string
		for _, u := range r.Unsure {
			other = append(other, fmt.Sprintf("%s in %s", cmp.Or(u.Handler, "an unknown step"), textfmt.Number(u.Count)))
		}
		lines = append(lines, "grouped by kind and property only, because no critical step is proven; the causes may differ: "+strings.Join(other, ", "))
	}
	if r.Confirming+r.Telling >= 0.05 {
		lines = append(lines, fmt.Sprintf("clock time: %s in total, %s for confirming suspects, %s for shrinking and describing findings",
			seconds(r.Seconds), seconds(r.Confirming), seconds(r.Telling)))
	}
	if r.Ended != "" {
		lines = append(lines, "the search stopped at the last one: "+r.Ended)
	}
	return lines
}

// FindingLine describes a finding in one line: its kind, its handler and its folder.
func FindingLine(r *report.Report) string {
	text := kindNames[r.Kind]
	if r.Property != "" {
		text += " of " + r.Property
	}
	if h := handlerOf(r); h != "" {
		text += " by " + h
	} else if c := r.Critical; c != nil && c.Event != "" {
		text += ", since " + c.Event
	}
	if r.PathFile != "" {
		text += ": " + filepath.Dir(r.PathFile)
	}
	return text
}
