package document

import (
	"fmt"
	"strings"

	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/textfmt"
)

func criticalFacts(c *report.Critical) []Fact {
	switch c.Case {
	case critical.C1:
		f := []Fact{{
			fmt.Sprintf("since step %d:", c.Step), c.Event,
			fmt.Sprintf("CRITICAL: %s; before it %s of %s", recovered(c.After), textfmt.Number(c.Before.Recovered), textfmt.Number(c.Before.Walks)),
		}}
		if c.Choice != "" {
			f = append(f, Fact{"by choice:", c.Choice, ""})
		}
		return f
	case critical.C2Initial:
		text := "the first step that is not live: the cause is in the prefix"
		if c.Step == 0 {
			text = "the initial state: no live state was reached"
		}
		if c.After.Walks == 0 { // none was made from there
			return []Fact{{"since:", text, ""}}
		}
		return []Fact{{"since:", text, recovered(c.After)}}
	case critical.Unlocated:
		return []Fact{{"since:", fmt.Sprintf("step %s at the latest; the time limit left no time to narrow it down", textfmt.Number(c.After.Step)), recovered(c.After)}}
	case critical.C2:
		return []Fact{{"since:", "an unknown step, beyond the walk limit", fmt.Sprintf(
			"raise the walk limit of %s steps", textfmt.Number(c.Limit))}}
	}
	return []Fact{{"but:", "the end of the run recovers", string(c.Case)}}
}

// recovered says what the walks of a probe did.
func recovered(p critical.Probe) string {
	return fmt.Sprintf("%s of %s walks recovered, %s steps each", textfmt.Number(p.Recovered), textfmt.Number(p.Walks), textfmt.Number(p.Limit))
}

// proofFacts describes how it is known that the run is dead.
func proofFacts(c *report.Critical) []Fact {
	switch {
	case c.Proof == critical.Exact && c.States == 0:
		return []Fact{{"proof:", "dead: no live state is reachable", "all states were visited"}}
	case c.Proof == critical.Exact && c.ProvenAt == c.Step:
		return []Fact{{"proof:", fmt.Sprintf("dead: none of all %s that follow is live", textfmt.Plural(c.States, "state")), beside(c)}}
	case c.Proof == critical.Exact:
		return []Fact{{"proof:", fmt.Sprintf("dead at its end: none of all %s that follow is live", textfmt.Plural(c.States, "state")), beside(c)}}
	case c.Proof == critical.Walks:
		f := []Fact{{"not proven:", fmt.Sprintf("%s of %s walks recovered", textfmt.Number(c.After.Recovered), textfmt.Number(max(c.After.Walks, c.Walks))), c.Unproven}}
		if c.Case == critical.C1 && c.Before.Recovered*20 < c.Before.Walks {
			f = append(f, Fact{"uncertain:", "recovery is rare, so the critical step may be a later one",
				fmt.Sprintf("macemc critical error.path --walks %d", 10*max(c.After.Walks, c.Walks))})
		}
		return f
	}
	return nil
}

// beside says that steps fail which follow a run that is proven to be dead.
func beside(c *report.Critical) string {
	if c.Failing == "" {
		return ""
	}
	return "not counting steps that fail: " + c.Failing
}

// tailText says what goes on for ever, most frequent first.
func tailText(t critical.Tail) string {
	const most = 4
	var parts []string
	for _, r := range t.Repeats {
		never := ""
		if r.Changes == 0 {
			never = ", changes nothing"
			if node, _, ok := strings.Cut(r.Event, " "); ok && strings.HasPrefix(node, "n") {
				never = ", never changes " + node
			}
		}
		parts = append(parts, fmt.Sprintf("%s (x%s%s)", r.Event, textfmt.Number(r.Count), never))
	}
	return strings.Join(textfmt.Few(parts, most), ", ")
}
