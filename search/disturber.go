package search

import (
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/sim"
)

// Disturber is the strategy of one run to be recovered from: 1 to 60 random steps, and fewer if all allowed faults have
// struck. It is the first faulty part of a faulty walk. Pass it to [runloop.Loop.Run]; a [Walker] can continue at the path of
// the run.
type Disturber struct{ faulty }

// NewDisturber returns a strategy for systems with these limits, those of [sim.System.Limits]. The weights must not be
// negative.
func NewDisturber(w Weights, limits sim.Limits) *Disturber {
	return &Disturber{faulty{draws: newDraws(w), rowRuns: rowRuns{portfolio: portfolioOf(w, true, []Schedule{Weighted})}, limits: limits}}
}

// Seed prepares the next run, which draws from the given stream of a seed.
func (d *Disturber) Seed(seed, stream uint64) {
	d.random.Seed(seed, stream)
	d.begun, d.rounds = false, 0
	d.portfolio.turn(0)
}

// Next returns no task: runs are made one at a time.
func (d *Disturber) Next() (runloop.Task, bool) { return runloop.Task{}, false }

// Select implements [Strategy].
func (d *Disturber) Select(at *runloop.Node) runloop.Selection {
	if at.Used == d.limits || d.begun && d.faults == 0 {
		return runloop.Selection{End: runloop.AtBound}
	}
	if !d.begun {
		d.begun, d.long = true, false
		d.scale.Adopt(at.Run.World, true)
		d.round(at)
	}
	return d.faulty.Select(at)
}
