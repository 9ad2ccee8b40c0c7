package search

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/replay"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/sim/kernel"
)

// A Task is a run to make: Path is executed, which may end inside a step, and from there on the
// strategy decides. Data is the strategy's own and rides along.
type Task struct {
	Path choose.Path // only read
	Data any
}

// A Strategy decides where the loop goes. Its methods are called on one goroutine. A [Node] is valid
// during the call only.
type Strategy interface {
	// Next returns the next run to make; ok is false when there is none.
	Next() (t Task, ok bool)
	// Select is called in each state that a run reaches beyond its task, the state at the end of the
	// task included. It says what may happen next there.
	Select(at *Node) Selection
	// Choose answers a point beyond the task. For [choose.Event] the alternatives are the selected
	// events; at other points at is still the state before the step in progress. When ok is false the
	// run ends at the end of the step that the point belongs to.
	Choose(at *Node, p choose.Point) (pick int, ok bool)
	// Ended is called once for each run.
	Ended(o *Outcome)
}

// A Stateful strategy knows which states it has seen.
type Stateful interface {
	Strategy
	// Visit is called in each state before Select, and says whether the state was seen before, and
	// whether it lies on the run in progress.
	Visit(at *Node) (seen, onStack bool)
	// Edge is called after Visit, but not for first states. Of from only the numbers are left: the
	// world has moved on.
	Edge(from, to *Node, step *kernel.Step, seen, onStack bool)
}

// An Observer watches steps.
type Observer interface {
	// OnStep is called after each step beyond the run's task, that with the last choice of the task
	// included.
	OnStep(at *Node, step *kernel.Step)
}

// Selection says how a run goes on from a state.
type Selection struct {
	End    End     // not Running: the run ends here
	Faults bool    // injections may be chosen, too
	Subset []int32 // indices of the events to choose from, in ascending order; nil: all
}

// End says why a run ended.
type End uint8

const (
	Running     End = iota
	AtGoal          // in a live state that the strategy looked for
	OutOfEvents     // nothing that may be chosen is left
	TooLong         // at the strategy's limit of steps
	AtBound         // at the strategy's limit of depth
	Duplicate       // in a state seen before
	Cut             // a point was not answered
	Found           // with a finding
	Misfit          // the task does not fit the system
	Stopped         // from outside, before its end
)

// Outcome is how a run ended. The world is still in the run's last state.
type Outcome struct {
	Task    Task
	End     End
	Finding *sim.Finding // of Found
	Err     error        // of Misfit
	Steps   int          // of the run, those of the task included
	Choices int          // points with more than one alternative, those of the task included
	Live    bool         // whether the last state is live
	Used    sim.Limits   // faults that struck
	// Stuck is, of a run with checked code that did not return, the path into that; see [Loop.Watch]. The loop must not be used
	// any more.
	Stuck choose.Path
}

// Node is the state that a run is in.
type Node struct {
	Run *replay.Run
	// Enabled are the ordinary events, valid until the next step.
	Enabled []sim.Event
	Step    int // steps taken since the first state
	Choices int // points answered so far that had more than one alternative
	// Live reports whether all Eventually properties hold; true when there are none.
	Live bool
	Goal bool // whether there is an Eventually property
	// Unlikely reports whether the step to this state was given an answer of weight 0, as walks never do.
	Unlikely bool
	Used     sim.Limits // faults that have struck in the run

	injections  []sim.Event
	listed      bool
	fingerprint sim.Fingerprint
	hashed      bool
}

// Injections are the faults that can strike here, valid until the next step.
func (n *Node) Injections() []sim.Event {
	if !n.listed {
		n.injections, n.listed = n.Run.World.Injections(n.injections[:0]), true
	}
	return n.injections
}

// Fingerprint is that of the state.
func (n *Node) Fingerprint() sim.Fingerprint {
	if !n.hashed {
		n.fingerprint, n.hashed = n.Run.World.Fingerprint(), true
	}
	return n.fingerprint
}

