// The life of a run, as package testing controls it: how it begins, waits, continues and ends.

package runtime

import testrun "internal/runtime"

// macemcWaits lists further wait reasons that count as waiting in a bubble during a test, unlike in package synctest.
var macemcWaits = [...]waitReason{waitReasonSyncMutexLock, waitReasonSyncWaitGroupWait, waitReasonSemacquire, waitReasonChanReceive,
	waitReasonChanSend, waitReasonSelect, waitReasonIOWait}

var macemcWaited [len(macemcWaits)]bool

// macemcOptions are options of the process that a test can change, and may not restore.
var macemcOptions struct {
	percent int32
	limit   int64
}

func macemc_testBegin(t *macemcRun) {
	macemcOrder()
	macemcPicks, macemcOutsideTurn, macemcFront, macemcGoOn = 0, false, false, false
	macemcCallSince = 0
	if macemcTestStep == nil {
		macemcTestStep = new(macemcStep)
	}
	*macemcTestStep = macemcStep{seed: t.draws, ids: macemcMain - 1}
	macemcCur = macemcTestStep
	macemcQ.reset()
	macemcNext, macemcAgain, macemcRan, macemcSpecial = 0, 0, 0, [2]guintptr{}
	macemcLastWho, macemcLastAt, macemcChildren, macemcTestPick, macemcTestTurns, macemcElapsed = 0, 0, 0, 0, 0, 0
	macemcTimersN, macemcFiring = 0, nil
	macemcTurns, macemcWokeOutside, macemcLate = 0, false, 0
	macemcIgnored = sig.ignored
	macemcFiles = 0
	macemcIdle, macemcPauses, macemcStopped, macemcWaiting, macemcTimelessNext = 0, false, false, 0, gQueue{}
	macemcBusy.who = 0
	for i, why := range macemcWaits {
		macemcWaited[i], isIdleInSynctest[why] = isIdleInSynctest[why], true
	}
	if !macemcCollects {
		macemcCollects = true
		go macemcCollect()
	}
	macemcAsync = macemcAsyncTimers(0)
	macemcStackMax, maxstacksize = maxstacksize, min(maxstacksize, macemcStack)
	startingStackSize = macemcStackStart
	macemcOptions.percent, macemcOptions.limit = gcController.gcPercent.Load(), gcController.memoryLimit.Load()
	macemcNumbered = macemcNumbers{}
	macemcMaxProcs = macemcMaxProcsInit
	macemcRuns++
	macemcEndings = &macemcEndingList{macemcHeap: macemcHeapNow()}
	macemcT = t
	macemcOn, macemcChans = true, true
}

func macemc_testEnd() {
	for !macemcEmpty() {
		Gosched()
	}
	macemcOn = false
	macemcCur, macemcT = nil, nil
	macemcEndings.countFiles()
	macemcAsyncTimers(macemcAsync)
	maxstacksize = macemcStackMax
	for i, why := range macemcWaits {
		isIdleInSynctest[why] = macemcWaited[i]
	}
	if before := macemcOptions.percent; gcController.gcPercent.Load() != before {
		setGCPercent(before)
	}
	setMemoryLimit(macemcOptions.limit)
}

// macemc_testRunBubble runs f as the main goroutine of a bubble whose clock begins at an instant; 0 means that of the command.
func macemc_testRunBubble(instant uint64, f func()) {
	if macemcBeganAt = int64(instant); instant == 0 {
		macemcBeganAt = macemcInstants.clock
	}
	gp := getg()
	seed := gp.macemc.seed
	gp.macemc = macemcG{macemcCommonG: macemcCommonG{id: macemcRoot}}
	macemcStart.pc, macemcStart.goid = gp.gopc, gp.parentGoid
	synctestRun(f)
	gp.macemc = macemcG{macemcCommonG: macemcCommonG{seed: seed}}
}

// macemcRaces is the number of data races that RaceErrors leaves out.
var macemcRaces int

func macemc_testForget(races int) { macemcRaces += races }

func macemc_testSelf() uint64 { return getg().macemc.id }

func macemc_testEnter() uint64 {
	macemcStartClock(getg().bubble.now)
	return macemc_enter(macemcCur)
}

