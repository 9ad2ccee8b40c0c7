package search

import (
	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/search/coverage"
	"github.com/macemc/macemc/internal/search/fpset"
	"github.com/macemc/macemc/sim"
)

// The work is cut into units and done in rounds. All units of a round start from what was known at
// its beginning and are put together in their order, so that it does not matter how many workers do
// them, nor when. Units are small, because what a unit has seen helps the others from the next round
// on only.
const (
	unitsPerRound = 16
	unitRuns      = 64
	unitEvents    = 1 << 15 // a unit ends after the run that exceeds it, one of walks without faults after a share of what was done before
	leastEvents   = 1 << 11 // that is at least this
	unitChunks    = 4       // into how many units the rest of a unit is split when units are scarce
)

const (
	// The first run of each of the first verifyFirst units, and then of one in verifyEvery, is executed a
	// second time and compared; of each of the first verifyClosely also the runs after 1, 2, 4, 8 and so on, as a search may
	// not have more.
	verifyFirst   = 2 * unitsPerRound
	verifyEvery   = 4
	verifyClosely = 4
)

// The runs of each of the first twinsFirst units, and then of one in twinsEvery, are looked through for twins.
const (
	twinsFirst = unitsPerRound / 4
	twinsEvery = 32
)

// unit is a piece of work, and what came of it.
type unit struct {
	phase   phase
	runs    int  // how many it may make
	events  int  // it ends after the run that exceeds them
	verify  bool // whether its first run is executed a second time
	closely bool // likewise the second, third, fifth, ninth and so on
	twins   bool // whether its runs are looked through for twins

	bound int    // deepening
	Items []item `json:"items"`

	first, count int     // rows of walks: numbers of the runs
	mix          []uint8 // which schedules they have, by number modulo its length; may be nil

	// What came of it.
	made      int // runs
	tallies   tallies
	sometimes []int
	walked    []int // likewise, of walks alone
	activity  coverage.Activity
	used      sim.Limits
	foreign   bool // times of different nodes were compared
	sampled   choose.Samples
	states    *fpset.Set    // states added; the round's
	coverage  *coverage.Set // the round's
	bounded   bool          // deepening: some run was ended by the bound
	suspect   *Suspect      // the last run's
	err       error         // a task did not fit
	left      *unit         // nil when the unit was finished, or ended the search
	stopped   bool          // from outside
	prefixes  []choose.Path
	noticed   noticed
	relied    []int // by slot of the action: runs that recovered by it, among other things
}

// unitStrategy is a strategy that makes the runs of a unit.
type unitStrategy interface {
	Strategy
	begin(*unit)
	// rest is what the strategy did not get to; nil when it got through.
	rest(*unit) *unit
	// suspects reports whether the run that has just ended is suspected never to become live, and the step
	// from which it went on without faults.
	suspects(*Outcome) (origin int, yes bool)
	// account adds the run that has just ended, which executed that many events.
	account(o *Outcome, events int, t *tallies)
}

// split cuts the items of a unit of deepening into at most n units, in order and with about as many
// alternatives each.
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

// size is the number of alternatives of an item.
func (it *item) size() int {
	if it.Arity == 0 {
		return 1
	}
	return int(it.Arity - it.Next)
}

func (s *walks) account(o *Outcome, events int, t *tallies) {
	accountWalk(t.of(s.phase), o, events, o.Steps-s.origin, !s.portfolio.used)
}
func (s *faulty) account(o *Outcome, events int, t *tallies) {
	accountWalk(t.of(faultyPhase), o, events, o.Steps, true)
}

// accountWalk counts a walk; whole means that it ended in the first live state that it came to.
func accountWalk(t *tally, o *Outcome, events, steps int, whole bool) {
	t.ended(o)
	t.events += events
	if o.Live && whole {
		t.steps.Add(steps)
		t.choices.Add(o.Choices)
	}
}
