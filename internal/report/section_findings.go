package report

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/search"
)

// otherFindings says what came of going on after the first finding.
func (r *Report) otherFindings() []string {
	if len(r.Findings) == 0 {
		return nil
	}
	lines := []string{"not searched: what lies behind a violation; of several properties that one state violates the first is told"}
	if search.Name(r.Strategy).Can(search.VisitsStates) {
		lines = append(lines, r.Strategy+" finds one violation of each Always property; other strategies also tell those by different handlers apart")
	}
	if r.Alike > 0 {
		lines = append(lines, textfmt.Plural(r.Alike, "more violation")+" like these")
	}
	if len(r.Unsure) > 0 {
		var other []string
		for _, u := range r.Unsure {
			other = append(other, fmt.Sprintf("%s in %s", cmp.Or(u.Handler, "a step that is not known"), textfmt.Number(u.Count)))
		}
		lines = append(lines, "of these only kind and property are the same, as no critical step is proven; the cause may be another: "+strings.Join(other, ", "))
	}
	if r.Confirming+r.Telling >= 0.05 {
		lines = append(lines, fmt.Sprintf("of %s, %s went into confirming what was suspected, %s into shrinking and describing what was found",
			seconds(r.Seconds), seconds(r.Confirming), seconds(r.Telling)))
	}
	if r.Ended != "" {
		lines = append(lines, "the search ended with the last one: "+r.Ended)
	}
	return lines
}

// brief is a finding in a line: what it is, by which handler, and where it lies.
func (r *Report) brief() string {
	text := kindNames[r.Kind]
	if r.Property != "" {
		text += " of " + r.Property
	}
	if h := r.handler(); h != "" {
		text += " by " + h
	} else if c := r.Critical; c != nil && c.Event != "" {
		text += ", since " + c.Event
	}
	if r.PathFile != "" {
		text += ": " + filepath.Dir(r.PathFile)
	}
	return text
}