// arrive makes n the state that the world is in now.
func (n *Node) arrive(live bool) {
	n.Enabled = n.Run.World.Enabled()
	n.Step, n.Live, n.listed, n.hashed = n.Run.Steps(), live, false, false
}

// Signals that a [Loop] looks for before each step.
const (
	askSignal  = 1 << iota // "are you alive?": cleared by the loop
	stopSignal             // the run is to end
)

// Loop is the exploration loop: it executes runs as a strategy decides. It is for one goroutine.
type Loop struct {
	run       *replay.Run
	world     kernel.World
	goals     []*sim.Property
	sometimes []*sim.Property

	observers []Observer
	coverage  *coverage // may be nil
	activity  activity
	coverTask bool           // what tasks do is covered, too; else it is known from former runs
	record    *recording     // may be nil
	engines   *engines       // nil: there is one world
	signal    *atomic.Uint32 // may be nil
	patrol    *patrol        // nil: nobody waits for runs, or somebody else looks after them
	guarded   bool           // each run is made on a goroutine of its own, which checked code may end

	// Of the run in progress.
	strategy Strategy
	stateful Stateful // nil when the strategy is not
	task     choose.Path
	pos      int // how much of the task is used up
	at, from *Node
	cut      bool
	misfit   error
	held     []bool // by index in sometimes
	outcome  Outcome

	home *home       // nil: runs begin in the first state
	keep choose.Path // at whose end home is to be; nil: it is there, or there is to be none

	unlikely bool // an answer of the step in progress has weight 0

	events  int  // steps executed so far, by all runs
	foreign bool // times of different nodes were compared in some run
}

// NewLoop returns a loop over w, which is the loop's from now on.
func NewLoop(w kernel.World) *Loop {
	l := &Loop{run: replay.NewRun(w), world: w}
	sys := w.System()
	for i := range sys.Properties {
		switch p := &sys.Properties[i]; {
		case p.Eventually != nil:
			l.goals = append(l.goals, p)
		case p.Sometimes != nil:
			l.sometimes = append(l.sometimes, p)
		}
	}
	l.held = make([]bool, len(l.sometimes))
	l.at, l.from = &Node{Run: l.run, Goal: len(l.goals) > 0}, &Node{Run: l.run, Goal: len(l.goals) > 0}
	return l
}

// Observe adds an observer.
func (l *Loop) Observe(o Observer) { l.observers = append(l.observers, o) }

// Replay is the run in progress, or the last one. It must not be changed.
func (l *Loop) Replay() *replay.Run { return l.run }

// Explore makes the runs that s asks for, until there are no more or visit, which is called after
// each, returns false.
func (l *Loop) Explore(s Strategy, visit func(*Outcome) bool) {
	for {
		t, ok := s.Next()
		if !ok {
			return
		}
		if o := l.Run(s, t); !visit(&o) {
			return
		}
	}
}

// Run makes one run.
func (l *Loop) Run(s Strategy, t Task) Outcome {
	o := &l.outcome
	*o = Outcome{Task: t}
	if l.engines != nil {
		l.next()
	}
	l.strategy, l.task, l.pos, l.cut, l.misfit = s, t.Path, 0, false, nil
	l.stateful, _ = s.(Stateful)
	if l.patrol != nil {
		f, returned := l.watched(o)
		if !returned {
			return l.giveUp(t)
		}
		if f != nil {
			o.End, o.Finding = Found, f
		}
	} else if l.guarded {
		if f := kernel.Guard(func() { l.make(o) }); f != nil {
			o.End, o.Finding = Found, f
		}
	} else {
		l.make(o)
	}
	s.Ended(o)
	return *o
}

