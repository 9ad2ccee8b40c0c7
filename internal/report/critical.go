package report

import (
	"cmp"
	"math"

	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/replay"
)

// Critical describes the critical transition of a run.
type Critical struct {
	critical.Transition
	Node   int    `json:"node"`
	Event  string `json:"event"`
	Choice string `json:"choice"` // the choice within the step; empty if it is the event
	Walks  int    `json:"walks"`  // walks of the deciding probe
	Limit  int    `json:"limit"`  // their length in steps
	// RecoversAtMost is an upper bound of the fraction of all continuations that recover, with 95 % confidence. 0 means that some walks
	// recovered, or that the run is proven dead.
	RecoversAtMost float64 `json:"recovers_at_most,omitempty"`
	// LiveViolates is the property that the live run itself violates in the end. An empty string means none.
	LiveViolates string `json:"live_violates,omitempty"`
}

// Sure reports whether it is proven that the run is dead after the critical step.
func (c *Critical) Sure() bool {
	return c.Proof == critical.Exact && (c.States == 0 || c.ProvenAt == c.Step)
}

// CriticalOf converts a critical transition to its report. dead is the trace of res.Dead; if it is nil, the fields
// that need it stay empty.
func CriticalOf(res *critical.Result, dead *replay.Trace) *Critical {
	c := &Critical{Transition: res.Transition, Node: -1, Walks: res.After.Walks, Limit: res.After.Limit}
	c.Probes = append([]critical.Probe{}, res.Probes...)
	if c.Limit == 0 && len(res.Probes) > 0 {
		last := res.Probes[len(res.Probes)-1]
		c.Walks, c.Limit = last.Walks, last.Limit
	}
	if p := res.After; c.Proof == critical.Walks && p.Walks > 0 && p.Recovered == 0 {
		c.RecoversAtMost = 1 - math.Pow(0.05, 1/float64(p.Walks))
	}
	if dead == nil || res.Step < 1 || res.Step > len(dead.Steps) {
		return c
	}
	s := &dead.Steps[res.Step-1]
	c.Node, c.Event = s.Node, s.Sentence()
	c.Choice = choiceText(s, res.Choice)
	return c
}

// SetLive sets the nearest live run, which shares its first steps with the dead one.
func (r *Report) SetLive(live *replay.Trace, common int) {
	r.Live, r.Critical.LiveCommon, r.Critical.LiveViolates = live, common, ""
	if f := live.Finding; f != nil {
		r.Critical.LiveViolates = cmp.Or(f.Property, string(f.Kind))
	}
}

// choiceText describes one of the choices of a step. index counts the choices with more than one alternative.
func choiceText(s *replay.TraceStep, index int) string {
	for _, a := range s.Choices {
		if a.Arity <= 1 {
			continue
		}
		if index == 0 {
			return replay.Decision(a)
		}
		index--
	}
	return ""
}
