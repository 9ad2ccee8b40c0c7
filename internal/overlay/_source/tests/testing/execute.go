// One run of a test: its start, the loop that lets goroutines run and time pass, and its end.

package testing

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"internal/race"
	testrun "internal/runtime"
	"internal/synctest"
	predict "internal/syscall"
	"math"
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
	macemcOthersMax     = 1000                          // maximum number of turns of goroutines outside the test before it counts as blocked
	macemcOthersLate    = 100                           // maximum number of their turns between runs
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

func (x *macemcExplorer) run1(s *testsched.Schedule, traced bool) *testsched.Outcome {
	if os.Getppid() != macemcParent {
		os.Exit(2)
	}
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
		until: s.Until, macemcManner: macemcManner{memory: s.Memory, traced: traced, unfair: s.Unfair, hurried: s.Hurried}}
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
		r.origins, r.trace = x.origins, x.trace
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
	synctest.MacemcReset()
	if late := x.state(); late != 0 {
		r.refusedOutside = macemcLate(late)
		return &testsched.Outcome{Kind: testsched.Unexplored, Message: r.refusedOutside}
	}
	macemcPrintRaces()
	races, counters := race.Errors(), macemcCountersNow()
	process := macemcProcessNow()
	o := &testsched.Outcome{}
	var t2 *T
	var out bytes.Buffer
	macemcHasReturned.Store(false)
	done, passed, passes := false, false, uintptr(0)
	x.of.match.clearSubNames()
	macemcBegin(r)
	macemcRunBubble(s.Instant, func() {
		macemcEnter()
		t2 = x.newT(&out, r.output.muted)
		macemcRunning = t2
		macemcStartTest(t2, x.of.fn, r)
		advances := macemcAdvances{begun: time.Now(), probe: macemcProbe}
		after, others, patience := 0, 0, macemcPatience
		var paced [2]int64                          // time that has passed in real time for goroutines that act for the test, and for others
		last, waits, left := uint64(0), 0, int64(0) // since there seems to be a deadlock: its number of points, waits, and the time left of one
		pendingDelay, files := int64(0), int64(0)   // files: time that has passed in real time for files
		for {
			synctest.Wait()
			done = macemcHasReturned.Load()
			if r.died || r.exited || r.refused != "" || r.noEnd || r.cut || done && macemcTotal() == macemcOwn {
				break
			}
			if macemcWoken() || macemcWaiter() {
				continue
			}
			woken, file := macemcFiles()
			if woken {
				continue
			}
			next, stopped := macemcNext(), macemcAnyStopped()
			if done {
				patience = 0
			}
			// The clock passes in real time while goroutines outside the test act for it.
			acting := macemcOutsideActive(macemcActingActive)
			spent := &paced[0]
			if acting == 0 {
				spent = &paced[1]
			} else if *spent >= macemcPaced {
				r.refusedOutside = macemcLate(acting)
				break
			}
			most := macemcPaced - *spent
			if acting != 0 || x.pace.patient && most > 0 && (next != 0 && macemcOutsideTimer(most) > 0 || macemcOutsideActive(macemcIOActive) != 0) {
				if next != 0 {
					most = min(most, max(1, next-time.Now().UnixNano()))
				}
				if stopped {
					most = min(most, max(int64(10*time.Millisecond), macemcBusyTime())) // the pause of a schedule may be longer
				}
				waited, took := macemcPace(most)
				*spent += took
				pendingDelay += waited
				r.outside = r.outside || waited > 0
				advance := min(most, int64(time.Duration(pendingDelay).Round(time.Millisecond))) // delays of the operating system have no effect
				if waited >= most {
					advance = most
				}
				if advance > 0 {
					pendingDelay -= advance
					time.Sleep(time.Duration(advance))
				}
				if stopped {
					macemcAgain()
				}
				continue
			}
			// The test is deadlocked if all its goroutines wait, none of them for a timer, a busy loop or a file, before it has returned. First,
			// goroutines that packages have started get turns (macemcOthers), and time for their timers.
			dead := next == 0 && !stopped && !done
			switch deadline := file != 0 && file != math.MaxInt64 && (next == 0 || file < next-time.Now().UnixNano()); {
			case deadline && files >= macemcPaced:
				r.refused = fmt.Sprintf("it waits more than %v for a file", time.Duration(macemcPaced))
			case deadline || file != 0 && dead && files < x.pace.files():
				_, took := macemcPace(min(file, int64(10*time.Millisecond)))
				files += took
				continue
			}
			if r.refused != "" {
				break
			}
			if dead && last != r.points {
				last, waits, left, patience = r.points, x.waits(), 0, x.pace.remaining(patience)
			}
			if dead && left <= 0 && waits < macemcLastWaits {
				most := macemcLastTimers
				if x.pace.patient {
					most = macemcPaced
				}
				if left = macemcOutsideTimer(most); left > 0 {
					waits++
				}
			}
			if others < macemcOthersMax || dead && others < macemcLastTurns {
				most := patience
				switch {
				case next != 0:
					most = min(most, next-time.Now().UnixNano())
				case dead:
					most = max(most, left)
				}
				if waited, ok := macemcOthers(most); ok {
					others++
					patience, left = patience-waited, left-waited
					continue
				}
			}
			if next == 0 && !stopped {
				if done {
					x.left(o)
				} else {
					x.blocked(o)
				}
				break
			}
			if done {
				if after++; after > macemcTraced {
					r.traced = false
				}
				if after > macemcAfter {
					x.left(o)
					break
				}
			}
			if r.noEnd = advances.exceed(x, o, done, s.Hurried); r.noEnd {
				break
			}
			wait := macemcUntil(next, stopped)
			if macemcOutsideTimer(wait) > 0 {
				r.outside, passed, passes = true, true, macemcOutsideActive(macemcAnyActive)
			}
			time.Sleep(time.Duration(wait))
			macemcAgain()
		}
		switch {
		case !r.noEnd || x.blockedParts(o):
		case done && r.number == 0: // the goroutines that it has left are busy and may end later
			x.left(o)
			o.LeftAt, o.LeftPlaces, o.LeftAs, o.Behind, r.nended = nil, nil, nil, nil, 0
		default:
			x.stuck(o)
		}
		if r.ender != 0 || r.cut { // goroutines that are stopped may hold locks
			macemcAgain()
			synctest.Wait()
		}
		macemcKill()
		synctest.Wait()
	})
	macemcEnd()
	macemcRunning = nil
	process.restore()
	x.end(o, t2, races)
	macemcUnreached(x, o)
	o.Compare(s)
	if passed && o.Kind != testsched.Passed && o.Kind != testsched.Deadlock {
		who := "a timer that a package has set"
		if passes != 0 {
			who = "the goroutine that a package has started at " + testsched.Frames([]uintptr{passes}).Where()
		}
		o.Details = append(o.Details, who+" waits in real time, and may act before that")
	}
	if !s.Brief {
		x.traced(o, t2)
		x.identify(o)
	}
	if o.Kind != testsched.Unexplored {
		macemcForget(race.Errors() - races)
	}
	macemcFailure, macemcFailed, macemcFailures, macemcLogs = "", nil, nil, nil
	counters.restore()
	if !macemcHasReturned.Load() {
		macemcClean(t2)
	}
	x.failed = o.Kind != testsched.Passed
	if x.last = t2; x.first == nil {
		x.first, x.found = x.showing.first(s, t2), o.Kind != testsched.Passed
	}
	return o
}

// macemcUntil returns how long the run waits for the first timer, if there is one, or until goroutines that pause continue.
func macemcUntil(next int64, stopped bool) int64 {
	busy := macemcBusyTime()
	if left := next - time.Now().UnixNano(); next != 0 && (!stopped || left < busy) {
		return max(1, left)
	}
	return busy
}

// macemcHasReturned reports whether the test of the run has returned, and TestMain if runs begin there.
var macemcHasReturned atomic.Bool

// macemcReturned is called when the test of a run has returned. It makes logging panic, as after the last test of a package. If the run has
// begun in TestMain, that continues.
//
//go:norace
func macemcReturned(t *T) {
	t.parent.done = true
	if !macemcBegins {
		macemcHasReturned.Store(true)
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

// macemcClean replaces the cleanup functions of a test that did not return.
func macemcClean(t *T) {
	if t.tempDir != "" {
		os.RemoveAll(t.tempDir)
	}
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
