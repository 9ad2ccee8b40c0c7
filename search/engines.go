package search

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

// engines are the worlds that the runs of a loop are executed by, and what is known of their speed. What a run
// comes to does not depend on the engine, so each run may take either.
type engines struct {
	asked  Engine
	late   *kernel.UseAfterReturn
	settle bool // see [kernel.Options]
	sys    *sim.System
	replay kernel.World
	table  kernel.World // nil: not made yet
	why    string       // what the table engine cannot hold; "": it is not known to be unable
	now    int          // the engine of the run in progress
	meter  meter.Meter

	measuring bool
	begun     time.Duration // processor time of the thread
	mark      int           // events of the loop then
	counted   int           // events of the loop that are in all
	all       [2]int        // events
	gone      EngineStats   // of tables that are not used any more
	alternate bool          // see Config
	pinned    bool          // to the replay engine, see Loop.Keep
	programs  bool          // and that from the beginning, see [declared.CarriesAny]
}

// Of the table engine when it is chosen by measuring: entries of its tables, while it is the slower one.
const fewEntries = 1 << 15

// NewEngineLoop returns a loop over worlds of a system. With [AutoEngine] each run is executed by the engine that
// was the faster one lately, as far as runs were made within [Loop.Measure], and from the first state on that the
// tables cannot hold by the replay engine; those of programs ([declared.Carries]) all by the replay engine. The error is that of [kernel.NewWorld] or [world.New].
func NewEngineLoop(sys *sim.System, engine Engine) (*Loop, error) {
	return newEngineLoop(sys, engine, nil, false)
}

func newEngineLoop(sys *sim.System, engine Engine, late *kernel.UseAfterReturn, settle bool) (*Loop, error) {
	e := &engines{asked: engine, sys: sys, late: late, settle: settle}
	newWorld := kernel.NewWorld
	if engine == TableEngine {
		newWorld, e.now = world.New, meter.ByTable
	}
	w, err := newWorld(sys, kernel.Options{UseAfterReturn: late, Settle: settle, Guarded: true})
	if err != nil {
		return nil, err
	}
	if engine == TableEngine {
		e.table = w
	} else {
		e.replay = w
	}
	// The state of a program is its history, so few states of a run occur in others, each of them takes the memory of its history, and the
	// collector's time for that is no time of the thread, which is measured. Tables do not pay.
	e.programs = engine == AutoEngine && declared.CarriesAny(sys)
	e.pinned = e.programs
	l := NewLoop(w)
	l.engines, l.guarded = e, true
	return l, nil
}

// Measure calls f, which makes runs, and has the time of these runs decide on the engine of later ones. The
// goroutine stays on one thread meanwhile, whose processor time is taken.
func (l *Loop) Measure(f func()) {
	e := l.engines
	if e == nil || e.asked != AutoEngine || e.why != "" || e.pinned {
		f()
		return
	}
	runtime.LockOSThread()
	e.begun, e.mark, e.measuring = meter.ThreadTime(), l.events, true
	defer func() {
		l.look()
		e.measuring = false
		runtime.UnlockOSThread()
	}()
	f()
}

// lookEvents is how many events are executed before the clock is read again, at least.
const lookEvents = 256

// next has the run that begins executed by the engine that is to execute it.
func (l *Loop) next() {
	e := l.engines
	if e.alternate && e.measuring {
		l.turn(1 - e.now)
		return
	}
	if !e.measuring || l.events-e.mark < lookEvents {
		return
	}
	l.look()
	l.turn(e.meter.Choose())
}

// pin has all later runs executed by the replay engine, unless the table engine was asked for.
func (l *Loop) pin() {
	if e := l.engines; e != nil && e.asked == AutoEngine {
		e.pinned = true
		l.turn(meter.ByReplay)
	}
}

// look takes the time of the runs since it was taken last.
func (l *Loop) look() {
	e := l.engines
	at := meter.ThreadTime()
	e.meter.Add(e.now, l.events-e.mark, at-e.begun)
	e.begun, e.mark = at, l.events
}

