// Package runloop executes runs as a strategy decides, by the engine that is faster, and watches that they return.
package runloop

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/contain"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/search/coverage"
	"github.com/macemc/macemc/internal/search/verify"
	"github.com/macemc/macemc/sim"
)

// Signals that a [Loop] checks before each step.
const (
	ProbeSignal = 1 << iota // set by a watchdog; the loop clears it to show that checked code returns
	StopSignal              // the run must end
)

// Loop is the exploration loop: it executes runs as a strategy decides. It is not safe for concurrent use.
type Loop struct {
	Notes
	Goals     []*sim.Property // with Eventually
	Sometimes []*sim.Property
	Signal    *atomic.Uint32 // may be nil
	Guarded   bool           // each run is made on a separate goroutine, which checked code may end

	run       *replay.Run
	world     kernel.World
	observers []Observer
	engines   *engines  // nil if there is one world
	watchdog  *watchdog // nil if no goroutine watches runs, or an external one does

	// State of the run in progress.
	strategy   Strategy
	stateful   Stateful // nil if the strategy is not Stateful
	task       choose.Path
	pos        int // length of the consumed part of the task
	at, from   *Node
	unanswered bool
	mismatch   error
	outcome    Outcome

	home *Home       // nil if runs begin in the initial state
	keep choose.Path // path to the next home; nil if home is already there, or not wanted

	unlikely bool // an answer of the step in progress has weight 0
}

// Notes are the records of a loop about its runs. The owner of the loop may change it between runs.
type Notes struct {
	Coverage  *coverage.Set // may be nil
	CoverTask bool          // count the coverage of tasks, too; otherwise it is known from earlier runs
	Activity  coverage.Activity
	Orders    *coverage.Orders  // nil if the run is not counted
	Recording *verify.Recording // may be nil
	Events    int               // steps executed so far, by all runs
	Held      []bool            // by index in Sometimes: it held in the last run
	Foreign   bool              // times of different nodes were compared in some run
	Sampled   choose.Samples
}

// New returns a loop over w, and takes ownership of it.
func New(w kernel.World) *Loop {
	l := &Loop{run: replay.NewRun(w), world: w}
	sys := w.System()
	for i := range sys.Properties {
		switch p := &sys.Properties[i]; {
		case p.Eventually != nil:
			l.Goals = append(l.Goals, p)
		case p.Sometimes != nil:
			l.Sometimes = append(l.Sometimes, p)
		}
	}
	l.Held = make([]bool, len(l.Sometimes))
	l.at, l.from = &Node{Run: l.run}, &Node{Run: l.run}
	return l
}

// Observe adds an observer.
func (l *Loop) Observe(o Observer) { l.observers = append(l.observers, o) }

// Replay returns the run in progress, or the last one. It must not be changed.
func (l *Loop) Replay() *replay.Run { return l.run }

// Run makes one run.
func (l *Loop) Run(s Strategy, t Task) Outcome {
	o := &l.outcome
	*o = Outcome{Task: t}
	if l.engines != nil {
		l.next()
	}
	l.strategy, l.task, l.pos, l.unanswered, l.mismatch = s, t.Path, 0, false, nil
	l.stateful, _ = s.(Stateful)
	if l.watchdog != nil {
		f, returned := l.watched(o)
		if !returned {
			return l.abandon(t)
		}
		if f != nil {
			o.End, o.Finding = Found, f
		}
	} else if l.Guarded {
		if f := contain.Guard(func() { l.make(o) }); f != nil {
			o.End, o.Finding = Found, f
		}
	} else {
		l.make(o)
	}
	s.Ended(o)
	return *o
}

// make executes a prepared run.
func (l *Loop) make(o *Outcome) {
	l.at.Used, l.at.Choices, l.at.Step = sim.Limits{}, 0, 0
	clear(l.Held)
	if err := l.execute(o); err != nil || l.mismatch != nil {
		o.failed(AtStep(err, l.run.Steps()), l.mismatch)
	}
	if l.engines != nil {
		if f := kernel.Finish(l.world); f != nil && o.End != Found && o.End != Mismatch {
			o.End, o.Finding = Found, f
		}
	}
	o.Live = o.End != Found && o.End != Mismatch && l.at.Live
	o.Steps, o.Choices, o.Used = l.run.Steps(), l.at.Choices, l.at.Used
}

// AtStep adds the step to an error about a state.
func AtStep(err error, step int) error {
	var state *encoding.Error
	switch {
	case !errors.As(err, &state):
		return err
	case step == 0:
		return fmt.Errorf("at the start: %w", err)
	}
	return fmt.Errorf("step %d: %w", step, err)
}

// execute makes the run. It sets the end of o unless an error is returned.
func (l *Loop) execute(o *Outcome) (err error) {
	defer contain.CatchState(&err)
	if l.Interrupted() {
		o.End = Stopped
		return nil
	}
	if !l.goHome() {
		if err := l.start(); err != nil {
			return err
		}
	}
	l.at.Goal = len(l.Goals) > 0 && kernel.JudgesLiveness(l.world)
	l.from.Goal = l.at.Goal
	if l.Recording != nil {
		l.Recording.First = l.run.Steps()
		l.Recording.State(l.world)
	}
	if o.End, err = l.doTask(); err != nil || o.End != Running {
		return err
	}
	l.keepHome()
	for first := l.run.Steps() == 0; ; first = false {
		if err := l.arrive(first); err != nil {
			return err
		}
		var index int
		var ev *netmodel.Event
		if index, ev, o.End = l.pick(); o.End != Running {
			return nil
		}
		if err := l.step(index, ev); err != nil {
			return err
		}
	}
}

