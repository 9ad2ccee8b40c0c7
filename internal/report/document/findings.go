package document

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
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
	var other []string
	for _, u := range r.Unsure {
		other = append(other, fmt.Sprintf("%s in %s", cmp.Or(u.Handler, "an unknown step"), textfmt.Number(u.Count)))
	}
	lines = slices.Concat(lines, ifAny(r.Alike, "more violation", " like these"),
		ifText("grouped by kind and property only, because no critical step is proven; the causes may differ: ", strings.Join(other, ", ")))
	if r.Confirming+r.Telling >= 0.05 {
		lines = append(lines, fmt.Sprintf("clock time: %s in total, %s for confirming suspects, %s for shrinking and describing findings",
			seconds(r.Seconds), seconds(r.Confirming), seconds(r.Telling)))
	}
	return append(lines, ifText("the search stopped at the last one: ", r.Ended)...)
}

// FindingLine describes a finding in one line: its kind, its handler and its folder.
func FindingLine(r *report.Report) string {
	text := kindNames[r.Kind] + prefixed(" of ", r.Property)
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

// KnownLines describes the accepted findings, one a line, and what they may hide.
func KnownLines(r *report.Report) (lines []string) {
	for i := range r.Known {
		lines = append(lines, KnownLine(r, &r.Known[i]))
	}
	for i := range r.Known {
		k := &r.Known[i]
		for _, by := range k.Others {
			lines = append(lines, fmt.Sprintf("%s: %s of them by %s, without a proven critical step; the cause may differ",
				k.File, textfmt.Number(by.Count), cmp.Or(by.Handler, "an unknown step")))
		}
		if k.AllOf {
			lines = append(lines, fmt.Sprintf("%s: %s takes all violations of %s for it; other strategies distinguish them by step",
				k.File, r.Strategy, k.Property))
		}
	}
	return append(lines, ifTrue(r.Accepted() > 0, "not searched: states after a known finding")...)
}

// KnownLine describes an accepted finding.
func KnownLine(r *report.Report, k *report.Known) string {
	what := kindNames[k.Kind] + prefixed(" of ", k.Property) + prefixed(" by ", k.Step)
	switch k.Status {
	case report.Fixed:
		return fmt.Sprintf("fixed: %s: %s violates nothing; remove its line \"known\"", what, k.File)
	case report.Changed:
		return fmt.Sprintf("NOT known: %s shows another finding: %s", k.File, k.Why)
	case report.Unused:
		return fmt.Sprintf("not used: %s: %s", k.File, k.Why)
	}
	text := "known: "
	if r.Hidden != "" && k.Runs > 0 {
		text = "known, and nothing else could be looked at, because " + r.Hidden + ": "
	}
	met := "only in its file"
	switch {
	case k.Runs > 0 && search.Name(r.Strategy).Can(strategy.VisitsStates):
		met = "found again"
	case k.Runs > 0:
		met = fmt.Sprintf("found in %s", textfmt.Plural(k.Runs, "run"))
	}
	return fmt.Sprintf("%s%s; %s: %s (%s)", text, what, met, k.Reason, k.File)
}

// KnownCounts counts new, known and fixed findings. An empty string means that none is accepted.
func KnownCounts(r *report.Report) string {
	if len(r.Known) == 0 {
		return ""
	}
	return fmt.Sprintf("macemc: %d new, %d known, %d fixed", len(r.Each()), r.Count(report.Recurs), r.Count(report.Fixed))
}

// suspectLine describes the suspect in one line.
func suspectLine(s *report.Suspect) string {
	return fmt.Sprintf("%s, not confirmed: %s in %s", s.Status, kindNames[s.Kind], textfmt.Plural(s.Steps, "step")) +
		prefixed(": ", inOneLine(cmp.Or(s.Property, s.Message))) + prefixed("; ", s.PathFile)
}

// inOneLine returns the words of a text, with single spaces.
func inOneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
