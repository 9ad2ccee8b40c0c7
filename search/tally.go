package search

import (
	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/internal/search/strategy"
)

// phase names a kind of exploration, in progress and in reports.
type phase string

const (
	startPhase     phase = "start" // the prefix alone; not counted
	prefixPhase    phase = "prefixes"
	deepeningPhase phase = strategy.DeepeningPhase
	leafWalks      phase = strategy.LeafWalks
	criticalPhase  phase = "critical" // confirmation of suspects
)

// phaseOrder returns all phases in the order of reports.
func phaseOrder() []phase {
	order := []phase{startPhase, prefixPhase}
	for _, s := range strategy.All {
		if s.Phase != "" {
			order = append(order, phase(s.Phase))
		}
		if s.Can(strategy.Deepens) {
			order = append(order, leafWalks)
		}
	}
	return append(order, criticalPhase)
}

// tallies holds the counts of phases.
type tallies map[phase]*stats.Phase

// of returns the tally of a phase.
func (t *tallies) of(p phase) *stats.Phase {
	if *t == nil {
		*t = tallies{}
	}
	if (*t)[p] == nil {
		(*t)[p] = &stats.Phase{Name: string(p)}
	}
	return (*t)[p]
}

// scheduleTally holds the counts of the walks of one schedule.
type scheduleTally struct{ paths, events int }

func (t *scheduleTally) add(u *scheduleTally) {
	t.paths += u.paths
	t.events += u.events
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

func (t *tallies) phases() []stats.Phase {
	out := []stats.Phase{}
	for _, p := range phaseOrder() {
		if a := t.of(p); a.Paths > 0 || a.Events > 0 || a.Seconds != 0 {
			out = append(out, *a)
		}
	}
	return out
}
