package runs

import (
	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/search/schedules"
)

// Walker is the strategy of one weighted random walk by the recovery relation, without injections. The walk starts at
// the end of a task. It ends at the first live state, when no event is left, or after a number of steps. Pass it to
// [runloop.Loop.Run]. If the system has no Eventually property, a walk does not end at live states.
type Walker struct {
	draws
	limit     int
	leaveLive bool // the walk does not end in a live state until it has been in one that is not live

	begun       bool
	origin      int // the step after which the walk began
	leftLive    bool
	pick        int
	usedActions ActionSet
}

// NewWalker returns a strategy for walks of at most limit steps beyond the task.
func NewWalker(scale schedules.Scale, limit int) *Walker {
	return &Walker{draws: draws{scale: scale}, limit: limit}
}

// Seed prepares the next walk, which draws from the given stream of a seed.
func (w *Walker) Seed(seed, stream uint64) {
	w.random.Seed(seed, stream)
	w.depart(true)
	w.begun, w.leftLive, w.usedActions = false, false, w.usedActions[:0]
}

// SetLimit changes the limit of later walks.
func (w *Walker) SetLimit(limit int) { w.limit = limit }

// SetLeaveLive sets whether later walks continue in live states until they have been in one that is not.
func (w *Walker) SetLeaveLive(leave bool) { w.leaveLive = leave }

// Next returns no task: walks are made one at a time.
func (w *Walker) Next() (runloop.Task, bool) { return runloop.Task{}, false }

// Select implements [runloop.Strategy].
func (w *Walker) Select(at *runloop.Node) runloop.Selection {
	if !w.begun || w.scale.Disturbed {
		w.scale.Adopt(at.Run.World, true)
	}
	if !w.begun {
		w.begun, w.origin = true, at.Step
		w.usedActions.begin(len(at.Run.World.System().Actions))
	}
	if !at.Live {
		w.leftLive = true
	} else if at.Goal && (w.leftLive || !w.leaveLive) {
		return runloop.Selection{End: runloop.AtGoal}
	}
	if at.Step-w.origin >= w.limit && w.scale.AnyWeighs(at.Enabled) {
		return runloop.Selection{End: runloop.TooLong}
	}
	if w.pick = w.event(at.Enabled); w.pick < 0 {
		return runloop.Selection{End: end(at)}
	}
	w.usedActions.note(&at.Enabled[w.pick])
	return runloop.Selection{}
}

// Choose implements [runloop.Strategy].
func (w *Walker) Choose(at *runloop.Node, p choose.Point) (int, bool) {
	if p.Kind == choose.Event {
		return w.pick, true
	}
	return w.answer(at, p), true
}

// Ended implements [runloop.Strategy].
func (w *Walker) Ended(*runloop.Outcome) {}

// draws makes weighted random choices.
type draws struct {
	scale    schedules.Scale
	random   choose.Random
	departs  bool   // the run departs from a given one
	reseeded []bool // by node: it has drawn a new seed since; nodes beyond the end have not
}

// depart prepares a run. If it departs from a given run, such as a task or the exploration up to a leaf, each node draws a new seed in its
// first step after that. Otherwise all runs that depart there would have the same random numbers.
func (d *draws) depart(departs bool) { d.departs, d.reseeded = departs, d.reseeded[:0] }

// answer answers a point that is no event. At is the state before the step in progress.
func (d *draws) answer(at *runloop.Node, p choose.Point) int {
	if p.Kind != choose.Reseed || !d.departs {
		return d.random.Choose(p)
	}
	node := int(at.Run.World.Last().Event.Node)
	for len(d.reseeded) <= node {
		d.reseeded = append(d.reseeded, false)
	}
	if d.reseeded[node] {
		return 0
	}
	d.reseeded[node] = true
	return 1 + d.random.IntN(p.Arity-1)
}

// event draws one of the events. It returns -1 if none has weight.
func (d *draws) event(events []netmodel.Event) int { return d.scale.Draw(&d.random, events) }

// ActionSet is the set of actions that a walk did on the way to a live state.
type ActionSet []bool // by slot

func (r *ActionSet) begin(actions int) { *r = append((*r)[:0], make(ActionSet, actions)...) }

func (r ActionSet) note(ev *netmodel.Event) {
	if ev.Kind == eventkind.DoAction && int(ev.Slot) < len(r) { // in tests, worlds list actions that their system lacks
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

// suspicious reports whether a run ended without becoming live again.
func suspicious(o *runloop.Outcome) bool {
	return !o.Live && (o.End == runloop.OutOfEvents || o.End == runloop.TooLong)
}
