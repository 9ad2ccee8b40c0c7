// The loop of a run, which lets time pass when all its goroutines wait, and ends the run.

package testing

import (
	"fmt"
	"internal/synctest"
	"math"
	testsched "testing/internal"
	"time"
)

// macemcLoop is the loop of a run.
type macemcLoop struct {
	x     *macemcExplorer
	o     *testsched.Outcome
	over  bool // the run ends
	done  bool // the test has returned
	after int  // number of advances of the clock since then

	advances macemcAdvances

	others   int      // number of turns of goroutines outside the test
	patience int64    // time that remains for their timers
	paced    [2]int64 // time that has passed in real time for goroutines that act for the test, and for others
	delay    int64    // part of that time by which the clock has not advanced
	files    int64    // time that has passed in real time for files
	dead     macemcDeadlock
	passed   bool    // time has passed while a timer or goroutine outside the test waits
	passes   uintptr // go statement of that goroutine; 0 means that it is a timer
}

// macemcDeadlock is the state of a run since there seems to be a deadlock.
type macemcDeadlock struct {
	points uint64 // number of points
	waits  int    // number of waits for timers of goroutines outside the test
	left   int64  // time left of such a wait
}

// macemcStill is the state of a run whose goroutines all wait or pause.
type macemcStill struct {
	next    int64 // instant of the first timer; 0 means none
	stopped bool  // goroutines pause
	file    int64 // time left until the first deadline of waits for files; 0 means that there are none, MaxInt64 that they have no deadline
}

// until returns the time until the first timer. It requires one.
func (s macemcStill) until() int64 { return s.next - macemcNow() }

// run returns when the run ends.
func (l *macemcLoop) run() {
	r := l.x.r
	l.advances = macemcAdvances{begun: macemcNow(), probe: macemcProbe}
	for !l.over {
		synctest.Wait()
		l.done = macemcHasReturned.Load()
		if r.died || r.exited || r.refused != "" || r.noEnd || r.cut || l.done && macemcTotal() == macemcOwn {
			return
		}
		if macemcWoken() || macemcWaiter() {
			continue
		}
		woken, file := macemcFiles()
		if woken {
			continue
		}
		s := macemcStill{macemcNext(), macemcAnyStopped(), file}
		if l.done {
			l.patience = 0
		}
		if !l.pace(s) && !l.awaitFile(s) && !l.letOthers(s) {
			l.advance(s)
		}
	}
}

// isDeadlock reports whether all goroutines of the test wait, none of them for a timer, a busy loop or a file, before it has returned.
// First, goroutines that packages have started get turns (macemcOthers), and time for their timers.
func (l *macemcLoop) isDeadlock(s macemcStill) bool { return s.next == 0 && !s.stopped && !l.done }

// pace lets the clock pass in real time while goroutines outside the test act for it. It reports whether it did, or the run ends.
func (l *macemcLoop) pace(s macemcStill) bool {
	x, r, acting := l.x, l.x.r, macemcOutsideActive(macemcActingActive)
	spent := &l.paced[0]
	if acting == 0 {
		spent = &l.paced[1]
	} else if *spent >= macemcPaced {
		r.refusedOutside = macemcLate(acting)
		l.over = true
		return true
	}
	most := macemcPaced - *spent
	if acting == 0 && (!x.pace.patient || most <= 0 || (s.next == 0 || macemcOutsideTimer(most) <= 0) &&
		macemcOutsideActive(macemcIOActive) == 0) {
		return false
	}
	if s.next != 0 {
		most = min(most, max(1, s.until()))
	}
	if s.stopped {
		most = min(most, max(int64(10*time.Millisecond), macemcBusyTime())) // the pause of a schedule may be longer
	}
	waited, took := macemcPace(most)
	*spent += took
	l.delay += waited
	r.outside = r.outside || waited > 0
	advance := min(most, int64(time.Duration(l.delay).Round(time.Millisecond))) // delays of the operating system have no effect
	if waited >= most {
		advance = most
	}
	if advance > 0 {
		l.delay -= advance
		time.Sleep(time.Duration(advance))
	}
	if s.stopped {
		macemcAgain()
	}
	return true
}

