package runs

import (
	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/search/schedules"
	"github.com/macemc/macemc/sim"
)

// Walks is the strategy of numbered walks, from roots in turn. Those of WalkTag begin with a
// scheduled part, which may continue past live states. Then they continue as those of a [Walker].
type Walks struct {
	Walker
	numberedRuns

	stop        int // for a prefix without a goal: number of steps after which it ends; 0 if not drawn yet
	planned     bool
	left        int  // steps left of the scheduled part
	endsNotLive bool // the scheduled part does not end in live states
	sawNotLive  bool // it was in a state that is not live
}

const (
	// prefixSteps bounds the length of a prefix without a goal, so that no state is a better end than another.
	prefixSteps = 200
	// leastScheduled is the length of the shortest scheduled parts. The longest take half of the limit, or all of it
	// without a goal.
	leastScheduled = 64
	// longerAfter is the number of runs after which these parts may be twice as long.
	longerAfter = 32
)

// plan draws the properties of the scheduled part.
func (s *Walks) plan(at *runloop.Node) {
	s.planned, s.left, s.endsNotLive, s.sawNotLive = true, 0, false, false
	if s.tag != WalkTag {
		return
	}
	most := s.limit / 2
	if !at.Goal {
		most = s.limit
	}
	s.scale.Adopt(at.Run.World, true)
	disturbed := s.scale.Disturbed // plain walks omit disturbing events, and an idle system may have no others
	if s.portfolio.names[s.portfolio.now] == schedules.Weighted && s.random.IntN(2) == 0 || most < leastScheduled && !disturbed {
		if !disturbed || !at.Live || s.scale.AnyWeighs(at.Enabled) {
			return // like weighted walks
		}
	}
	most = max(1, min(most, leastScheduled<<min(s.number/longerAfter, 20)))
	s.left = length(&s.random, min(leastScheduled, most), most)
	s.endsNotLive = s.random.IntN(4) > 0
	s.origin, s.leaveLive = at.Step, false
	s.portfolio.begin(&s.random, at, s.left)
}

// Select implements [runloop.Strategy].
func (s *Walks) Select(at *runloop.Node) runloop.Selection {
	if !s.planned {
		s.leaveLive = true
		s.plan(at)
	}
	if s.left > 0 {
		if at.Goal && at.Live && s.sawNotLive && !s.endsNotLive {
			return runloop.Selection{End: runloop.AtGoal}
		}
		s.sawNotLive = s.sawNotLive || !at.Live
		s.left--
		if s.pick = s.portfolio.next(at); s.pick >= 0 {
			return runloop.Selection{}
		}
		s.left = 0
	}
	if s.portfolio.used && !at.Goal {
		return runloop.Selection{End: runloop.TooLong}
	}
	sel := s.Walker.Select(at)
	if s.tag != PrefixTag || at.Goal || sel.End != runloop.Running {
		return sel
	}
	if s.stop == 0 {
		s.stop = 1 + s.random.IntN(prefixSteps)
	}
	if at.Step-s.origin >= s.stop {
		return runloop.Selection{End: runloop.AtGoal}
	}
	return sel
}

// Next implements [runloop.Strategy].
func (s *Walks) Next() (runloop.Task, bool) {
	s.stop, s.planned = 0, false
	s.begun, s.Walker.leftLive, s.usedActions = false, false, s.usedActions[:0]
	return s.take(&s.draws)
}

// Suspects implements [Strategy].
func (s *Walks) Suspects(o *runloop.Outcome) (int, bool) { return s.origin, suspicious(o) }

// Walked returns the number of steps of the walk that has just ended, and whether it ended in the first live state that
// it reached.
func (s *Walks) Walked(o *runloop.Outcome) (steps int, whole bool) {
	return o.Steps - s.origin, !s.portfolio.used
}

// UsedActions returns the actions done between the last state at which recovery began and the end of the run.
func (s *Walks) UsedActions() ActionSet {
	if s.left > 0 {
		return nil // recovery never began
	}
	return s.usedActions
}

// NewWalks returns the numbered walks of a tag.
func NewWalks(c Settings, tag int32) *Walks {
	return &Walks{Walker: *NewWalker(c.Scale, c.Steps), numberedRuns: newNumberedRuns(c, tag)}
}

// Stay is the strategy of runs that end with their task.
type Stay struct{ Walks }

// Select implements [runloop.Strategy].
func (s *Stay) Select(*runloop.Node) runloop.Selection {
	return runloop.Selection{End: runloop.AtBound}
}

// Suspects implements [Strategy].
func (s *Stay) Suspects(*runloop.Outcome) (int, bool) { return 0, false }

// Follow executes a path, which must fit the system, to its end. The outcome has its length and the faults that struck.
func Follow(sys *sim.System, path choose.Path) (runloop.Outcome, error) {
	return FollowWithin(sys, path, nil)
}

// FollowWithin is Follow for checked code that may not return, see [kernel.Options].Overdue.
func FollowWithin(sys *sim.System, path choose.Path, overdue func(ticks int) bool) (runloop.Outcome, error) {
	w, err := kernel.NewWorld(sys, kernel.Options{Contain: true, Overdue: overdue})
	if err != nil {
		return runloop.Outcome{}, err
	}
	return runloop.New(w).Run(&Stay{}, runloop.Task{Path: path}), nil
}
