package document

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/internal/table/fairness"
	"github.com/macemc/macemc/internal/textfmt"
)

// fairRuns describes whether infinite fair runs were judged.
func fairRuns(c *report.Coverage) []string {
	f := c.Fair
	switch {
	case f == nil:
		return nil
	case !f.Judged:
		return []string{"NOT judged on infinite fair runs: " + strings.Join(f.Obligations, "; ") + " (" + WhyFairRunsUnjudged(c) + ")"}
	}
	var hot []string
	for i, n := range f.Hot {
		hot = append(hot, fmt.Sprintf("%s (pending in %s)", f.Obligations[i], textfmt.Plural(n, "state")))
	}
	return []string{"satisfied on every infinite fair run: " + strings.Join(hot, "; ")}
}

// WhyFairRunsUnjudged explains why infinite fair runs were not judged, and which walks were made instead.
func WhyFairRunsUnjudged(c *report.Coverage) string {
	f := c.Fair
	switch w := f.Walked; {
	case w == stats.FairWalks{}:
		return f.Why
	case w.Walks == 0:
		return f.Why + "; no fair walks: " + cmp.Or(w.Why, "no event is enabled")
	default:
		return fmt.Sprintf("%s; %s through at most %s found no violation", f.Why, textfmt.Plural(w.Walks, "fair walk"),
			textfmt.Plural(w.States, "state")) + prefixed(", and were stopped: ", w.Why)
	}
}

// starvedFacts describes an infinite run in which an obligation stays pending.
func starvedFacts(r *report.Report) []Fact {
	s := r.Starved
	if s == nil { // of a run that was replayed
		return []Fact{{"starved:", cmp.Or(r.Message, r.Property), ""}}
	}
	f := []Fact{{"never again:", s.Property + prefixed(": ", s.Obligation), "pending forever, although every fair event happens"}}
	from := "from the cycle"
	switch {
	case s.Round == 0:
		f[0].Aside, from = "pending forever", fmt.Sprintf("after step %d", s.Steps)
		f = append(f, Fact{"forever:", fmt.Sprintf("after step %d no fair event can happen any more", s.Steps), ""})
	case s.Round == 1:
		f = append(f, Fact{"forever:", fmt.Sprintf("step %d repeats", s.Steps+1), "it ends in the state in which it begins"})
	default:
		f = append(f, Fact{"forever:", fmt.Sprintf("the cycle of steps %d to %d repeats", s.Steps+1, s.Steps+s.Round),
			"it ends in the state in which it begins"})
	}
	label := "per cycle:"
	for _, p := range s.Processes {
		f = append(f, Fact{label, p.Process, share(p)})
		label = ""
	}
	for _, c := range s.OneWay {
		f = append(f, Fact{"unfair:", fmt.Sprintf("%s: always %s of 0 to %d", c.Choice, picks(c.Picks), c.Of-1), blame(s, c)})
	}
	if s.Walked {
		f = append(f, Fact{"found by:", "fair walks",
			"not all states were visited, so a shorter run may exist; a complete search by strategy bfs decides it"})
		if !s.Recovers {
			return append(f, Fact{"recovery:", "unknown", "no fair walk recovered"})
		}
	}
	if s.Recovers {
		return append(f, Fact{"recovery:", "is possible " + from, "by chance, which fairness does not guarantee"})
	}
	return append(f, Fact{"recovery:", "is not possible " + from, "not even by chance"})
}

// starvedSentence describes the starvation in one sentence.
func starvedSentence(r *report.Report) string {
	text := fmt.Sprintf("%q stays pending forever", r.Property)
	s := r.Starved
	switch {
	case s == nil:
	case s.Round == 0:
		text += fmt.Sprintf(": after step %d no fair event can happen any more", s.Steps)
	case s.Round == 1:
		text += fmt.Sprintf(": step %d repeats forever", s.Steps+1)
	default:
		text += fmt.Sprintf(": steps %d to %d repeat forever", s.Steps+1, s.Steps+s.Round)
	}
	return capital(text)
}

// share describes the steps of a process in a cycle.
func share(p fairness.Share) string {
	switch {
	case p.Runs > 0 && p.Enabled == 0:
		return fmt.Sprintf("runs %s per cycle, which changes nothing", times(p.Runs))
	case p.Runs > 0:
		return fmt.Sprintf("runs %s per cycle", times(p.Runs))
	case p.Fairness == "none":
		return "starved (allowed: actions have no fairness)"
	case p.Enabled < p.Places:
		return fmt.Sprintf("never runs: disabled in %s", textfmt.Plural(p.Places-p.Enabled, "state"))
	}
	return "never runs"
}

func times(n int) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return textfmt.Number(n) + " times"
}

func picks(list []int) string {
	var text []string
	for _, p := range list {
		text = append(text, textfmt.Number(p))
	}
	return strings.Join(text, " or ")
}

// blame describes whether a choice causes the starvation.
func blame(s *fairness.Starvation, c fairness.OneWay) string {
	switch {
	case s.Walked:
		return "an unfair choice; whether a fair one would help is unknown"
	case c.Removes:
		return "a fair choice would prevent this"
	case s.AllFair:
		return "this choice alone does not prevent it, but all choices together would if they were fair"
	}
	return "a fair choice would not prevent it: other such runs exist"
}
