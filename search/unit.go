package search

import (
	"github.com/macemc/macemc/internal/search/coverage"
	"github.com/macemc/macemc/internal/search/fpset"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/search/runs"
	"github.com/macemc/macemc/internal/search/stats"
)

// Work is divided into units and done in rounds. All units of a round start from the results of earlier rounds, and are
// merged in their order. The number of workers and their timing therefore do not matter. Units are small, because the
// states that a unit sees help the others only from the next round on.
const (
	unitsPerRound = 16
	unitRuns      = 64
	unitEvents    = 1 << 15 // a unit ends after the run that exceeds it; units of fault-free walks end after a share of the earlier work
	leastEvents   = 1 << 11 // minimum of that share
	unitChunks    = 4       // number of units that the rest of a unit is split into when units are scarce
)

const (
	// The first run of each of the first verifyFirst units, and then of one in verifyEvery, is executed a second time
	// and compared. In each of the first verifyFurther units, the runs after 1, 2, 4, 8 and so on are, too, since a
	// search may have no more units.
	verifyFirst   = 2 * unitsPerRound
	verifyEvery   = 4
	verifyFurther = 4
)

// The runs of each of the first collisionsFirst units, and then of one in collisionsEvery, are searched for states with equal
// encodings and different behaviour.
const (
	collisionsFirst = unitsPerRound / 4
	collisionsEvery = 32
)

// unit is a job of package runs with its limits and its results.
type unit struct {
	phase  phase
	runs   int // maximum number of runs
	events int // it ends after the run that exceeds them
	checks checks

	runs.Job

	// Results.
	totals    totals
	states    *fpset.Set    // states added; the round's
	coverage  *coverage.Set // the round's
	bounded   bool          // deepening: the bound ended some run
	suspect   *Suspect      // the last run's
	err       error         // a task did not fit
	rest      *unit         // nil if the unit was finished, or ended the search
	stopped   bool          // from outside
	schedules scheduleResults
}

// checks selects the runs of a unit that are checked more closely than others.
type checks struct {
	verify     bool // whether the first run is executed a second time
	further    bool // verify also the second, third, fifth, ninth and so on
	collisions bool // whether the runs are searched for states with equal encodings and different behaviour
}

// account adds the run that has just ended, which executed that many events.
func (u *unit) account(s runs.Strategy, o *runloop.Outcome, events int) {
	switch s := s.(type) {
	case *runs.Stay:
	case *runs.Deepening:
		accountDeepening(s.Branch(), o, events, &u.totals.tallies)
	case walked:
		t := u.totals.tallies.of(u.phase)
		t.Ended(o)
		t.Events += events
		if events < stats.ShortWalk {
			t.Short++
		}
		if steps, whole := s.Walked(o); o.Live && whole {
			t.Steps.Add(steps)
			t.Choices.Add(o.Choices)
		}
	}
}

// walked is a strategy of walks. Walked returns the number of steps of a walk, and whether it ended in the first live
// state that it reached.
type walked interface {
	Walked(*runloop.Outcome) (steps int, whole bool)
}

func accountDeepening(b runs.Branch, o *runloop.Outcome, events int, t *tallies) {
	d, w := t.of(deepeningPhase), t.of(leafWalks)
	if b.Walk {
		n := o.Steps - b.Leaf
		events -= n
		w.Events += n
		w.Ended(o)
		if o.End == runloop.AtGoal {
			w.Steps.Add(n)
			w.Choices.Add(o.Choices - b.LeafChoices)
		}
	}
	d.Events += events
	if b.Again {
		return
	}
	switch {
	case b.Walk:
		d.Paths++
		d.Steps.Add(b.Leaf)
	default:
		d.Ended(o)
		d.Steps.Add(o.Steps)
	}
	if b.Seen && b.Walk {
		d.Duplicates++
	}
	d.Choices.Add(b.Depth)
}
