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

// engines holds the worlds that execute the runs of a loop, and their measured speed. The result of a run does not
// depend on the engine, so each run may use either.
type engines struct {
	asked  Engine
	late   *kernel.UseAfterReturn
	settle bool // see [kernel.Options]
	sys    *sim.System
	replay kernel.World
	table  kernel.World // nil until it is made
	why    string       // the reason why the table engine cannot hold a state; empty as long as none is known
	now    int          // engine of the run in progress
	meter  meter.Meter

	measuring bool
	begun     time.Duration // processor time of the thread
	mark      int           // events of the loop at begun
	counted   int           // events of the loop included in all
	all       [2]int        // events
	gone      EngineStats   // of tables that are not used any more
	alternate bool          // see Config
	pinned    bool          // to the replay engine, see Loop.Keep
	programs  bool          // pinned from the start, see [declared.CarriesAny]
}

// fewEntries limits the entries of the tables while the table engine is the slower one, if the engine is selected by
// measuring.
const fewEntries = 1 << 15

// NewEngineLoop returns a loop over worlds of a system. With [AutoEngine] each run is executed by the engine that was
// faster recently, as measured in [Loop.Measure]. From the first state that the tables cannot hold, the replay engine
// executes it. Runs of programs ([declared.Carries]) are all executed by the replay engine. The error is that of
// [kernel.NewWorld] or [world.New].
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
	// Tables do not pay for programs. The state of a program is its history, so few states of a run occur in others,
	// and each takes the memory of its history. The garbage collector's time for that is not part of the measured time
	// of the thread.
	e.programs = engine == AutoEngine && declared.CarriesAny(sys)
	e.pinned = e.programs
	l := NewLoop(w)
	l.engines, l.guarded = e, true
	return l, nil
}

// Measure calls f, which makes runs, and uses their time to select the engine of later runs. The goroutine is locked to
// its thread meanwhile, to measure its processor time.
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

// lookEvents is the minimum number of events between two readings of the clock.
const lookEvents = 256

// next selects the engine of the run that begins.
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
	at := meter.ThreadTime()
	e.meter.Add(e.now, l.events-e.mark, at-e.begun)
	e.begun, e.mark = at, l.events
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

// count adds the events since the last call to those of the current engine.
func (l *Loop) count() {
	e := l.engines
	e.all[e.now] += l.events - e.counted
	e.counted = l.events
}

// fallBack switches to the replay engine if err means that the tables cannot hold a state. The replay engine executes
// the run so far, then continues it, and executes later runs. For other errors, or if the table engine was requested,
// fallBack returns err.
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

// longByHistory is the number of steps after which a run continues on the replay engine, if tables hold services that
// cannot be copied. Each step that is not in the tables re-executes the whole history of the node, so that time would
// grow quadratically.
const longByHistory = 128

// lighten continues a run on the replay engine if it is too long for tables, see longByHistory.
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

// EngineStats describes which engine executed steps. If the engine was selected by measuring, the counts differ from
// search to search, as times do. Nothing else in a [Result] depends on them.
type EngineStats struct {
	Asked        Engine  `json:"asked"`
	Used         Engine  `json:"used"`                  // the engine that executed most steps
	ReplayEvents int     `json:"replay_events"`         // steps
	TableEvents  int     `json:"table_events"`          //
	ReplayRate   float64 `json:"replay_rate"`           // events per second of processor time, if both engines were measured; otherwise 0
	TableRate    float64 `json:"table_rate"`            //
	HitRate      float64 `json:"hit_rate"`              // share of the table engine's steps that were found in the tables
	Handlers     int     `json:"handlers"`              // handler executions of the table engine's steps, including verification
	Tried        int     `json:"tried,omitempty"`       // sets tried for quorums without a Need, for the tables
	Unsupported  string  `json:"unsupported,omitempty"` // what the tables could not hold, so that the replay engine continued
	Programs     bool    `json:"programs,omitempty"`    // not measured: nodes carry programs, see [declared.Carries], which replay executes
	Copies       []Copy  `json:"copies"`                // how services were made for handlers that had to run

	steps, misses int
	cpu           [2]time.Duration
	measured      [2]int
}

// Copy describes how the table engine makes a service or monitor of one type for a handler to run on.
type Copy struct {
	Type   string `json:"type"`
	Copied bool   `json:"copied"`        // by a deep copy; otherwise by re-executing the history of the node since its last boot
	Why    string `json:"why,omitempty"` // the reason if it is not copied
}

// Unjudged reports whether hardly any value of a property was known in the runs of the loop, because the nodes did not
// show their states: the locks that Observe needs were held.
func (l *Loop) Unjudged() bool { return kernel.Unjudged(l.world) }

// Engines reports which engines executed the runs of the loop so far.
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

// Add adds the counts of another loop.
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
