// The clock of a test: how time passes while goroutines run, and when all of them wait.

package runtime

import (
	testrun "internal/runtime"
	"internal/runtime/sys"
	_ "unsafe"
)

// Goroutines that keep waking one another never all wait. Time then passes as their operations take it, but a goroutine that can run is
// delayed by at most macemcRun.within more than its own operations take (macemcMayPass). Times are in nanoseconds.
const (
	macemcReadTime    = 200        // of a reading of the clock
	macemcPointTime   = 500        // of another operation
	macemcAccessTime  = 25         // of a plain memory access
	macemcHurriedTime = 100_000    // of each of them in a hurried run, after macemcLong points
	macemcPassEvery   = 500_000    // time of operations after which the clock advances
	macemcBusyMost    = 10_000_000 // maximum time that passes while goroutines pause
	macemcReadsMost   = 1000       // number of readings of a goroutine that runs alone after which each takes longer than the one before
)

// macemcWorks adds the time of an operation at a point of the running goroutine. From time to time, the clock advances by the sum.
func macemcWorks(gp *g, op testrun.Op) {
	switch t := macemcT; {
	case t.hurried && t.points > macemcLong:
		macemcWorked += macemcHurriedTime
	case op == testrun.Read || op == testrun.Write:
		macemcWorked += macemcAccessTime
	default:
		macemcWorked += macemcPointTime
	}
	if macemcWorked >= macemcWorkNext {
		macemcPass(gp)
		macemcWorkNext = macemcWorked + macemcPassEvery
	}
}

// macemcMayPass returns the latest instant up to the given one to which time may pass while goroutines run.
func macemcMayPass(to int64) int64 {
	if macemcT.hurried {
		return to
	}
	if to > macemcQ.limit {
		macemcQ.relimit()
		to = min(to, macemcQ.limit)
	}
	if macemcCur.stopped != 0 {
		to = min(to, macemcPausedLimit)
	}
	return to
}

// macemcLimitOf returns the instant to which time may pass before a goroutine continues that can run. Its delays add up. Its own
// operations, and a quarter of the time for which all wait, are deducted.
//
//go:nowritebarrierrec
func macemcLimitOf(gp *g) int64 {
	me, now := &gp.macemc.test, gp.bubble.now
	me.delayed = max(0, me.delayed-int64(me.places-me.delayedAt)*macemcPointTime-(macemcIdle-me.delayedIdle)/4)
	me.delayedAt, me.delayedIdle, me.readyAt = me.places, macemcIdle, now
	return now + max(0, macemcT.within-me.delayed)
}

// macemcStartClock is called when the clock of a run has its first value.
func macemcStartClock(now int64) {
	macemcSince, macemcIdleAt, macemcWorked, macemcWorkNext = now, now, 0, macemcPassEvery
}

// macemcIdles is called when all goroutines wait or pause, before time passes to an instant. The time that may pass while goroutines run
// grows by a quarter.
func macemcIdles(now, to int64) {
	d := max(0, to-now)
	macemcIdle += d
	macemcSince = min(to, max(macemcSince, now-macemcT.within)+d+d/4)
	macemcIdleAt, macemcWorked, macemcWorkNext = to, 0, macemcPassEvery
}

// macemc_testBusyTime returns the time that passes while goroutines pause and all others wait. 0 means that it stands still.
func macemc_testBusyTime() int64 {
	worked := min(max(1, macemcIdleAt+macemcWorked-getg().bubble.now), macemcBusyMost)
	switch {
	case macemcStopped:
		return 0
	case macemcT.hurried:
		return macemcBusyMost
	case macemcLongPause() > 0:
		return macemcLongPause()
	case macemcPauses: // the pause of a schedule is its delay
		return max(worked, macemcT.within)
	}
	return worked
}

// macemcUsualDelay is testsched.UsualDelay.
const macemcUsualDelay = 1_000_000

// macemcLongPause returns the time left of a pause of the schedule whose delays are longer than usual. Timers that fire meanwhile do not
// end it. 0 means that there is none.
func macemcLongPause() int64 {
	if !macemcPauses || macemcCur.stopped == 0 || macemcStopped || macemcT.within <= macemcUsualDelay {
		return 0
	}
	return max(0, macemcPausedLimit-macemcCur.stopped.ptr().bubble.now)
}