// start sets the initial state.
func (l *Loop) start() error {
	err := l.run.Start(l)
	if err != nil {
		err = l.fallBack(err)
	}
	if err == nil && l.CoverTask && l.Coverage != nil {
		l.Coverage.After(l.world)
	}
	return err
}

// doTask executes the steps of the task's path.
func (l *Loop) doTask() (End, error) {
	for l.pos < len(l.task) {
		l.keepHome()
		if l.Interrupted() {
			return Stopped, nil
		}
		index := int(l.task[l.pos])
		l.pos++
		l.at.Enabled = l.world.Enabled()
		ev, ok := l.run.Event(index)
		if !ok {
			return Running, fmt.Errorf("step %d: the path picks event %d, but only %d can happen (counted from 0)",
				l.run.Steps()+1, index, len(l.at.Enabled)+len(l.world.Injections(nil)))
		}
		if len(l.at.Enabled) > 1 {
			l.at.Choices++ // injections are not listed just for a statistic
		}
		if err := l.step(index, &ev); err != nil {
			return Running, err
		}
		if l.CoverTask && l.Coverage != nil {
			l.Coverage.After(l.world)
		}
	}
	return Running, nil
}

// pick lets the strategy select the next step, or the end of the run.
func (l *Loop) pick() (index int, ev *netmodel.Event, end End) {
	if l.unanswered {
		return 0, nil, Unanswered
	}
	if l.Interrupted() {
		return 0, nil, Stopped
	}
	at := l.at
	sel := l.strategy.Select(at)
	if sel.End != Running {
		return 0, nil, sel.End
	}
	n := len(at.Enabled)
	if sel.Faults {
		n += len(at.Injections())
	}
	if n == 0 {
		return 0, nil, OutOfEvents
	}
	index, ok := l.strategy.Choose(at, choose.Point{Kind: choose.Event, Arity: n})
	if !ok {
		return 0, nil, Unanswered
	}
	if n > 1 {
		at.Choices++
	}
	if index < len(at.Enabled) {
		return index, &at.Enabled[index], Running
	}
	return index, &at.Injections()[index-len(at.Enabled)], Running
}

// step executes an enabled event. ev belongs to the world and is valid until it is executed.
func (l *Loop) step(index int, ev *netmodel.Event) error {
	l.Events++
	l.unlikely = false
	kind := ev.Kind
	if kind.Injection() {
		f, _ := ev.Fault()
		l.at.Used[f]++
	}
	if l.Orders != nil {
		l.Orders.Before(l.world, l.at.Enabled, ev)
	}
	if l.Coverage != nil {
		l.Coverage.Before(l.world, *ev)
		if l.Activity.Live {
			l.Activity.Before(l.world, l.Coverage, *ev)
		}
	}
	err := l.run.Take(index, *ev, l)
	if err != nil {
		err = l.fallBack(err)
	} else {
		err = l.lighten()
	}
	if l.Coverage != nil && kind == eventkind.FireTimer {
		l.Coverage.Fired(l.world.Last().Timer)
		if l.Activity.Live {
			l.Activity.Fired(l.world.Last().Timer)
		}
	}
	if err == nil && l.Recording != nil {
		l.Recording.State(l.world)
	}
	return err
}

// arrive evaluates the state, beyond the task, that the run has reached.
func (l *Loop) arrive(first bool) error {
	if l.mismatch != nil {
		return l.mismatch
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
	l.Activity.Arrive(at.Goal && at.Live)
	if l.Coverage != nil {
		l.Coverage.After(l.world)
	}
	for i, held := range l.Held {
		if !held {
			l.Held[i] = l.world.Holds(l.Sometimes[i])
		}
	}
	if !first && len(l.observers) > 0 {
		step := l.world.Last()
		for _, o := range l.observers {
			o.OnStep(at, step)
		}
	}
	if l.stateful != nil {
		seen := l.stateful.Visit(at)
		if !first {
			l.stateful.Edge(l.from, at, l.world.Last(), seen)
		}
	}
	return nil
}

// Choose answers questions of the step in progress: first from the task, then by the strategy.
func (l *Loop) Choose(p choose.Point) int {
	l.at.Choices++
	if p.Kind == choose.CompareForeign {
		l.Foreign = true
	}
	pick := 0
	switch {
	case l.mismatch != nil || l.unanswered:
		return choose.First.Choose(p)
	case l.pos < len(l.task):
		pick = int(l.task[l.pos])
		if uint(pick) >= uint(p.Arity) {
			l.mismatch = fmt.Errorf("step %d: the path picks alternative %d of %v %q, which has %d (counted from 0)",
				l.run.Steps(), pick, p.Kind, p.Label, p.Arity)
			return choose.First.Choose(p)
		}
		l.pos++
	default:
		var ok bool
		if pick, ok = l.strategy.Choose(l.at, p); !ok {
			l.unanswered = true
			return choose.First.Choose(p)
		}
	}
	if p.Sampled() && !p.Kind.Implied(pick) {
		l.Sampled.Add(p, pick)
	}
	if len(p.Weights) > 0 && p.Weights[pick] == 0 {
		l.unlikely = true
	}
	if pick > 0 {
		if f, ok := kernel.FaultInside(p.Kind); ok {
			l.at.Used[f]++
		}
	}
	return pick
}

// Interrupted answers the watchdog, and reports whether the run must end.
func (l *Loop) Interrupted() bool {
	if l.Signal == nil {
		return false
	}
	s := l.Signal.Load()
	if s == 0 {
		return false
	}
	l.Signal.And(^uint32(ProbeSignal))
	return s&StopSignal != 0
}