// make makes the run that was begun.
func (l *Loop) make(o *Outcome) {
	l.at.Used, l.at.Choices, l.at.Step = sim.Limits{}, 0, 0
	clear(l.held)
	if err := l.execute(o); err != nil || l.misfit != nil {
		o.failed(atStep(err, l.run.Steps()), l.misfit)
	}
	if l.engines != nil {
		if f := kernel.Finish(l.world); f != nil && o.End != Found && o.End != Misfit {
			o.End, o.Finding = Found, f
		}
	}
	o.Live = o.End != Found && o.End != Misfit && l.at.Live
	o.Steps, o.Choices, o.Used = l.run.Steps(), l.at.Choices, l.at.Used
}

// atStep adds to an error about a state where it was met.
func atStep(err error, step int) error {
	var state *sim.StateError
	switch {
	case !errors.As(err, &state):
		return err
	case step == 0:
		return fmt.Errorf("at the start: %w", err)
	}
	return fmt.Errorf("step %d: %w", step, err)
}

func (o *Outcome) failed(err, misfit error) {
	var finding *sim.Finding
	switch {
	case misfit != nil:
		o.End, o.Err = Misfit, misfit
	case errors.As(err, &finding):
		o.End, o.Finding = Found, finding
	default:
		o.End, o.Err = Misfit, err
	}
}

// execute makes the run. It sets the end of o unless an error is returned.
func (l *Loop) execute(o *Outcome) (err error) {
	defer kernel.CatchState(&err)
	if l.interrupted() {
		o.End = Stopped
		return nil
	}
	if !l.goHome() {
		err := l.run.Start(l)
		if err != nil {
			err = l.fallBack(err)
		}
		if err != nil {
			return err
		}
		if l.coverTask && l.coverage != nil {
			l.coverage.after(l.world)
		}
	}
	if l.record != nil {
		l.record.first = l.run.Steps()
		l.record.state(l.world)
	}
	for l.pos < len(l.task) {
		l.keepHome()
		if l.interrupted() {
			o.End = Stopped
			return nil
		}
		index := int(l.task[l.pos])
		l.pos++
		l.at.Enabled = l.world.Enabled()
		ev, ok := l.run.Event(index)
		if !ok {
			return fmt.Errorf("step %d: the path picks event %d, but only %d can happen (counted from 0)",
				l.run.Steps()+1, index, len(l.at.Enabled)+len(l.world.Injections(nil)))
		}
		if len(l.at.Enabled) > 1 {
			l.at.Choices++ // injections, if any, are not worth listing for a statistic
		}
		if err := l.step(index, ev); err != nil {
			return err
		}
		if l.coverTask && l.coverage != nil {
			l.coverage.after(l.world)
		}
	}
	l.keepHome()
	first := l.run.Steps() == 0
	for {
		if err := l.arrive(first); err != nil {
			return err
		}
		first = false
		if l.cut {
			o.End = Cut
			return nil
		}
		if l.interrupted() {
			o.End = Stopped
			return nil
		}
		at := l.at
		sel := l.strategy.Select(at)
		if sel.End != Running {
			o.End = sel.End
			return nil
		}
		n := len(at.Enabled)
		if sel.Subset != nil {
			n = len(sel.Subset)
		} else if sel.Faults {
			n += len(at.Injections())
		}
		if n == 0 {
			o.End = OutOfEvents
			return nil
		}
		index, ok := l.strategy.Choose(at, choose.Point{Kind: choose.Event, Arity: n})
		if !ok {
			o.End = Cut
			return nil
		}
		if n > 1 {
			at.Choices++
		}
		if sel.Subset != nil {
			index = int(sel.Subset[index])
		}
		var ev sim.Event
		if index < len(at.Enabled) {
			ev = at.Enabled[index]
		} else {
			ev = at.Injections()[index-len(at.Enabled)]
		}
		if err := l.step(index, ev); err != nil {
			return err
		}
	}
}

