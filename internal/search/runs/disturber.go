package runs

import (
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/search/schedules"
	"github.com/macemc/macemc/sim"
)

// Disturber is the strategy of one run to be recovered from: 1 to 60 random steps, and fewer if all allowed faults have
// struck. It is the first faulty part of a faulty walk. Pass it to [runloop.Loop.Run]; a [Walker] can continue at the path of
// the run.
type Disturber struct{ Faulty }

// NewDisturber returns a strategy for systems with these limits, those of [sim.System.Limits].
func NewDisturber(scale schedules.Scale, limits sim.Limits) *Disturber {
	return &Disturber{*NewFaulty(Settings{Scale: scale, Given: true, Schedules: []string{schedules.Weighted}}, limits)}
}

// Seed prepares the next run, which draws from the given stream of a seed.
func (d *Disturber) Seed(seed, stream uint64) {
	d.random.Seed(seed, stream)
	d.begun, d.rounds = false, 0
	d.portfolio.turn(0)
}

// Next returns no task: runs are made one at a time.
func (d *Disturber) Next() (runloop.Task, bool) { return runloop.Task{}, false }

// Select implements [runloop.Strategy].
func (d *Disturber) Select(at *runloop.Node) runloop.Selection {
	if at.Used == d.limits || d.begun && d.faults == 0 {
		return runloop.Selection{End: runloop.AtBound}
	}
	if !d.begun {
		d.begun, d.long = true, false
		d.scale.Adopt(at.Run.World, true)
		d.round(at)
	}
	return d.Faulty.Select(at)
}
