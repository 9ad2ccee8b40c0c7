package runloop

import (
	"cmp"
	"errors"
	"runtime"
	"slices"
	"time"

	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/internal/search/meter"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/table/steptree"
	"github.com/macemc/macemc/internal/table/store"
	"github.com/macemc/macemc/internal/table/world"
	"github.com/macemc/macemc/sim"
)

// Names of engines, which execute steps.
const (
	ReplayEngine = "replay" // runs handlers at every step
	TableEngine  = "table"  // looks steps up; pays when local states repeat
	// AutoEngine executes each run by the engine measured to be faster recently. From the first state that the tables
	// cannot hold, the replay engine executes it.
	AutoEngine = "auto"
)

// Engines returns the names of the selectable engines.
func Engines() []string { return []string{AutoEngine, TableEngine, ReplayEngine} }

// engines holds the worlds that execute the runs of a loop, and their measured speed. The result of a run does not
// depend on the engine, so each run may use either. With AutoEngine, the first of these rules that applies decides:
//
//	programs (declared.CarriesAny), or a kept state (Loop.Keep)   replay, from then on
//	the tables cannot hold a state (fallBack)                     replay, within the run and from then on
//	the tables reach their limit within the run (lighten)         replay for the rest of the run
//	services cannot be copied and the run is long (lighten)       replay for the rest of the run
//	its delays are bounded ([kernel.BoundsDelays])                replay
//	otherwise                                                     at the start of a run, the engine with less processor
//	                                                              time per event, measured anew after lookEvents events
//
// A requested engine executes all runs.
type engines struct {
	asked  string
	opts   kernel.Options
	sys    *sim.System
	replay kernel.World
	table  kernel.World // nil until it is made
	why    string       // the reason why the table engine cannot hold a state; empty as long as none is known
	now    int          // engine of the run in progress
	meter  meter.Meter

	clock     stopwatch
	counted   int    // events of the loop included in all
	all       [2]int // events
	gone      Counts // of tables that are not used any more
	alternate bool   // see Alternate
	pinned    bool   // to the replay engine, see Loop.Keep
	programs  bool   // pinned from the start, see [declared.CarriesAny]
}

// stopwatch measures the processor time of the runs of a loop.
type stopwatch struct {
	on     bool
	began  time.Duration // processor time of the thread at the start of the lap
	events int           // events of the loop then
}

func (w *stopwatch) start(events int) { w.on, w.began, w.events = true, meter.ThreadTime(), events }

// lap returns the events and the processor time of the lap, and starts the next one.
func (w *stopwatch) lap(events int) (int, time.Duration) {
	n, took := events-w.events, -w.began
	w.start(events)
	return n, took + w.began
}

// fewEntries limits the entries of the tables while the table engine is the slower one, if the engine is selected by
// measuring.
const fewEntries = 1 << 15

// NewByEngine returns a loop over worlds of a system. With [AutoEngine] each run is executed by the engine that was
// faster recently, as measured in [Loop.Measure]. From the first state that the tables cannot hold, the replay engine
// executes it. Runs of programs ([declared.Carries]) are all executed by the replay engine. The error is that of
// [kernel.NewWorld] or [world.New]. The worlds are Guarded, whatever opts says.
func NewByEngine(sys *sim.System, engine string, opts kernel.Options) (*Loop, error) {
	opts.Guarded = true
	e := &engines{asked: engine, sys: sys, opts: opts}
	newWorld := kernel.NewWorld
	if engine == TableEngine {
		newWorld, e.now = world.New, meter.ByTable
	}
	w, err := newWorld(sys, opts)
	if err != nil {
		return nil, err
	}
	if engine == TableEngine {
		e.table = w
	} else {
		e.replay = w
	}
	// Tables do not pay for programs. The state of a program is its history, so few states of a run occur in others,
	// and each takes the memory of its history. The garbage collector's time for that is not part of the measured time
	// of the thread.
	e.programs = engine == AutoEngine && declared.CarriesAny(sys)
	e.pinned = e.programs
	l := New(w)
	l.engines, l.Guarded = e, true
	return l, nil
}

// Alternate makes the loop switch the engine after each run that it measures.
func (l *Loop) Alternate() { l.engines.alternate = true }

// Measure calls f, which makes runs, and uses their time to select the engine of later runs. The goroutine is locked to
// its thread meanwhile, to measure its processor time.
func (l *Loop) Measure(f func()) {
	e := l.engines
	if e == nil || e.asked != AutoEngine || e.why != "" || e.pinned {
		f()
		return
	}
	runtime.LockOSThread()
	e.clock.start(l.Events)
	defer func() {
		l.look()
		e.clock.on = false
		runtime.UnlockOSThread()
	}()
	f()
}

// lookEvents is the minimum number of events between two readings of the clock.
const lookEvents = 256

// next selects the engine of the run that begins.
func (l *Loop) next() {
	e := l.engines
	if e.alternate && e.clock.on {
		l.look()
		l.turn(1 - e.now)
		return
	}
	if !e.clock.on || l.Events-e.clock.events < lookEvents {
		return
	}
	l.look()
	l.turn(e.meter.Choose())
}

// pin makes the replay engine execute all later runs, unless the table engine was requested.
func (l *Loop) pin() {
	if e := l.engines; e != nil && e.asked == AutoEngine {
		e.pinned = true
		l.turn(meter.ByReplay)
	}
}