// macemcElapse lets time pass to an instant at a point of the running goroutine, and fires the timer of an index, if there is one.
func macemcElapse(gp *g, at int64, i int) {
	if at > gp.bubble.now {
		macemcAdvance(gp, at)
	}
	if i >= 0 && i < macemcTimersN {
		macemcFire(gp.bubble, i)
		macemcLastWho, macemcLastAt = gp.macemc.id, gp.macemc.test.places
	}
}

// macemcElapseAny lets a random timer fire at a point of the running goroutine, and reports whether one may.
func macemcElapseAny(gp *g) bool {
	at, mayPass := macemcNear(gp.bubble, gp)
	if at == 0 || at > gp.bubble.now && macemcT.passes == 0 {
		return false
	}
	macemcElapsed++
	x, n := macemcMix(macemcT.seed^macemcT.points<<13), uint64(macemcTimersN)
	if mayPass {
		n++
	}
	i := int((x >> 32) * n >> 32)
	macemcRecord(gp.macemc.id, gp.macemc.test.places, macemcTimerWho(i))
	macemcElapse(gp, at, i)
	return true
}

// macemcPass advances the clock by the time of operations since all goroutines waited, or to the next timer if that is earlier. Goroutines
// that pause continue if others keep waking one another.
func macemcPass(gp *g) {
	b := gp.bubble
	if macemcStopped {
		return
	}
	worked := macemcIdleAt + macemcWorked
	to := macemcMayPass(worked)
	if to < worked {
		macemcWorked = max(to, b.now) - macemcIdleAt
	}
	if macemcCur.stopped != 0 && (worked > macemcPausedLimit || macemcT.hurried) && !macemcPauses {
		macemc_resumeStopped()
	}
	if to <= b.now {
		return
	}
	at, _ := macemcGather(b, to)
	if polled := gp.macemc.test.polled; polled > b.now && polled <= to && (at == 0 || polled < at) {
		at, macemcTimersN = polled, 0
	}
	if at == 0 {
		at, macemcTimersN = to, 0
	}
	macemcT.long = macemcT.long || macemcTimersN > 1 // nothing decides which one fires
	macemcSince += max(0, at-b.now)                  // the time of operations is no delay
	macemcElapse(gp, at, 0)
}

// macemcAdvance sets the clock of the caller's bubble. In a test, timers that are due by then and do more than end sleeps fire later, as
// the schedule decides; otherwise all fire.
func macemcAdvance(gp *g, now int64) {
	b := gp.bubble
	lock(&b.mu)
	b.now = now
	unlock(&b.mu)
	if macemcT != nil && !macemcT.over {
		macemcSettle(b)
	} else {
		macemcFireBy(b, func() { b.timers.check(now, b) })
	}
}

// macemcLateness is the delay of timers in nanoseconds. It exceeds the duration of a clock read.
const macemcLateness = 10 * macemcReadTime

// macemcIdleTime returns the time at which the first timer of a bubble fires, or the present if a timer is due; 0 means that there is none.
// It also returns the present if the timer that was due has been stopped or reset: with nothing to fire, the bubble wakes its waiter next.
func macemcIdleTime(b *synctestBubble) int64 {
	next := macemcWakeTime(&b.timers)
	switch {
	case macemcT != nil && b.waiter != nil:
		next = b.now
	case macemcT != nil && next != 0:
		next = max(next, b.now)
	}
	return next
}

// macemcDue returns the clock reading at which a bubble's next timer fires.
func macemcDue(b *synctestBubble, next int64) int64 {
	if macemcT == nil || macemcStopped || macemcT.over || next > maxWhen-macemcLateness {
		return next
	}
	if next > b.now {
		next += macemcLateness
	}
	macemcIdles(b.now, next)
	return next
}

// macemcTime returns the clock reading of the caller, which belongs to a bubble of the runtime. While a bubble of testing/synctest executes,
// no time passes outside it.
func macemcTime(b *synctestBubble) int64 {
	if gp := getg().m.curg; macemcStopped && gp != nil && gp.macemc.id > macemcMain && !gp.macemc.test.bubbled {
		return macemcTimelessAt
	}
	return b.now
}