// turn has later runs executed by an engine.
func (l *Loop) turn(to int) {
	e := l.engines
	if to == e.now {
		return
	}
	w := e.replay
	if to == meter.ByTable {
		if e.table == nil {
			made, err := world.New(e.sys, kernel.Options{UseAfterReturn: e.late, Settle: e.settle, Guarded: true})
			if err != nil {
				e.why = unsupported(err)
				e.measuring = false
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

// count counts the events of the engine of the last runs.
func (l *Loop) count() {
	e := l.engines
	e.all[e.now] += l.events - e.counted
	e.counted = l.events
}

// fallBack has the replay engine execute the run so far, and it and later ones from there on, when err is that the
// tables cannot hold a state. Else, or when the table engine was asked for, it returns err.
func (l *Loop) fallBack(err error) error {
	e := l.engines
	if e == nil || e.asked != AutoEngine {
		return err
	}
	why := unsupported(err)
	if why == "" {
		return err
	}
	e.why, e.measuring = why, false
	l.turn(meter.ByReplay)
	if t, ok := e.table.(*world.World); ok {
		e.gone.tables(t.Stats(), t.Plans())
	}
	e.table = nil
	return l.run.Move(e.replay)
}

// longByHistory is after how many steps a run goes on by the replay engine when tables hold services that cannot be copied: each step
// that they do not know has all executed again that happened to the node, so that time would grow with the square of the steps.
const longByHistory = 128

// lighten has the replay engine go on with a run that has become too long for tables, see longByHistory.
func (l *Loop) lighten() error {
	e := l.engines
	if e == nil || e.asked != AutoEngine || e.now != meter.ByTable || l.run.Steps()%longByHistory != 0 {
		return nil
	}
	t, ok := e.table.(*world.World)
	if !ok || !slices.ContainsFunc(t.Plans(), func(p store.Plan) bool { return !p.Copied }) {
		return nil
	}
	if e.measuring {
		l.look()
	}
	l.turn(meter.ByReplay)
	return l.run.Move(e.replay)
}

func unsupported(err error) string {
	if u := (*options.Unsupported)(nil); errors.As(err, &u) {
		return u.Why
	}
	return ""
}

// EngineStats tell by which engine steps were executed. When that was decided by measuring they differ from run
// to run, as times do; nothing else in a [Result] hangs on them.
type EngineStats struct {
	Asked        Engine  `json:"asked"`
	Used         Engine  `json:"used"`                  // by which most steps were executed
	ReplayEvents int     `json:"replay_events"`         // steps
	TableEvents  int     `json:"table_events"`          //
	ReplayRate   float64 `json:"replay_rate"`           // events per second of processor time, when both were measured; else 0
	TableRate    float64 `json:"table_rate"`            //
	HitRate      float64 `json:"hit_rate"`              // share of the table engine's steps that were looked up
	Handlers     int     `json:"handlers"`              // handler executions behind the table engine's steps, verification included
	Tried        int     `json:"tried,omitempty"`       // sets that quorums without a Need were asked about for the tables
	Unsupported  string  `json:"unsupported,omitempty"` // what the tables could not hold, so that the replay engine went on
	Programs     bool    `json:"programs,omitempty"`    // no engine was measured: nodes carry programs, see [declared.Carries], and replay executes those
	Copies       []Copy  `json:"copies"`                // how services were made for the handlers that had to run

	steps, misses int
	cpu           [2]time.Duration
	measured      [2]int
}

// Copy says how the table engine makes services and monitors of one type for a handler to run on.
type Copy struct {
	Type   string `json:"type"`
	Copied bool   `json:"copied"`        // by a deep copy; else by executing all that happened to the node since its last boot
	Why    string `json:"why,omitempty"` // it is not copied
}

// Unjudged reports whether hardly any value of a property was known in the runs of the loop, because the nodes did not show their states:
// what Observe needs was locked.
func (l *Loop) Unjudged() bool { return kernel.Unjudged(l.world) }

// Engines tells by which engines the runs of the loop were executed so far.
func (l *Loop) Engines() EngineStats {
	s := EngineStats{Copies: []Copy{}}
	e := l.engines
	if e == nil {
		return s
	}
	l.count()
	s.steps, s.misses, s.Handlers, s.Tried, s.Copies = e.gone.steps, e.gone.misses, e.gone.Handlers, e.gone.Tried, append(s.Copies, e.gone.Copies...)
	s.Asked, s.Unsupported, s.Programs = e.asked, e.why, e.programs
	s.ReplayEvents, s.TableEvents = e.all[meter.ByReplay], e.all[meter.ByTable]
	s.cpu, s.measured = e.meter.All, e.meter.Events
	if t, ok := e.table.(*world.World); ok {
		s.tables(t.Stats(), t.Plans())
	}
	s.settle()
	return s
}

func (s *EngineStats) tables(t steptree.Stats, plans []store.Plan) {
	s.steps, s.misses, s.Handlers, s.Tried = t.Steps, t.Misses, t.Handlers, t.Tried
	for _, p := range plans {
		s.Copies = append(s.Copies, Copy(p))
	}
}

// Add adds what another loop did.
func (s *EngineStats) Add(o EngineStats) {
	s.Asked, s.Unsupported = cmp.Or(s.Asked, o.Asked), cmp.Or(s.Unsupported, o.Unsupported)
	s.Programs = s.Programs || o.Programs
	s.ReplayEvents += o.ReplayEvents
	s.TableEvents += o.TableEvents
	s.Handlers += o.Handlers
	s.Tried += o.Tried
	s.steps += o.steps
	s.misses += o.misses
	for i := range s.cpu {
		s.cpu[i] += o.cpu[i]
		s.measured[i] += o.measured[i]
	}
	s.Copies = append(slices.Clip(s.Copies), o.Copies...)
	slices.SortFunc(s.Copies, func(a, b Copy) int { return cmp.Compare(a.Type, b.Type) })
	s.Copies = slices.CompactFunc(s.Copies, func(a, b Copy) bool { return a.Type == b.Type })
	s.settle()
}

func (s *EngineStats) settle() {
	if s.Used = ReplayEngine; s.TableEvents > s.ReplayEvents {
		s.Used = TableEngine
	}
	if s.steps > 0 {
		s.HitRate = 1 - float64(s.misses)/float64(s.steps)
	}
	if s.cpu[meter.ByReplay] > 0 && s.cpu[meter.ByTable] > 0 {
		s.ReplayRate = float64(s.measured[meter.ByReplay]) / s.cpu[meter.ByReplay].Seconds()
		s.TableRate = float64(s.measured[meter.ByTable]) / s.cpu[meter.ByTable].Seconds()
	}
}