// look adds the time of the runs since the last call to the measurement.
func (l *Loop) look() {
	e := l.engines
	events, took := e.clock.lap(l.Events)
	e.meter.Add(e.now, events, took)
}

// turn switches later runs to an engine.
func (l *Loop) turn(to int) {
	e := l.engines
	if to == e.now {
		return
	}
	w := e.replay
	if to == meter.ByTable {
		if e.table == nil {
			made, err := world.New(e.sys, e.opts)
			if err != nil {
				e.why = options.UnsupportedBy(err)
				e.clock.on = false
				return
			}
			e.table = made
		}
		w = e.table
	}
	if t, ok := e.table.(*world.World); ok {
		t.Limit(map[bool]int{true: store.DefaultLimit, false: fewEntries}[e.meter.Best == meter.ByTable])
	}
	l.count()
	e.now = to
	l.world, l.run.World = w, w
}

// count adds the events since the last call to those of the current engine.
func (l *Loop) count() {
	e := l.engines
	e.all[e.now] += l.Events - e.counted
	e.counted = l.Events
}

// fallBack switches to the replay engine if err means that the tables cannot hold a state. The replay engine executes
// the run so far, then continues it, and executes later runs. For other errors, or if the table engine was requested,
// fallBack returns err.
func (l *Loop) fallBack(err error) error {
	e := l.engines
	if e == nil || e.asked != AutoEngine {
		return err
	}
	u, ok := errors.AsType[*options.Unsupported](err)
	switch {
	case !ok:
		return err
	case u.Run:
		return moveToReplay(l)
	}
	e.why, e.clock.on = u.Why, false
	l.turn(meter.ByReplay)
	if t, ok := e.table.(*world.World); ok {
		e.gone.Tables, e.gone.Plans = t.Stats(), append(e.gone.Plans, t.Plans()...)
	}
	e.table = nil
	return l.run.Move(e.replay)
}

// longByHistory is the number of steps after which a run continues on the replay engine, if tables hold services that
// cannot be copied. Each step that is not in the tables re-executes the whole history of the node, so that time would
// grow quadratically.
const longByHistory = 128

// lighten continues a run on the replay engine if it is too large for tables, which are dropped only between runs, or too long, see
// longByHistory.
func (l *Loop) lighten() error {
	e := l.engines
	if e == nil || e.asked != AutoEngine || e.now != meter.ByTable {
		return nil
	}
	t, ok := e.table.(*world.World)
	if !ok {
		return nil
	}
	uncopied := func() bool {
		return slices.ContainsFunc(t.Plans(), func(p store.Plan) bool { return !p.Copied })
	}
	if t.Entries() > t.MaxEntries || l.run.Steps()%longByHistory == 0 && uncopied() {
		return moveToReplay(l)
	}
	return nil
}

// moveToReplay continues the run on the replay engine. The next run selects its engine again.
func moveToReplay(l *Loop) error {
	if l.engines.clock.on {
		l.look()
	}
	l.turn(meter.ByReplay)
	return l.run.Move(l.engines.replay)
}

// Counts describes which engine executed the steps of loops. Package search makes statistics of it.
type Counts struct {
	Asked    string
	Why      string // what the tables could not hold, so that the replay engine continued; empty if nothing
	Programs bool   // nodes carry programs, see [declared.CarriesAny], which the replay engine executes
	Events   [2]int // steps by engine, see package meter
	CPU      [2]time.Duration
	Measured [2]int // steps executed during CPU
	Tables   steptree.Stats
	Plans    []store.Plan
}

// HardlyJudged reports whether hardly any value of a property was known in the runs of the loop, because the nodes did not
// show their states: the locks that Observe needs were held.
func (l *Loop) HardlyJudged() bool { return kernel.HardlyJudged(l.world) }

// Counts reports which engines executed the runs of the loop so far.
func (l *Loop) Counts() Counts {
	e := l.engines
	if e == nil {
		return Counts{}
	}
	l.count()
	c := Counts{
		Asked: e.asked, Why: e.why, Programs: e.programs, Events: e.all, CPU: e.meter.All, Measured: e.meter.Events,
		Tables: e.gone.Tables, Plans: e.gone.Plans,
	}
	if t, ok := e.table.(*world.World); ok {
		c.Tables, c.Plans = t.Stats(), slices.Concat(c.Plans, t.Plans())
	}
	return c
}

// Add adds the counts of other loops.
func (c *Counts) Add(o Counts) {
	c.Asked, c.Why, c.Programs = cmp.Or(c.Asked, o.Asked), cmp.Or(c.Why, o.Why), c.Programs || o.Programs
	for i := range c.Events {
		c.Events[i] += o.Events[i]
		c.CPU[i] += o.CPU[i]
		c.Measured[i] += o.Measured[i]
	}
	c.Tables.Steps += o.Tables.Steps
	c.Tables.Misses += o.Tables.Misses
	c.Tables.Handlers += o.Tables.Handlers
	c.Tables.Tried += o.Tables.Tried
	c.Plans = slices.Concat(c.Plans, o.Plans)
	slices.SortFunc(c.Plans, func(a, b store.Plan) int { return cmp.Compare(a.Type, b.Type) })
	c.Plans = slices.CompactFunc(c.Plans, func(a, b store.Plan) bool { return a.Type == b.Type })
}
