// One run of a test: its start and its end.

package testing

import (
	"bytes"
	"cmp"
	"context"
	"internal/race"
	testrun "internal/runtime"
	"internal/synctest"
	predict "internal/syscall"
	"os"
	"runtime"
	"sync/atomic"
	testsched "testing/internal"
	"time"
	"unsafe"
)

const (
	macemcAfter         = 300                           // number of clock advances during which events are recorded
	macemcTraced        = 2                             // number of these that are recorded
	macemcPoints        = 500_000                       // maximum number of points in a run
	macemcPointsAfter   = 20_000                        // maximum number of these after the test has returned
	macemcOthersMax     = 1000                          // maximum number of turns of goroutines outside the test before it counts as blocked
	macemcPatience      = int64(100 * time.Millisecond) // how long a run, or the first snapshot, waits for timers of these
	macemcPaced         = int64(5 * time.Second)        // how long a run waits for goroutines outside the test that act for it
	macemcLastTurns     = 20_000                        // macemcOthersMax before a deadlock
	macemcLastTimers    = int64(2 * time.Second)        // before a deadlock, the run waits for all timers that fire within this time
	macemcLastWaits     = 3                             // number of these waits, because goroutines may set timers again
	macemcOwn           = 2                             // goroutines of the bubble outside the test
	macemcSwitches      = 1 << 12
	macemcGoroutinesMax = 1 << 16
	macemcWeights       = 1 << 10
	macemcEvents        = 1 << 14 // initial size of the trace; it grows up to macemcEventsMax
	macemcEventsMax     = 1 << 17
	macemcOrigins       = 1 << 15
	macemcDecisions     = 1 << 12
)

// macemcParent is the process that started this one. Once it has ended, nothing receives the verdict.
var macemcParent = os.Getppid()

// run1 executes the test once.
func (x *macemcExplorer) run1(s *testsched.Schedule, traced bool) *testsched.Outcome {
	if os.Getppid() != macemcParent {
		os.Exit(2)
	}
	x.prepare(s, traced)
	r := x.r
	synctest.MacemcReset()
	if late := x.state(); late != 0 {
		r.refusedOutside = macemcLate(late)
		return &testsched.Outcome{Kind: testsched.Unexplored, Message: r.refusedOutside}
	}
	macemcCloseLeft()
	macemcPrintRaces()
	races, counters := race.Errors(), macemcCountersNow()
	process := macemcProcessNow()
	o := &testsched.Outcome{}
	l := macemcLoop{x: x, o: o, patience: macemcPatience}
	var t2 *T
	var out bytes.Buffer
	macemcHasReturned.Store(false)
	x.of.match.clearSubNames()
	macemcBegin(r)
	macemcRunBubble(s.Instant, func() {
		macemcEnter()
		t2 = x.newT(&out, r.output.muted)
		macemcRunning, macemcSelected = t2, x.of.specs
		macemcStartTest(t2, x.of.fn, r)
		l.run()
		l.end()
	})
	macemcEnd()
	macemcRemoveLeft(macemcIsolates())
	macemcRunning = nil
	process.restore()
	x.end(o, t2, races)
	macemcUnreached(x, o)
	o.Compare(s)
	l.explain()
	if !s.Brief {
		x.traced(o, t2)
		x.identify(o)
	}
	if o.Kind != testsched.Unexplored {
		macemcForget(race.Errors() - races)
	}
	macemcFailure, macemcFailed, macemcFailures, macemcLogs = "", nil, nil, nil
	counters.restore()
	if !macemcHasReturned.Load() && t2.tempDir != "" { // no function of Cleanup has removed it
		os.RemoveAll(t2.tempDir)
	}
	x.failed = o.Kind != testsched.Passed
	if x.last = t2; x.first == nil {
		if !x.failed {
			x.pace.steps = l.advances.n
		}
		x.first, x.found = x.showing.first(s, t2), o.Kind != testsched.Passed
	}
	return o
}

