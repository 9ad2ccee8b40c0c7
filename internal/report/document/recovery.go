package document

import (
	"fmt"
	"slices"
	"strings"

	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/report/nodestates"
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/sim"
)

// criticalFacts names the step after which a run is dead. place is the handler of that step.
func criticalFacts(c *report.Critical, place string) []Fact {
	switch c.Case {
	case critical.Located:
		f := Fact{"critical step:", fmt.Sprintf("step %d: %s", c.Step, c.Event), place}
		return append([]Fact{f}, onlyWithText(Fact{"by choice:", c.Choice, ""})...)
	case critical.DeadFromStart:
		text := "the first step that is not live: the cause is in the prefix"
		if c.Step == 0 {
			text = "the initial state: no live state was reached"
		}
		return []Fact{{"since:", text, place}}
	case critical.Unlocated:
		since := fmt.Sprintf("step %s at the latest; the time limit left no time to narrow it down, macemc critical last does",
			textfmt.Number(c.After.Step))
		return []Fact{{"since:", since, place}}
	case critical.TooLateToTell:
		return []Fact{{"since:", "an unknown step, beyond the walk limit", fmt.Sprintf(
			"raise the walk limit of %s steps", textfmt.Number(c.Limit))}}
	}
	return []Fact{{"but:", "the end of the run recovers", string(c.Case)}}
}

// continuations describes the random continuations of a run after and before the critical step.
func continuations(r *report.Report) string {
	c := r.Critical
	p := c.After
	if p.Walks == 0 {
		p.Walks, p.Limit = c.Walks, c.Limit
	}
	if p.Walks == 0 {
		return ""
	}
	text := fmt.Sprintf("%s of %s random continuations recovered", textfmt.Number(p.Recovered), textfmt.Number(p.Walks))
	if c.Case == critical.Located {
		text += fmt.Sprintf(" after step %d, %s of %s before it", c.Step, textfmt.Number(c.Before.Recovered), textfmt.Number(c.Before.Walks))
		if c.Before.Recovered == 0 {
			text += ", where the live run recovers"
		}
	}
	if r.Limits != (sim.Limits{}) {
		text += ", without further faults"
	}
	return text + fmt.Sprintf("; up to %s steps each", textfmt.Number(p.Limit))
}

// certaintyFacts describes the certainty of the violation, or of the run being dead.
func certaintyFacts(r *report.Report) []Fact {
	c := r.Critical
	if c == nil {
		if r.Running > 0 && r.Kind != "" {
			return []Fact{{"certainty:",
				fmt.Sprintf("the process died in or after step %d, which may not be the cause: %s that earlier handlers had started still ran",
					r.Steps, textfmt.Plural(r.Running, "goroutine")), ""}}
		}
		if (r.Kind == sim.Safety || r.Kind == sim.Panic) && r.Dead != nil { // a run without a trace was not repeated
			return []Fact{{"certainty:", "every repetition of this run ended in the same way", ""}}
		}
		return nil
	}
	walks := continuations(r)
	switch {
	case c.Proof == critical.Exact && c.States == 0:
		return []Fact{{"certainty:", "proven: no live state is reachable", "all states were visited"}}
	case c.Proof == critical.Exact:
		text := "proven: "
		if c.ProvenAt != c.Step {
			text = "proven for the end of the run: "
		}
		text += fmt.Sprintf("no live state among the %s that can follow", textfmt.Plural(c.States, "state"))
		failing := c.Failing
		if failing != "" {
			failing = "not counting steps that fail: " + failing
		}
		return []Fact{{"certainty:", text, join(walks, failing)}}
	case c.Proof == critical.Walks:
		f := []Fact{{"certainty:", "not proven: " + walks, c.Unproven}}
		if most := c.RecoversAtMost; most > 0 {
			f = append(f, Fact{"", fmt.Sprintf("at most %.1f %% of all continuations recover (95 %% confidence)", 100*most), ""})
		}
		if c.Case == critical.Located && c.Before.Recovered*20 < c.Before.Walks {
			f = append(f, Fact{"", "recovery is rare, so the critical step may be a later one",
				fmt.Sprintf("macemc critical error.path --walks %d", 10*max(c.After.Walks, c.Walks))})
		}
		return f
	case walks != "" && c.Case != critical.TooLateToTell:
		return []Fact{{"certainty:", walks, ""}}
	}
	return nil
}

// join joins the texts that are not empty.
func join(texts ...string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(texts), func(t string) bool { return t == "" }), "; ")
}

// TailLabel introduces [Document.Tail]. A run without further events stays in its last state. The tail of another run was longer
// when it was examined, and its events need not repeat.
func (d *Document) TailLabel() string {
	if d.Report.Critical.OutOfEvents {
		return "then forever"
	}
	return "then, in a longer run"
}

// tailText describes the events of a tail, most frequent first.
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

// usedUpFacts names the actions with exhausted Times where a run is dead. It names all of them if nothing can happen
// or the critical step is unknown, else only the action of the critical step.
func usedUpFacts(r *report.Report) []Fact {
	c := r.Critical
	if c == nil || c.Case == critical.Recovered || r.Dead == nil {
		return nil
	}
	at := MarkedStep(r, len(r.Dead.Steps))
	if c.OutOfEvents {
		at = len(r.Dead.Steps)
	}
	s := nodestates.After(r.Dead, at)
	places := s.Order
	if c.Case == critical.Located && !c.OutOfEvents && at > 0 {
		places = nil
		for i := range r.Dead.Steps[at-1].Changes {
			places = append(places, nodestates.PlaceOf(&r.Dead.Steps[at-1].Changes[i]))
		}
	}
	var parts []string
	for _, p := range places {
		done := fmt.Sprintf("%d of %d", p.Part.Times, p.Part.Times)
		if p.Part.Kind != replay.Action || s.Values[p] != done+" done" {
			continue
		}
		text := p.Part.Name + " " + done
		if r.Dead.Nodes > 1 {
			text = fmt.Sprintf("n%d %s", p.Node, text)
		}
		parts = append(parts, text)
	}
	return onlyWithText(Fact{"actions used up:", strings.Join(parts, ", "), "the field Times limits an action"})
}
