package report

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/macemc/macemc/internal/textfmt"
)

// Shrunk says how the run was before it was made smaller.
type Shrunk struct {
	FromSteps    int     `json:"from_steps"`              // of the run as it was found
	FromCritical int     `json:"from_critical,omitempty"` // its critical step; 0: none
	Candidates   int     `json:"candidates"`              // that were tried
	Executed     int     `json:"executed"`                // steps
	Seconds      float64 `json:"seconds"`
	// Minimal says that no single step before the finding, or before the critical one, can be left out.
	Minimal bool `json:"minimal"`
	// Pairs says that no two causes can be left out, each with all that follows from it.
	Pairs    bool   `json:"minimal_pairs,omitempty"`
	Original string `json:"original_path_file,omitempty"` // "": none
}

// ShrunkText says in one line how much smaller a run has become.
func ShrunkText(r *Report) string {
	if r.Shrunk == nil {
		return "the run cannot be shrunk and is unchanged"
	}
	f := r.Shrunk.fact(r)
	return f.text + "; " + f.aside
}

// UnshrunkText says in one line what was found, and where it lies, before it is shrunk.
func UnshrunkText(r *Report) string {
	text := fmt.Sprintf("%s: found a %s in %s", r.name(), kindNames[r.Kind], textfmt.Plural(r.Steps, "step"))
	if what := strings.Join(strings.Fields(cmp.Or(r.Property, r.Message)), " "); what != "" {
		text += ": " + what
	}
	text += "; shrinking (Ctrl-C stops it)"
	if r.PathFile != "" {
		text += "; original: " + r.PathFile
	}
	return textfmt.Printable(text)
}

func (s *Shrunk) fact(r *Report) fact {
	text := fmt.Sprintf("from %s to %s", textfmt.Plural(s.FromSteps, "step"), textfmt.Number(r.Steps))
	switch {
	case r.Steps == s.FromSteps:
		text = fmt.Sprintf("still %s", textfmt.Plural(r.Steps, "step"))
	case r.Steps > s.FromSteps: // choices are fewer or smaller, and what follows goes on for longer
		text = fmt.Sprintf("simpler, not shorter: %s to %s", textfmt.Plural(s.FromSteps, "step"), textfmt.Number(r.Steps))
	}
	aside, before := textfmt.Plural(s.Candidates, "candidate")+" tried", ""
	c := r.Critical
	if c != nil && c.Step > 0 {
		aside = fmt.Sprintf("critical step %s to %s; %s", textfmt.Number(s.FromCritical), textfmt.Number(c.Step), aside)
		before = " before it"
	}
	switch {
	case !s.Minimal:
		aside += ", not all candidates"
	case c != nil && c.Step == 0: // there is no cause, only what follows
	case s.Pairs:
		aside += fmt.Sprintf("; no step and no two causes%s can be left out", before)
	default:
		aside += fmt.Sprintf("; no single step%s can be left out", before)
	}
	return fact{"shrunk:", text, aside}
}