// step executes an event that is possible.
func (l *Loop) step(index int, ev sim.Event) error {
	l.events++
	l.unlikely = false
	if ev.Kind.Injection() {
		l.at.count(ev.Kind)
	}
	if l.coverage != nil {
		l.coverage.before(l.world, ev)
		if l.activity.live {
			l.activity.before(l.world, l.coverage, ev)
		}
	}
	err := l.run.Take(index, ev, l)
	if err != nil {
		err = l.fallBack(err)
	}
	if l.coverage != nil && ev.Kind == sim.FireTimer {
		l.coverage.fired(l.world.Last().Timer)
		if l.activity.live {
			l.activity.fired(l.world.Last().Timer)
		}
	}
	if err == nil && l.record != nil {
		l.record.state(l.world)
	}
	return err
}

// arrive evaluates the state beyond the task that the run has come to.
func (l *Loop) arrive(first bool) error {
	if l.misfit != nil {
		return l.misfit
	}
	if err := l.world.Check(); err != nil {
		return err
	}
	at := l.at
	if l.stateful != nil {
		l.from.Step, l.from.Choices, l.from.Live, l.from.Used = l.run.Steps()-1, at.Choices, at.Live, at.Used
		l.from.fingerprint, l.from.hashed = at.fingerprint, at.hashed
	}
	at.arrive(!at.Goal || l.world.Live())
	at.Unlikely = l.unlikely
	l.activity.arrive(at)
	if l.coverage != nil {
		l.coverage.after(l.world)
	}
	for i, held := range l.held {
		if !held {
			l.held[i] = l.world.Holds(l.sometimes[i])
		}
	}
	if !first && len(l.observers) > 0 {
		step := l.world.Last()
		for _, o := range l.observers {
			o.OnStep(at, step)
		}
	}
	if l.stateful != nil {
		seen, onStack := l.stateful.Visit(at)
		if !first {
			l.stateful.Edge(l.from, at, l.world.Last(), seen, onStack)
		}
	}
	return nil
}

// Choose answers questions of the step in progress: from the task, then as the strategy says.
func (l *Loop) Choose(p choose.Point) int {
	l.at.Choices++
	if p.Kind == choose.Compare && p.Label == kernel.ForeignTime {
		l.foreign = true
	}
	pick := 0
	switch {
	case l.misfit != nil || l.cut:
		return choose.First.Choose(p)
	case l.pos < len(l.task):
		pick = int(l.task[l.pos])
		if uint(pick) >= uint(p.Arity) {
			l.misfit = fmt.Errorf("step %d: the path picks alternative %d of %v %q, which has %d (counted from 0)",
				l.run.Steps(), pick, p.Kind, p.Label, p.Arity)
			return choose.First.Choose(p)
		}
		l.pos++
	default:
		var ok bool
		if pick, ok = l.strategy.Choose(l.at, p); !ok {
			l.cut = true
			return choose.First.Choose(p)
		}
	}
	if p.Weights != nil && p.Weights[pick] == 0 {
		l.unlikely = true
	}
	switch {
	case p.Kind != choose.Fault || pick == 0:
	case p.Label == kernel.HaltInside:
		l.at.count(sim.Halt)
	default:
		l.at.count(sim.Crash)
	}
	return pick
}

// interrupted answers the watchdog, and reports whether the run is to end.
func (l *Loop) interrupted() bool {
	if l.signal == nil {
		return false
	}
	s := l.signal.Load()
	if s == 0 {
		return false
	}
	l.signal.And(^uint32(askSignal))
	return s&stopSignal != 0
}

// count counts an injected fault.
func (n *Node) count(k sim.EventKind) {
	switch k {
	case sim.Crash:
		n.Used.Crashes++
	case sim.Halt:
		n.Used.Halts++
	case sim.Lose:
		n.Used.Loss++
	case sim.Duplicate:
		n.Used.Dup++
	case sim.Break:
		n.Used.NetErrors++
	case sim.Partition:
		n.Used.Partitions++
	}
}
