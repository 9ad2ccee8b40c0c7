package search

import (
	"math/bits"

	"github.com/macemc/macemc/internal/search/runloop"
)

// phase names a kind of exploration, in progress and in reports.
type phase string

const (
	startPhase    phase = "start" // the prefix alone; not counted
	prefixPhase   phase = "prefixes"
	criticalPhase phase = "critical" // confirmation of suspects

	// The phases of strategies.
	deepeningPhase phase = "deepening"
	leafWalks      phase = "leaf walks"
	walkPhase      phase = "walks"
	faultyPhase    phase = "faulty walks"
)

// phaseOrder returns all phases in the order of reports.
func phaseOrder() []phase {
	order := []phase{startPhase, prefixPhase}
	for _, s := range strategies() {
		if s.new != nil {
			order = append(order, s.phase)
		}
		if s.phase == deepeningPhase {
			order = append(order, leafWalks)
		}
	}
	return append(order, criticalPhase)
}

// tallies holds the counts of phases.
type tallies map[phase]*Phase

// of returns the tally of a phase.
func (t *tallies) of(p phase) *Phase {
	if *t == nil {
		*t = tallies{}
	}
	if (*t)[p] == nil {
		(*t)[p] = &Phase{Name: string(p)}
	}
	return (*t)[p]
}

// scheduleTally holds the counts of the walks of one schedule.
type scheduleTally struct{ paths, events int }

func (t *scheduleTally) add(u *scheduleTally) {
	t.paths += u.paths
	t.events += u.events
}

// ended counts a run.
func (p *Phase) ended(o *runloop.Outcome) {
	p.Paths++
	switch o.End {
	case runloop.Duplicate:
		p.Duplicates++
	case runloop.OutOfEvents:
		p.OutOfEvents++
	case runloop.TooLong:
		p.TooLong++
	}
	if o.Live {
		p.Live++
	}
}

// Add adds the counts of another part of the phase.
func (p *Phase) Add(o *Phase) {
	p.Seconds += o.Seconds
	p.Paths += o.Paths
	p.Live += o.Live
	p.Duplicates += o.Duplicates
	p.OutOfEvents += o.OutOfEvents
	p.TooLong += o.TooLong
	p.Short += o.Short
	p.States += o.States
	p.Events += o.Events
	p.Steps.Merge(&o.Steps)
	p.Choices.Merge(&o.Choices)
}

func (t *tallies) add(u tallies) {
	for p, b := range u {
		t.of(p).Add(b)
	}
}

func (t *tallies) events() int {
	n := 0
	for _, a := range *t {
		n += a.Events
	}
	return n
}

func (t *tallies) phases() []Phase {
	out := []Phase{}
	for _, p := range phaseOrder() {
		if a := t.of(p); a.Paths > 0 || a.Events > 0 || a.Seconds != 0 {
			out = append(out, *a)
		}
	}
	return out
}

// Add counts a value, which must not be negative.
func (h *Histogram) Add(v int) {
	if h.Count == 0 {
		h.Min, h.Max = v, v
	}
	h.Count++
	h.Min, h.Max = min(h.Min, v), max(h.Max, v)
	k := bits.Len(uint(v))
	for len(h.Buckets) <= k {
		h.Buckets = append(h.Buckets, 0)
	}
	h.Buckets[k]++
}

// Merge adds the values of another histogram.
func (h *Histogram) Merge(g *Histogram) {
	switch {
	case g.Count == 0:
		return
	case h.Count == 0:
		h.Min, h.Max = g.Min, g.Max
	}
	h.Count += g.Count
	h.Min, h.Max = min(h.Min, g.Min), max(h.Max, g.Max)
	for len(h.Buckets) < len(g.Buckets) {
		h.Buckets = append(h.Buckets, 0)
	}
	for k, n := range g.Buckets {
		h.Buckets[k] += n
	}
}