// awaitFile waits for a file if its deadline comes before the first timer, or before a deadlock. It reports whether it did, or the run
// ends.
func (l *macemcLoop) awaitFile(s macemcStill) bool {
	switch deadline := s.file != 0 && s.file != math.MaxInt64 && (s.next == 0 || s.file < s.until()); {
	case deadline && l.files >= macemcPaced:
		l.x.r.refused = fmt.Sprintf("it waits more than %v for a file", time.Duration(macemcPaced))
		l.over = true
		return true
	case deadline || s.file != 0 && l.isDeadlock(s) && l.files < l.x.pace.files():
		_, took := macemcPace(min(s.file, int64(10*time.Millisecond)))
		l.files += took
		return true
	}
	return false
}

// letOthers gives goroutines that packages have started a turn, and time for their timers. It reports whether there was one.
func (l *macemcLoop) letOthers(s macemcStill) bool {
	x, dead, d := l.x, l.isDeadlock(s), &l.dead
	if dead && d.points != x.r.points {
		*d = macemcDeadlock{points: x.r.points}
		if x.pace.cycle = !x.r.outside && testsched.Cycle(x.goroutines(false)); x.pace.cycle {
			l.patience = 0
		}
	}
	if dead && d.left <= 0 && d.waits < macemcLastWaits && !x.pace.cycle {
		most := macemcLastTimers
		if x.pace.patient {
			most = macemcPaced
		}
		if d.left = macemcOutsideTimer(most); d.left > 0 {
			d.waits++
		}
	}
	if l.others >= macemcOthersMax && (!dead || l.others >= macemcLastTurns) {
		return false
	}
	most := l.patience
	switch {
	case s.next != 0:
		most = min(most, s.until())
	case dead:
		most = max(most, d.left)
	}
	waited, ok := macemcOthers(most)
	if ok {
		l.others++
		l.patience, d.left = l.patience-waited, d.left-waited
	}
	return ok
}

// advance lets time pass until the first timer fires or goroutines that pause continue. The run ends if there are none, or after too many
// advances.
func (l *macemcLoop) advance(s macemcStill) {
	x, r := l.x, l.x.r
	if s.next == 0 && !s.stopped {
		if l.over = true; l.done {
			x.left(l.o)
		} else {
			x.blocked(l.o)
		}
		return
	}
	if l.done {
		if l.after++; l.after > macemcTraced {
			r.traced = false
		}
		if l.after > macemcAfter {
			l.over = true
			x.left(l.o)
			return
		}
	}
	if r.noEnd = l.advances.exceed(x, l.o, l.done, r.hurried); r.noEnd {
		l.over = true
		return
	}
	wait := macemcUntil(s.next, s.stopped)
	if macemcOutsideTimer(wait) > 0 {
		r.outside, l.passed, l.passes = true, true, macemcOutsideActive(macemcAnyActive)
	}
	time.Sleep(time.Duration(wait))
	macemcAgain()
}

// end completes the outcome of a run without end, and ends all its goroutines.
func (l *macemcLoop) end() {
	x, r, o := l.x, l.x.r, l.o
	switch {
	case !r.noEnd || x.blockedParts(o):
	case l.done && r.number == 0: // the goroutines that it has left are busy and may end later
		x.left(o)
		r.nended = 0
		for i := range o.Left {
			o.Left[i].Place = ""
		}
	default:
		x.stuck(o)
	}
	if r.ender != 0 || r.cut { // goroutines that are stopped may hold locks
		macemcAgain()
		synctest.Wait()
	}
	macemcKill()
	synctest.Wait()
}

// explain adds to a finding that time has passed which something outside the test waits for.
func (l *macemcLoop) explain() {
	o := l.o
	if !l.passed || o.Kind == testsched.Passed || o.Kind == testsched.Deadlock {
		return
	}
	who := "a timer that a package has set"
	if l.passes != 0 {
		who = "the goroutine that a package has started at " + testsched.Frames([]uintptr{l.passes}).Where()
	}
	o.Details = append(o.Details, who+" waits in real time, and may act before that")
}

// macemcUntil returns how long the run waits for the first timer, if there is one, or until goroutines that pause continue.
func macemcUntil(next int64, stopped bool) int64 {
	busy := macemcBusyTime()
	if left := next - macemcNow(); next != 0 && (!stopped || left < busy) {
		return max(1, left)
	}
	return busy
}