func macemc_testNext() int64 { return macemc_next() }

// macemc_testAgain resumes the stopped goroutines, and reports whether there were any.
func macemc_testAgain() bool {
	macemcCur.number++
	some := macemcCur.stopped != 0
	if macemcLongPause() > 0 {
		return some
	}
	macemcPauses = false
	macemc_resumeStopped()
	return some
}

func macemc_testAnyStopped() bool { return macemcCur.stopped != 0 }

// macemc_testWait blocks the calling goroutine until all others of the bubble wait, as testing/synctest.Wait does. It cannot use that
// function, because the explorer already waits for the bubble.
func macemc_testWait() {
	if !macemcStopped {
		panic(plainError("goroutine is not in a bubble"))
	}
	macemcPointed(testrun.Gosched, 0)
	if macemcWaiting != 0 {
		panic(plainError("wait already in progress"))
	}
	mcall(func(gp *g) {
		macemcWaiting.set(gp)
		gp.waitreason = waitReasonSynctestWait
		getg().m.waitTraceBlockReason = traceBlockSynctest
		park_m(gp)
	})
	macemcOthersWait()
}

// macemcOthersWait informs the race detector: actions of the bubble's goroutines before they waited or ended happen before those of the
// caller.
func macemcOthersWait() {
	if raceenabled {
		raceacquireg(getg(), getg().bubble.raceaddr())
	}
}

// macemc_testWaiter resumes the goroutine that waits for all others, and reports whether there was one. Stopped goroutines do not wait, and
// continue before it.
func macemc_testWaiter() bool {
	gp := macemcWaiting.ptr()
	if gp == nil {
		return false
	}
	if macemcCur.stopped != 0 {
		return macemc_testAgain()
	}
	macemcWaiting = 0
	goready(gp, 1)
	return true
}

// macemcTimelessAt is the clock reading at which the current or latest section without the passage of time has begun, and
// macemcTimelessNext are the goroutines that wait for its end to begin their own.
var (
	macemcTimelessAt   int64
	macemcTimelessNext gQueue
)

// macemc_testTimeless begins or ends a section of the run in which time stands still while goroutines run, with the clock of
// testing/synctest. The caller and the goroutines that it starts belong to the section, and no others may set timers. The clock of the run
// continues after it, without the timers that the section has left. The result is false if there are timers before it.
func macemc_testTimeless(on bool) bool {
	gp := getg()
	b := gp.bubble
	if on {
		for macemcStopped {
			macemcLeavesOut(testrun.BubblesWait)
			mcall(func(gp *g) { // without synchronization that hides data races
				macemcTimelessNext.pushBack(gp)
				gp.waitreason = waitReasonSynctestRun
				park_m(gp)
			})
		}
		if next := b.timers.wakeTime(); next != 0 && next != maxWhen {
			return false
		}
		macemcTimelessAt = macemcSetClock(b, macemcSynctestTime)
	} else {
		macemcOthersWait()
		for _, w := range append([]timerWhen(nil), b.timers.heap...) {
			if t := w.timer; t.macemcOrder != ^uint32(0) { // it is not the explorer's own
				t.stop()
			}
		}
		macemcTidy(&b.timers)
		macemcSetClock(b, macemcTimelessAt)
	}
	for macemcStopped = on; !on && !macemcTimelessNext.empty(); {
		goready(macemcTimelessNext.pop(), 1)
	}
	gp.macemc.test.bubbled = on
	return true
}

// macemcSetClock sets the clock of a bubble, and returns its previous reading.
func macemcSetClock(b *synctestBubble, now int64) (before int64) {
	lock(&b.mu)
	before, b.now = b.now, now
	unlock(&b.mu)
	macemcStartClock(now)
	return before
}

func macemc_testTotal() int { return getg().bubble.total }

// macemc_testBubbled returns the number of goroutines in the bubble of testing/synctest that executes, without the caller.
func macemc_testBubbled() (n int) {
	me := getg()
	forEachGRace(func(gp *g) {
		if gp != me && gp.bubble == me.bubble && gp.macemc.test.bubbled && readgstatus(gp) != _Gdead {
			n++
		}
	})
	return n
}

func macemc_testKill() {
	macemcT.over = true
	macemc_kill()
}
