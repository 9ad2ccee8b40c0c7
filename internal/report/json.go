package report

import (
	"cmp"
	"encoding/json"
	"io"
	"strings"

	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/replay"
)

// JSON writes the report as one JSON object. Lists are never null.
func JSON(w io.Writer, r *Report) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(r.forJSON())
}

func (r *Report) forJSON() *Report {
	c := *r
	c.Stack = strings.Join(userFrames(r.Stack), "\n")
	c.Handler, c.Assumes = r.HandledBy(), r.assumption()
	c.Bugs = orEmpty(c.Bugs)
	c.Phases = orEmpty(c.Phases)
	c.Coverage.NeverHappened = orEmpty(c.Coverage.NeverHappened)
	c.Coverage.Sometimes = orEmpty(c.Coverage.Sometimes)
	if c.Findings != nil {
		c.Findings = make([]*Report, len(r.Findings))
		for i, f := range r.Findings {
			c.Findings[i] = f.forJSON()
		}
	}
	return &c
}

func orEmpty[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// CriticalOf puts a critical transition into the terms of a report. dead is the trace of res.Dead; nil
// leaves out what can only be seen in it.
func CriticalOf(res *critical.Result, dead *replay.Trace) *Critical {
	c := &Critical{
		Case: res.Case, Step: res.Step, Bound: res.Bound, Node: -1, Probes: orEmpty(res.Probes), Before: res.Before, After: res.After,
		LiveCommon: res.LiveCommon, Tail: res.Tail, Walks: res.After.Walks, Limit: res.After.Limit,
		OutOfEvents: res.OutOfEvents, Proof: res.Proof, States: res.States, ProvenAt: res.ProvenAt, Unproven: res.Unproven, Failing: res.Failing,
	}
	if c.Limit == 0 && len(res.Probes) > 0 {
		last := res.Probes[len(res.Probes)-1]
		c.Walks, c.Limit = last.Walks, last.Limit
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

// choiceText names one of the choices of a step with several; index counts those with more than one
// alternative.
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