// macemcReadClock is called before a function reads the clock. Reads by the distribution take no time.
func macemcReadClock(pc uintptr) {
	if macemcTested() && !macemcCallerAt(pc).standard {
		macemcReads()
	}
}

// macemcReads lets the time pass that a reading of the clock takes. No two reads return equal results, as with a real
// clock. A goroutine that only reads the clock waits for a time, so each of its reads takes longer than the one
// before.
func macemcReads() {
	gp, t := getg(), macemcT
	if gp != gp.m.curg || gp.m.locks != 0 || gp.macemc.id <= macemcMain || macemcStopped {
		return
	}
	b, me := gp.bubble, &gp.macemc.test
	busy := func() bool { return macemcQ.n > 0 || macemcCur.stopped != 0 }
	if busy() || macemcIsDue(b) {
		macemcPointed(testrun.Clock, 0)
		if t.unfair && busy() && macemcMayPass(b.now+1) <= b.now { // it would read the same time until others run
			me.sinceWait = 0
			macemcPauseHere(gp)
		}
	}
	pass := int64(macemcReadTime)
	switch {
	case t.hurried && t.points > macemcLong:
		pass = macemcHurriedTime
	case busy():
		pass = max(1, macemcMayPass(b.now+pass)-b.now)
	default:
		me.reads++
		pass = max(pass, int64(me.reads)*macemcReadTime/macemcReadsMost)
	}
	macemcAdvance(gp, b.now+pass)
}

// macemcBeganAt is the first clock reading of the run.
var macemcBeganAt int64

// macemcBubbleBegins returns the first clock reading of a bubble.
func macemcBubbleBegins(usual int64) int64 {
	if macemcT != nil {
		return macemcBeganAt
	}
	return usual
}

// macemcClockBegan returns the wall clock at which the monotonic readings of an explored test or the packages that it initializes begin; 0
// means that the caller belongs to none.
func macemcClockBegan() int64 {
	switch {
	case macemcTested() && !macemcStopped:
		return macemcBeganAt - macemcInitNanos
	case macemcInit.explored && macemcInits():
		return macemcInstants.clock - macemcInitNanos
	}
	return 0
}

// macemcClocks reads the clocks for modules that do not use package time. They show an explored test, or the packages
// that it initializes, the same instants as package time; wall is 0 for others.
func macemcClocks() (wall, mono int64) {
	began := macemcClockBegan()
	switch {
	case began == 0:
		return 0, 0
	case macemcTested():
		macemcReads()
		wall = macemcTime(getg().bubble)
	default:
		sec, nsec, _ := macemcInitNow()
		wall = sec*1e9 + int64(nsec)
	}
	return wall, wall - began
}

// macemcLinkedNow is what modules link to as time.now.
//
//go:linkname macemcLinkedNow time.now
func macemcLinkedNow() (sec int64, nsec int32, mono int64) {
	if !macemcCallerAt(sys.GetCallerPC()).standard {
		if wall, mono := macemcClocks(); wall != 0 {
			return wall / 1e9, int32(wall % 1e9), mono
		}
	}
	return time_now()
}

// macemcLinkedNanotime is what modules link to as runtime.nanotime.
//
//go:linkname macemcLinkedNanotime runtime.nanotime
func macemcLinkedNanotime() int64 {
	if !macemcCallerAt(sys.GetCallerPC()).standard {
		if wall, mono := macemcClocks(); wall != 0 {
			return mono
		}
	}
	return nanotime()
}

// macemcFileClock returns the present and the first instant of a run, the instant of the real clock at which the command began, and the
// number of the run; 0 means that the caller belongs to none.
func macemcFileClock() (now, began, real int64, run uint64) {
	if !macemcTested() {
		return 0, 0, 0, 0
	}
	return getg().bubble.now, macemcBeganAt, macemcInstants.real, macemcRuns
}

// macemcSleep is a sleep by a system call.
func macemcSleep(ns int64) { timeSleep(ns) }