// prepare sets the state of a run.
func (x *macemcExplorer) prepare(s *testsched.Schedule, traced bool) {
	if x.r == nil {
		x.r = new(macemcRun)
		x.sw = testsched.Record(s.Record, macemcSwitches)
	}
	if runtime.GOMAXPROCS(0) != 1 {
		runtime.GOMAXPROCS(1)
	}
	r := x.r
	*r = macemcRun{draws: s.Seed, seed: s.Walk, policy: testrun.Policy(s.Policy), every: s.Every, ops: s.Ops, passes: s.Passes,
		within: int64(cmp.Or(s.Delay, testsched.UsualDelay)), limit: cmp.Or(s.Limit, macemcPoints),
		until: s.Until, macemcManner: macemcManner{memory: s.Memory, traced: traced, unfair: s.Unfair, hurried: s.Hurried, finishes: macemcAffected()}}
	copy(r.drops[:], s.Drops)
	if !s.Brief {
		r.record = macemcAs[testrun.Switch](x.sw)
		x.showing.record(s, r)
	}
	r.pointCounts, r.weights = x.seen[:], x.weights[:]
	if len(s.Switches) > 0 {
		x.table = testsched.Table(x.table, s.Switches)
		r.replayed = macemcAs[testrun.Switch](x.table)
	}
	x.directs(s)
	if traced {
		if x.trace == nil {
			x.trace, x.origins = make([]macemcEvent, macemcEvents), make([]macemcOrigin, macemcOrigins)
		}
		r.origins, r.trace, r.window.end = x.origins, x.trace, x.windowEnd
		if s.States {
			if x.states == nil {
				x.states = make([]macemcGState, 2*macemcEventsMax)
			}
			r.states = x.states
		}
	}
	if s.Policy == testsched.Systematic {
		x.planned(s.Plan)
	}
	r.output.muted = x.showing.mutes(s, x.first)
	x.brief = s.Brief
}

// macemcHasReturned reports whether the test of the run has returned, and TestMain if runs begin there.
var macemcHasReturned atomic.Bool

// macemcReturned is called when the test of a run has returned. It makes logging panic, as after the last test of a package. If the run has
// begun in TestMain, that continues. Otherwise only goroutines continue that the test has left, a while if they are busy.
//
//go:norace
func macemcReturned(t *T) {
	t.parent.done = true
	if !macemcBegins {
		macemcHasReturned.Store(true)
		r := macemcTest.r
		r.limit = min(r.limit, r.points+macemcPointsAfter)
	}
}

// newT returns the T of a run, which writes its output to out.
func (x *macemcExplorer) newT(out *bytes.Buffer, muted bool) *T {
	t := x.t
	root := &common{w: out, barrier: make(chan bool), signal: make(chan bool, 1)}
	root.setOutputWriter()
	root.lastRaceErrors.Store(int64(race.Errors())) // races of earlier tests are not the run's
	ctx, cancel := context.WithCancel(context.Background())
	t2 := &T{
		common: common{barrier: make(chan bool), signal: make(chan bool, 1), name: t.name, modulePath: t.modulePath, importPath: t.importPath,
			parent: root, level: 1, ctx: ctx, cancelCtx: cancel},
		tstate: newTestState(runtime.GOMAXPROCS(0), x.of.match),
	}
	if !muted {
		t2.chatty = t.chatty
	}
	if limit := testsched.Timeout(*timeout); limit > 0 {
		t2.tstate.deadline = time.Now().Add(limit)
	}
	t2.w = indenter{&t2.common}
	t2.setOutputWriter()
	return t2
}

// planned prepares a systematic run.
func (x *macemcExplorer) planned(p *testsched.Plan) {
	r := x.r
	if x.decided == nil {
		x.decided, x.options = make([]macemcDecision, macemcDecisions), make([]testsched.Option, 8*macemcDecisions)
	}
	r.decided, r.options = x.decided, macemcAs[testrun.Option](x.options)
	r.plan, r.reduce, r.nasleep = p.Taken, p.Reduce, uint32(copy(r.asleep[:], p.Asleep))
}

// directs prepares the record and the holds of a run.
func (x *macemcExplorer) directs(s *testsched.Schedule) {
	r := x.r
	if s.Recorded {
		if x.events == nil {
			x.events = make([]predict.Event, predict.MaxEvents)
		}
		r.operations = macemcAs[testrun.Event](x.events)
	}
	if s.Prediction != nil {
		x.holds = append(x.holds[:0], s.Prediction.Holds...)
		r.holds = macemcAs[testrun.Hold](x.holds)
	}
}

// macemcAs returns a slice with elements of a type that the runtime imports. S has the same declaration.
func macemcAs[T, S any](list []S) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(list))), len(list))
}
