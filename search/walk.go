package search

import (
	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/search/fpset"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/sim"
)

// Walker is the strategy of one weighted random walk by the recovery relation, without injections. The walk starts at
// the end of a task. It ends at the first live state, when no event is left, or after a number of steps. Pass it to
// [runloop.Loop.Run]. If the system has no Eventually property, a walk does not end at live states.
type Walker struct {
	draws
	limit int
	leave bool // the walk does not end in a live state until it has been in one that is not live

	begun  bool
	origin int // the step after which the walk began
	left   bool
	pick   int
	relied relied
}

// NewWalker returns a strategy for walks of at most limit steps beyond the task. Weights must not be negative.
func NewWalker(w Weights, limit int) *Walker {
	return &Walker{draws: newDraws(w), limit: limit}
}

// Seed prepares the next walk, which draws from the given stream of a seed.
func (w *Walker) Seed(seed, stream uint64) {
	w.random.Seed(seed, stream)
	w.begun, w.left, w.relied = false, false, w.relied[:0]
}

// SetLimit changes the limit of later walks.
func (w *Walker) SetLimit(limit int) { w.limit = limit }

// SetLeave sets whether later walks continue in live states until they have been in one that is not.
func (w *Walker) SetLeave(leave bool) { w.leave = leave }

// Next returns no task: walks are made one at a time.
func (w *Walker) Next() (runloop.Task, bool) { return runloop.Task{}, false }

// Select implements [Strategy].
func (w *Walker) Select(at *runloop.Node) runloop.Selection {
	if !w.begun || w.scale.Disturbed {
		w.scale.Adopt(at.Run.World, true)
	}
	if !w.begun {
		w.begun, w.origin = true, at.Step
		w.relied.begin(len(at.Run.World.System().Actions))
	}
	if !at.Live {
		w.left = true
	} else if at.Goal && (w.left || !w.leave) {
		return runloop.Selection{End: runloop.AtGoal}
	}
	if at.Step-w.origin >= w.limit && w.scale.AnyWeighs(at.Enabled) {
		return runloop.Selection{End: runloop.TooLong}
	}
	if w.pick = w.event(at.Enabled); w.pick < 0 {
		return runloop.Selection{End: end(at)}
	}
	w.relied.note(&at.Enabled[w.pick])
	return runloop.Selection{}
}

// Choose implements [Strategy].
func (w *Walker) Choose(_ *runloop.Node, p choose.Point) (int, bool) {
	if p.Kind == choose.Event {
		return w.pick, true
	}
	return w.random.Choose(p), true
}

// Ended implements [Strategy].
func (w *Walker) Ended(*runloop.Outcome) {}

// Walk makes weighted random walks from the start, without faults.
const Walk Name = "walk"

const walkPhase phase = "walks"

func walkStrategy() strategy {
	return strategy{
		StrategyInfo: StrategyInfo{Walk, "walk at random, without faults", Walks | Durable},
		phase:        walkPhase,
		new:          func(w *worker, _ *fpset.Set) unitStrategy { return newWalks(w, walkPhase, walkTag) },
	}
}

// walks is the strategy of a row of walks, by number, from roots in turn. Walks of the phase of that name begin with a
// scheduled part, which may continue past live states. Then they continue as those of a [Walker].
type walks struct {
	Walker
	rowRuns
	phase phase

	stop    int // for a prefix without a goal: number of steps after which it ends; 0 if not drawn yet
	planned bool
	left    int  // steps left of the scheduled part
	onward  bool // the scheduled part does not end in live states
	away    bool // it was in a state that is not live
}

const (
	// prefixSteps bounds the length of a prefix without a goal, so that no state is a better end than another.
	prefixSteps = 200
	// leastScheduled is the length of the shortest scheduled parts. The longest take half of the limit, or all of it if
	// there is no goal.
	leastScheduled = 64
	// longerAfter is the number of runs after which these parts may be twice as long.
	longerAfter = 32
)

// plan draws the properties of the scheduled part.
func (s *walks) plan(at *runloop.Node) {
	s.planned, s.left, s.onward, s.away = true, 0, false, false
	if s.phase != walkPhase {
		return
	}
	most := s.limit / 2
	if !at.Goal {
		most = s.limit
	}
	if s.portfolio.names[s.portfolio.now] == Weighted && s.random.IntN(2) == 0 || most < leastScheduled {
		return // like weighted walks
	}
	most = min(most, leastScheduled<<min(s.number/longerAfter, 20))
	s.left = length(&s.random, leastScheduled, most)
	s.onward = s.random.IntN(4) > 0
	s.origin, s.leave = at.Step, false
	s.portfolio.begin(&s.random, at, s.left)
}

// Select implements [Strategy].
func (s *walks) Select(at *runloop.Node) runloop.Selection {
	if !s.planned {
		s.leave = true
		s.plan(at)
	}
	if s.left > 0 {
		if at.Goal && at.Live && s.away && !s.onward {
			return runloop.Selection{End: runloop.AtGoal}
		}
		s.away = s.away || !at.Live
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
	if s.phase != prefixPhase || at.Goal || sel.End != runloop.Running {
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

func (s *walks) Next() (runloop.Task, bool) {
	s.stop, s.planned = 0, false
	s.begun, s.Walker.left, s.relied = false, false, s.relied[:0]
	return s.take(&s.random)
}

func (s *walks) suspects(o *runloop.Outcome) (int, bool) { return s.origin, suspicious(o) }

func (s *walks) reliedOn() relied {
	if s.left > 0 {
		return nil // recovery never began
	}
	return s.relied
}

// relied is the set of actions that a walk did on the way to a live state.
type relied []bool // by slot

func (r *relied) begin(actions int) { *r = append((*r)[:0], make(relied, actions)...) }

func (r relied) note(ev *sim.Event) {
	if ev.Kind == sim.DoAction && int(ev.Slot) < len(r) { // in tests, worlds list actions that their system lacks
		r[ev.Slot] = true
	}
}

// end returns the end of a walk without further events.
func end(at *runloop.Node) runloop.End {
	if at.Goal && at.Live {
		return runloop.AtGoal
	}
	return runloop.OutOfEvents
}

// stay is the strategy of runs that end with their task.
type stay struct{ walks }

func (s *stay) Select(*runloop.Node) runloop.Selection {
	return runloop.Selection{End: runloop.AtBound}
}
func (s *stay) suspects(*runloop.Outcome) (int, bool)   { return 0, false }
func (s *stay) account(*runloop.Outcome, int, *tallies) {}

// Follow executes a path, which must fit the system, to its end. The outcome has its length and the faults that struck.
func Follow(sys *sim.System, path choose.Path) (runloop.Outcome, error) {
	return follow(sys, path, nil)
}

func follow(sys *sim.System, path choose.Path, overdue func(ticks int) bool) (runloop.Outcome, error) {
	w, err := kernel.NewWorld(sys, kernel.Options{Contain: true, Overdue: overdue})
	if err != nil {
		return runloop.Outcome{}, err
	}
	return runloop.New(w).Run(&stay{}, runloop.Task{Path: path}), nil
}

// newWalks returns the numbered walks of a phase.
func newWalks(w *worker, p phase, tag int32) *walks {
	return &walks{Walker: *NewWalker(w.cfg.Weights, w.cfg.WalkSteps), rowRuns: rowRuns{portfolio: newPortfolio(w.cfg), seed: w.cfg.Seed, tag: tag}, phase: p}
}

// suspicious reports whether a run ended without becoming live again.
func suspicious(o *runloop.Outcome) bool {
	return !o.Live && (o.End == runloop.OutOfEvents || o.End == runloop.TooLong)
}
