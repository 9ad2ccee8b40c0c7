package runs

import (
	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/sim"
)

const (
	// faultyRounds is the maximum number of faulty parts of a run.
	faultyRounds = 6
	// faultySteps bounds the length of a faulty part.
	faultySteps = 60
	// plainRuns is the number of the first runs that are short, begin with faults, and use the given weights.
	// Their schedule continues when no fault is left. This finds most defects soonest. The others are found by
	// recovering at once.
	plainRuns = 512
	// longOdds: one in that many runs may have longer parts, up to longSteps, if walks may be longer than faultySteps.
	// Such a run has about nine times as many steps as others, so most steps remain in short runs.
	longOdds  = 16
	longSteps = 512
	// settledOdds: one in that many runs begins without faults, until it is live.
	settledOdds = 8
	// onwardOdds: one in that many runs continues past the live state that it reached when no fault was left.
	onwardOdds = 3
)

// NewFaulty returns faulty walks.
func NewFaulty(c Settings) *Faulty {
	return &Faulty{draws: draws{scale: c.Scale}, numberedRuns: newNumberedRuns(c, faultyTag), limit: c.Steps, limits: c.Limits}
}

// Swarm is the strategy of faulty walks in which each run has a random subset of the allowed faults, each fault with
// probability 1/2. Frequent faults then cannot hide what the others do. See Groce et al., "Swarm Testing", ISSTA 2012.
type Swarm struct {
	Faulty
	allowed sim.Limits
}

// NewSwarm returns swarm walks.
func NewSwarm(c Settings) *Swarm { return &Swarm{*NewFaulty(c), c.Limits} }

// Next implements [runloop.Strategy].
func (s *Swarm) Next() (runloop.Task, bool) {
	task, ok := s.Faulty.Next()
	s.limits = s.allowed
	for f, limit := range s.allowed {
		if limit > 0 && s.random.IntN(2) == 0 {
			s.limits[f] = 0
		}
	}
	return task, ok
}

// Faulty is the strategy of faulty walks. In each round, a random number of steps with injections is followed by steps
// without, until the state is live. Injections have their weight only at some moments, with random gaps between them.
// Otherwise all allowed faults would strike at the start of the first round, and defects that need an undisturbed
// beginning would not be found.
type Faulty struct {
	draws
	numberedRuns
	limit  int
	limits sim.Limits // of the run
	times  faultTimes

	begun       bool
	long        bool // parts may be long
	free        bool // the part has no faults, because none are left
	rounds      int  // started so far
	faults      int  // steps left of the faulty part
	recovery    int  // the step after which the fault-free part began
	length      int  // of that part, without a goal
	usedActions ActionSet
	pick        int
	enabled     []int // indices of the faults that can strike in a state, reused
}

// Next implements [runloop.Strategy].
func (s *Faulty) Next() (runloop.Task, bool) {
	s.begun, s.rounds, s.usedActions = false, 0, s.usedActions[:0]
	return s.take(&s.draws)
}

func (s *Faulty) round(at *runloop.Node) {
	s.rounds++
	if s.faults = 1 + s.random.IntN(faultySteps); s.long {
		s.faults = length(&s.random, leastScheduled, longSteps)
	}
	s.recovery, s.free = -1, at.Used == s.limits
	s.portfolio.begin(&s.random, at, s.faults)
	s.times.drawGap(at.Used.Total(), s.number, &s.random)
}

// start begins the run.
func (s *Faulty) start(at *runloop.Node) {
	s.begun = true
	s.times.beginRun(at.Run.World)
	s.long = s.number >= plainRuns && s.limit > faultySteps && s.random.IntN(longOdds) == 0
	if at.Goal && s.number >= plainRuns && s.random.IntN(settledOdds) == 0 {
		s.faults, s.recovery, s.free = 0, -1, false
		return
	}
	s.round(at)
}

