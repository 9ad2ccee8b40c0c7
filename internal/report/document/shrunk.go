package document

import (
	"cmp"
	"fmt"

	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/sim"
)

// ShrunkText describes in one line how much a run was shrunk.
func ShrunkText(r *report.Report) string {
	if r.Shrunk == nil {
		return "the run cannot be shrunk and is unchanged"
	}
	f := shrunkFact(r.Shrunk, r)
	return f.Text + "; " + f.Aside
}

// UnshrunkText describes in one line a finding and its location before it is shrunk.
func UnshrunkText(r *report.Report) string {
	return textfmt.Printable(fmt.Sprintf("%s: found a %s in %s", SystemName(r), kindNames[r.Kind], textfmt.Plural(r.Steps, "step")) +
		prefixed(": ", inOneLine(cmp.Or(r.Property, r.Message))) + "; shrinking (Ctrl-C stops it)" + prefixed("; original: ", r.PathFile))
}

func shrunkFact(s *report.Shrunk, r *report.Report) Fact {
	text := fmt.Sprintf("from %s to %s", textfmt.Plural(s.FromSteps, "step"), textfmt.Number(r.Steps))
	switch {
	case r.Steps == s.FromSteps:
		text = fmt.Sprintf("still %s", textfmt.Plural(r.Steps, "step"))
	case r.Steps > s.FromSteps: // choices are fewer or smaller, and the part after them is longer
		text = fmt.Sprintf("simpler, not shorter: %s to %s", textfmt.Plural(s.FromSteps, "step"), textfmt.Number(r.Steps))
	}
	aside, before := textfmt.Plural(s.Candidates, "candidate")+" tried", ""
	c := r.Critical
	if c != nil && c.Step > 0 {
		was := ""
		if c.Step != s.FromCritical {
			was = ", was " + textfmt.Number(s.FromCritical)
		}
		aside = fmt.Sprintf("critical step %s%s; %s", textfmt.Number(c.Step), was, aside)
		before = " before it"
	}
	switch {
	case c != nil && c.Step == 0 && s.Minimal && r.Kind != sim.Deadlock: // the run has no cause, only consequences
	case !s.Minimal && s.Left > 0:
		aside += fmt.Sprintf(", no time for %s others", textfmt.Number(s.Left))
	case !s.Minimal && s.Over:
		aside += ", effort limit reached"
	case !s.Minimal:
		aside += ", others not; macemc shrink last tries them"
	case s.Pairs:
		aside += fmt.Sprintf("; no step%s, and no pair of steps with what they cause, can be left out", before)
	default:
		aside += fmt.Sprintf("; no single step%s can be left out", before)
		if s.Choices {
			aside += ", by up to two other choices of its crashes"
		}
		if s.Over {
			aside += ", effort limit reached for pairs of steps"
		}
	}
	return Fact{"shrunk:", text, aside}
}

// shortest describes whether a shorter run exists.
func shortest(s *stats.Shortest) Fact {
	if !s.Least {
		return Fact{"shortest:", "unknown", s.Why}
	}
	said := "no shorter run violates a property"
	if s.States > 0 {
		said += ", checked in " + textfmt.Plural(s.States, "state")
	}
	return Fact{"shortest:", "yes", said}
}
