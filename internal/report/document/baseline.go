package document

import (
	"fmt"

	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/textfmt"
)

// baselineLines compares the findings with the list of known ones.
func baselineLines(r *report.Report) (lines []string) {
	b := r.Baseline
	if b == nil {
		return nil
	}
	for _, k := range b.Known {
		lines = append(lines, "known"+FirstSeen(k)+": "+k.Identity+counted(k))
	}
	for _, k := range b.Absent {
		lines = append(lines, "fixed, or not reached by this search"+FirstSeen(k)+": "+k.Identity)
	}
	if len(b.Absent) > 0 {
		lines = append(lines, "remove what is fixed from "+b.File)
	}
	for _, f := range r.Findings {
		if f.Identity != "" {
			lines = append(lines, fmt.Sprintf("new; this line in %s makes it known:", b.File), "  "+report.Known{First: b.Date, Identity: f.Identity}.String())
		}
	}
	if b.Partial {
		lines = append(lines, "the search process died: known violations before that are not counted, and it is unknown which ones are fixed")
	}
	if len(b.Known) > 0 && r.Ended != "" && len(r.Findings) == 0 {
		lines = append(lines, "NOT searched: anything after the last known violation: "+r.Ended)
	}
	return lines
}

// FirstSeen returns when a known finding was first seen, in parentheses. An empty string means that it is unknown.
func FirstSeen(k report.Known) string {
	if k.First == "" {
		return ""
	}
	return " (first seen " + k.First + ")"
}

func counted(k report.Known) string {
	if k.Count < 2 {
		return ""
	}
	return fmt.Sprintf(" (%s)", textfmt.Plural(k.Count, "violation"))
}

// BaselineSummary counts known findings. An empty string means that there is no list.
func BaselineSummary(r *report.Report) string {
	b := r.Baseline
	if b == nil {
		return ""
	}
	return fmt.Sprintf("%s: %d new, %d known, %d fixed or not reached", b.File, len(r.Findings), len(b.Known), len(b.Absent))
}
