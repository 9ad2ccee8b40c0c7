package search

import (
	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/search/coverage"
	"github.com/macemc/macemc/internal/search/fpset"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/sim"
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
	// and compared. In each of the first verifyClosely units, the runs after 1, 2, 4, 8 and so on are, too, since a
	// search may have no more units.
	verifyFirst   = 2 * unitsPerRound
	verifyEvery   = 4
	verifyClosely = 4
)

// The runs of each of the first twinsFirst units, and then of one in twinsEvery, are searched for twins.
const (
	twinsFirst = unitsPerRound / 4
	twinsEvery = 32
)

// unit is a piece of work with its results.
type unit struct {
	phase   phase
	runs    int  // maximum number of runs
	events  int  // it ends after the run that exceeds them
	verify  bool // whether its first run is executed a second time
	closely bool // verify also the second, third, fifth, ninth and so on
	twins   bool // whether its runs are searched for twins

	bound int    // deepening
	Items []item `json:"items"`

	first, count int     // rows of walks: numbers of the runs
	mix          []uint8 // schedules by number of the run modulo its length; may be nil

	// Results.
	made      int // runs
	tallies   tallies
	sometimes []int
	walked    []int // by property, of walks alone
	activity  coverage.Activity
	used      sim.Limits
	foreign   bool // times of different nodes were compared
	sampled   choose.Samples
	states    *fpset.Set    // states added; the round's
	coverage  *coverage.Set // the round's
	bounded   bool          // deepening: the bound ended some run
	suspect   *Suspect      // the last run's
	err       error         // a task did not fit
	left      *unit         // nil if the unit was finished, or ended the search
	stopped   bool          // from outside
	prefixes  []choose.Path
	noticed   noticed
	relied    []int // by slot of the action: number of runs that recovered with it
}

// unitStrategy is a strategy that makes the runs of a unit.
type unitStrategy interface {
	runloop.Strategy
	begin(*unit)
	// rest returns the unexplored rest, or nil if there is none.
	rest(*unit) *unit
	// suspects reports whether the run that has just ended is suspected never to become live, and the step from which
	// it continued without faults.
	suspects(*runloop.Outcome) (origin int, yes bool)
	// account adds the run that has just ended, which executed that many events.
	account(o *runloop.Outcome, events int, t *tallies)
}

// split divides the items of a unit of deepening into at most n units, in order and with about as many alternatives
// each.
func (u *unit) split(n int) []*unit {
	all := 0
	for i := range u.Items {
		all += u.Items[i].size()
	}
	var out []*unit
	share := (all + n - 1) / n
	room := 0
	for _, it := range u.Items {
		for it.size() > 0 {
			if room == 0 {
				out = append(out, &unit{phase: u.phase, bound: u.bound})
				room = share
			}
			last := out[len(out)-1]
			if it.size() <= room {
				last.Items = append(last.Items, it)
				room -= it.size()
				break
			}
			part := it
			part.Arity = it.Next + int32(room)
			it.Next += int32(room)
			last.Items = append(last.Items, part)
			room = 0
		}
	}
	return out
}

// size returns the number of alternatives of an item.
func (it *item) size() int {
	if it.Arity == 0 {
		return 1
	}
	return int(it.Arity - it.Next)
}

func (s *walks) account(o *runloop.Outcome, events int, t *tallies) {
	accountWalk(t.of(s.phase), o, events, o.Steps-s.origin, !s.portfolio.used)
}
func (s *faulty) account(o *runloop.Outcome, events int, t *tallies) {
	accountWalk(t.of(faultyPhase), o, events, o.Steps, true)
}

// accountWalk counts a walk; whole means that it ended in the first live state that it reached.
func accountWalk(t *tally, o *runloop.Outcome, events, steps int, whole bool) {
	t.ended(o)
	t.events += events
	if o.Live && whole {
		t.steps.Add(steps)
		t.choices.Add(o.Choices)
	}
}
