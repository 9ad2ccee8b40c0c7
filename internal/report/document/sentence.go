package document

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/kernel/properties"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/sim"
)

// sentence describes the violation and its step in one line. If random continuations are the only evidence, it states their number.
func sentence(r *report.Report) string {
	text := claim(r)
	switch {
	case unexamined(r):
		return text + " (not proven)"
	case !ByWalks(r):
		return text
	}
	walks := cmp.Or(r.Critical.After.Walks, r.Critical.Walks)
	if walks == 0 || r.Kind != sim.Liveness && r.Critical.Case != critical.Located {
		return text + " (not proven)"
	}
	in := " in any of "
	if walks == 1 {
		in = " in "
	}
	return text + in + textfmt.Plural(walks, "random continuation")
}

// ByWalks reports whether random continuations are the only evidence that the run is dead.
func ByWalks(r *report.Report) bool { return r.Critical != nil && r.Critical.Proof == critical.Walks }

// unexamined reports whether nothing is known about continuations of a run without a live state, as after the death of the search.
func unexamined(r *report.Report) bool { return r.Kind == sim.Liveness && r.Critical == nil }

// recovery says that a dead run did not recover, or cannot.
func recovery(r *report.Report) string {
	sampled := ByWalks(r) || unexamined(r)
	fromStart := r.Critical != nil && r.Critical.Case == critical.DeadFromStart && r.Critical.Step == 0
	switch {
	case fromStart && sampled:
		return " did not hold"
	case fromStart:
		return " never holds"
	case sampled:
		return " did not become true"
	}
	return " cannot become true"
}

func claim(r *report.Report) string {
	where := ""
	if last := r.LastStep(); last != nil {
		where = fmt.Sprintf(" in step %d", last.Number)
		if last.Node >= 0 && !strings.HasPrefix(oneLine(r), fmt.Sprintf("n%d: ", last.Node)) {
			where += fmt.Sprintf(", at n%d", last.Node)
		}
	}
	boot := ""
	if r.Dead != nil && len(r.Dead.Steps) == 0 && r.Dead.Finding != nil && r.Dead.Finding.Node >= 0 {
		boot = fmt.Sprintf(" at the boot of n%d", r.Dead.Finding.Node)
	}
	never := neverAgain(r)
	what := `"` + never[0].Text + `"`
	if n := len(never) - 1; n > 0 {
		what += fmt.Sprintf(" (and %d more)", n)
	}
	switch r.Kind {
	case sim.Liveness, sim.Deadlock:
		c := r.Critical
		text := what + recovery(r)
		if r.Kind == sim.Deadlock {
			text = stuckText(r) + ", and " + what + " does not hold"
		}
		switch {
		case c == nil || c.Case != critical.Located:
		case r.Kind == sim.Deadlock:
			avoided := "cannot be"
			if ByWalks(r) {
				avoided = "was not"
			}
			text += fmt.Sprintf(", which %s avoided after step %d", avoided, c.Step)
		default:
			text += fmt.Sprintf(" after step %d", c.Step)
		}
		return capital(text)
	case sim.Safety:
		return fmt.Sprintf("%q is violated%s", r.Property, where) + prefixed(": ", oneLine(r))
	case sim.Starvation:
		return starvedSentence(r)
	case sim.Panic:
		if r.Property != "" {
			return fmt.Sprintf("The property %q panics%s: %s", r.Property, where,
				strings.TrimPrefix(textfmt.FirstLine(r.Message), properties.Panicked))
		}
		if r.Running > 0 { // the handler of the step need not be the cause
			return fmt.Sprintf("The process ends in or after step %d: %s", r.Steps, textfmt.FirstLine(r.Message))
		}
		return fmt.Sprintf("Panic%s: %s", where+boot, textfmt.FirstLine(r.Message))
	case sim.Divergence:
		if why, ok := strings.CutPrefix(textfmt.FirstLine(r.Message), fmt.Sprintf("property %q ", r.Property)); ok {
			return fmt.Sprintf("The property %q does not return%s: it %s", r.Property, where, why)
		}
		return fmt.Sprintf("A handler does not return%s: %s", where, textfmt.FirstLine(r.Message))
	}
	return capital(textfmt.FirstLine(cmp.Or(r.Message, "two executions of the same path differ"))) // of nondeterminism
}

// oneLine returns the explanation of a violation in one line. If it is long, the lines about the node of the last step come first, and the
// others are counted.
func oneLine(r *report.Report) string {
	const most = 160
	lines := strings.Split(strings.TrimSpace(explained(r)), "\n")
	if all := strings.Join(lines, "; "); len(all) <= most {
		return all
	}
	if last := r.LastStep(); last != nil {
		own := fmt.Sprintf("n%d:", last.Node)
		if i := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, own) }); i > 0 {
			line := lines[i]
			lines = slices.Insert(slices.Delete(lines, i, i+1), 0, line)
		}
	}
	text, shown := lines[0], 1
	for shown < len(lines) && len(text)+2+len(lines[shown]) <= most {
		text += "; " + lines[shown]
		shown++
	}
	if n := len(lines) - shown; n > 0 {
		text += fmt.Sprintf("; and %d more", n)
	}
	return text
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