// Select implements [runloop.Strategy].
func (s *Faulty) Select(at *runloop.Node) runloop.Selection {
	s.scale.Adopt(at.Run.World, true)
	if !s.begun {
		s.start(at)
	}
	if s.faults == 0 || s.recovery < 0 && !s.free && s.number >= plainRuns && at.Used == s.limits {
		s.faults = 0
		if sel, ok := s.recover(at); ok {
			return sel
		}
	}
	s.faults--
	if at.Goal && !at.Live && !s.scale.AnyWeighs(at.Enabled) {
		return runloop.Selection{End: runloop.OutOfEvents} // no fault can excuse this
	}
	s.times.step(at.Used.Total(), s.number, &s.random)
	s.pick = s.portfolio.next(at)
	if s.times.gap > 0 {
		s.times.gap--
		if s.pick >= 0 {
			return runloop.Selection{}
		}
	}
	if s.strikes(at) {
		return runloop.Selection{Faults: true}
	}
	if s.pick < 0 {
		return runloop.Selection{End: end(at)}
	}
	return runloop.Selection{}
}

// recover continues without faults. If ok is false, a faulty part begins in this state.
func (s *Faulty) recover(at *runloop.Node) (sel runloop.Selection, ok bool) {
	if s.recovery < 0 {
		s.recovery = at.Step
		s.usedActions.begin(len(at.Run.World.System().Actions))
		s.length = s.limit
		if !at.Goal {
			s.length = s.random.IntN(faultySteps)
		}
	}
	n := at.Step - s.recovery
	if at.Goal && at.Live || !at.Goal && n >= s.length {
		if s.rounds >= faultyRounds || at.Used == s.limits && s.random.IntN(onwardOdds) > 0 {
			return runloop.Selection{End: runloop.AtGoal}, true
		}
		s.round(at)
		return runloop.Selection{}, false
	}
	if n >= s.length {
		return runloop.Selection{End: runloop.TooLong}, true
	}
	if s.pick = s.event(at.Enabled); s.pick < 0 {
		if !at.Goal && s.rounds < faultyRounds && at.Used != s.limits {
			s.round(at)
			return runloop.Selection{}, false
		}
		return runloop.Selection{End: runloop.OutOfEvents}, true
	}
	s.usedActions.note(&at.Enabled[s.pick])
	return runloop.Selection{}, true
}

// strikes draws whether a fault strikes instead of the picked event, and which one.
func (s *Faulty) strikes(at *runloop.Node) bool {
	s.enabled = s.enabled[:0]
	faults := at.Injections()
	for i := range faults {
		if f, ok := faults[i].Fault(); ok && s.limits[f] > 0 {
			s.enabled = append(s.enabled, i)
		}
	}
	ordinary, weight := s.portfolio.base.Total(at.Enabled), s.scale.Weight(eventkind.Crash)*len(s.enabled)
	if weight == 0 || s.random.IntN(ordinary+weight) < ordinary {
		return false
	}
	s.pick = len(at.Enabled) + s.enabled[s.random.IntN(len(s.enabled))]
	return true
}

// Choose implements [runloop.Strategy].
func (s *Faulty) Choose(at *runloop.Node, p choose.Point) (int, bool) {
	switch p.Kind.Class() {
	case choose.Event:
		return s.pick, true
	case choose.Fault:
		if f, ok := kernel.FaultInside(p.Kind); ok && s.limits[f] == 0 {
			return 0, true
		}
		if s.recovery >= 0 || s.times.gap > 0 || s.scale.Weight(eventkind.Crash) == 0 || s.random.IntN(s.times.crashOdds()) > 0 {
			return 0, true
		}
		return 1 + s.random.IntN(p.Arity-1), true
	case choose.Outcome:
		if s.times.storing && p.Label == stepinfo.SurvivorsLabel && s.random.IntN(4) > 0 {
			return p.Arity - 1, true // the data directory chooses among the records that survive
		}
	}
	return s.answer(at, p), true
}

// Ended implements [runloop.Strategy].
func (s *Faulty) Ended(*runloop.Outcome) {}

// Walked returns the number of steps of the run that has just ended, which ended in a live state if it reached one.
func (s *Faulty) Walked(o *runloop.Outcome) (steps int, whole bool) { return o.Steps, true }

// UsedActions returns the actions done between the last state at which recovery began and the end of the run.
func (s *Faulty) UsedActions() ActionSet { return s.usedActions }

// Suspects implements [Strategy].
func (s *Faulty) Suspects(o *runloop.Outcome) (int, bool) {
	if s.recovery < 0 {
		return o.Steps, suspicious(o)
	}
	return s.recovery, suspicious(o)
}
