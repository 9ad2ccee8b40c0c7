package document

import (
	"fmt"
	"strings"

	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/report"
)

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
	s := stateAfter(r.Dead, at)
	places := s.order
	if c.Case == critical.Located && !c.OutOfEvents && at > 0 {
		places = nil
		for i := range r.Dead.Steps[at-1].Changes {
			places = append(places, placeOf(&r.Dead.Steps[at-1].Changes[i]))
		}
	}
	var parts []string
	for _, p := range places {
		done := fmt.Sprintf("%d of %d", p.part.Times, p.part.Times)
		if p.part.Kind != replay.Action || s.values[p] != done+" done" {
			continue
		}
		text := p.part.Name + " " + done
		if r.Dead.Nodes > 1 {
			text = fmt.Sprintf("n%d %s", p.node, text)
		}
		parts = append(parts, text)
	}
	if len(parts) == 0 {
		return nil
	}
	return []Fact{{"actions used up:", strings.Join(parts, ", "), "the field Times limits an action"}}
}
