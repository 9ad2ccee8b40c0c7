// Goroutines outside the test, such as those that packages have started: which of them act for the test, and their turns.

package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// macemcWakes is called when a goroutine outside bubbles becomes runnable.
func macemcWakes(gp *g) {
	t := macemcT
	if t == nil && macemcActingN.Load() == 0 {
		return
	}
	waker := getg().m.curg
	switch {
	case waker == nil:
	case waker.bubble == nil && waker.macemc.test.actsForTest == macemcActing:
		macemcActsForTest(gp)
	case t != nil && waker.bubble != nil && waker.macemc.id > macemcMain && macemcOutsider(gp):
		macemcWokeOutside, t.outside = true, true
		macemcActsForTest(gp)
	}
}

// macemcActs describes whether a goroutine outside the test acts for the test, see macemcActsForTest.
type macemcActs uint8

const (
	macemcUnused macemcActs = iota // it never has
	macemcActed                    // not any more
	macemcActing
)

// macemcActingN is the number of goroutines that act for the test.
var macemcActingN atomic.Int32

// macemcActsForTest marks a goroutine outside the test that acts for the test: a goroutine of the test, or one with the mark, has started
// or woken it. The mark lasts until it waits for another goroutine, or sleeps so often that it seems to loop. A goroutine that waits for a
// lock acts for itself.
func macemcActsForTest(gp *g) {
	if me := &gp.macemc.test; me.actsForTest != macemcActing && !macemcWaitsForLock(gp) && macemcOutsider(gp) {
		me.actsForTest, me.sleeps = macemcActing, 0
		macemcActingN.Add(1)
	}
}

// macemc_testUnmark removes all marks of goroutines that act for a test.
func macemc_testUnmark() {
	forEachG(func(gp *g) { gp.macemc.test.actsForTest = min(gp.macemc.test.actsForTest, macemcActed) })
	macemcActingN.Store(0)
}

// macemcMostSleeps is the number of sleeps of a goroutine that acts for the test.
const macemcMostSleeps = 3

// macemcWaitsForLock reports whether a goroutine waits for a lock, or waited for one when it was woken.
func macemcWaitsForLock(gp *g) bool {
	switch gp.waitreason {
	case waitReasonSyncMutexLock, waitReasonSyncRWMutexLock, waitReasonSyncRWMutexRLock:
		return true
	}
	return false
}

// macemcActingWaits is called when a goroutine that acts for the test begins to wait.
func macemcActingWaits(gp *g) {
	me := &gp.macemc.test
	switch gp.waitreason {
	case waitReasonSleep:
		if me.sleeps++; me.sleeps <= macemcMostSleeps {
			break
		}
		fallthrough
	case waitReasonChanReceive, waitReasonChanSend, waitReasonSelect, waitReasonSyncCondWait, waitReasonSyncWaitGroupWait,
		waitReasonChanReceiveNilChan, waitReasonChanSendNilChan, waitReasonSelectNoCases:
		me.actsForTest = macemcActed
		macemcActingN.Add(-1)
	}
}

// macemcOutsideEvery is the number of points, on average, after which a goroutine outside the test runs that the test has woken. It also
// runs when all goroutines of the test wait.
const macemcOutsideEvery = 4

// macemcLetOthers gives turns to goroutines outside the test. The caller continues after them, as after a preemption by wall clock.
func macemcLetOthers(pp *p) {
	macemcWokeOutside = false
	for range 4 { // some belong to the runtime
		if macemcNoOthers(pp) {
			break
		}
		macemcFront = true
		goyield()
	}
}

// macemc_testOutside counts the outsiders.
func macemc_testOutside() (n int) {
	forEachG(func(gp *g) {
		if macemcOutsider(gp) {
			n++
		}
	})
	return n
}

// macemc_testOutsideActive returns the go statement of such an outsider; 0 means that there is none.
func macemc_testOutsideActive(which int) (start uintptr) {
	if which == macemcActingActive && macemcActingN.Load() == 0 {
		return 0
	}
	forEachG(func(gp *g) {
		if !macemcOutsider(gp) || which == macemcActingActive && gp.macemc.test.actsForTest != macemcActing {
			return
		}
		found := readgstatus(gp) != _Gwaiting || gp.waitreason == waitReasonIOWait
		switch which {
		case macemcActingActive: // it may wait for the collector
			found = found || !macemcWaitsForLock(gp)
		case macemcAnyActive:
			found = found || gp.waitreason == waitReasonSleep
			for s := gp.waiting; s != nil && s.c.get() != nil; s = s.waitlink {
				found = found || s.c.get().timer != nil
			}
		}
		if found {
			start = gp.gopc
		}
	})
	return start
}

// macemcOutsider reports whether a goroutine outside bubbles may change package variables while tests run. Those that packages runtime and
// testing started may not.
func macemcOutsider(gp *g) bool {
	if s := readgstatus(gp); gp.bubble != nil || s == _Gdead || s == _Gdeadextra || s == _Gidle { // cgo keeps an extra one
		return false
	}
	e := &macemcStarts[gp.startpc>>4%uintptr(len(macemcStarts))]
	known := atomic.Loaduintptr(e)
	if known&^1 != gp.startpc {
		known = gp.startpc
		name := funcname(findfunc(known))
		if pkg := macemcPackage(name); pkg != "testing" && pkg != "runtime" && name != "os/signal.loop" {
			known |= 1
		}
		atomic.Storeuintptr(e, known)
	}
	return known&1 != 0
}

// macemc_testWoken reports whether a goroutine of the test is runnable: one outside the bubble has woken it since all of them waited.
func macemc_testWoken() bool { return macemcQ.n > 0 }

// macemc_testOthers gives a turn to a goroutine outside the bubble, such as one that a package has started, which may wake one of the test.
// If none is runnable, and the test waits for one, it waits for the next timer outside the bubble, unless that takes longer than most ns.
// It returns how long it waited, and whether a goroutine had a turn.
func macemc_testOthers(most int64) (waited int64, ok bool) {
	if pp := getg().m.p.ptr(); macemcNoOthers(pp) {
		at := pp.timers.wakeTime()
		if waited = max(at-nanotime(), 1); at == 0 || waited > most || !macemcAwaits() {
			return 0, false
		}
		for left := waited; left > 0; left = at - nanotime() { // signals end a sleep
			usleep(uint32(left/1000) + 1)
		}
	}
	macemcOutsideTurn = true
	Gosched()
	return waited, true
}

// macemcOthersLate is the maximum number of turns of outsiders between runs, and between restores of variables.
const macemcOthersLate = 100

// macemc_testGiveTurns gives turns to outsiders until all of them wait, but at most so many.
func macemc_testGiveTurns() {
	for range macemcOthersLate {
		if _, some := macemc_testOthers(0); !some {
			break
		}
	}
}

// macemc_testPace waits until a goroutine outside the bubble can run, and gives it a turn, but at most a number of ns. It returns how long
// it waited, and how long that took with the turn.
func macemc_testPace(most int64) (waited, took int64) {
	pp, start := getg().m.p.ptr(), nanotime()
	for macemcQ.n == 0 && macemcNoOthers(pp) {
		waited = nanotime() - start
		left, at := most-waited, pp.timers.wakeTime()
		if at != 0 && at <= start+waited { // also if a sleep took longer than asked for
			break
		}
		if left <= 0 {
			return waited, waited
		}
		if at != 0 {
			left = min(left, at-start-waited)
		}
		usleep(uint32(min(left, 1e6)/1000) + 1) // files and processes have no timer
		if gcBlackenEnabled != 0 {              // workers of the collector are in no queue
			macemcOutsideTurn = true
			Gosched()
		}
	}
	macemcOutsideTurn = true
	Gosched()
	return waited, nanotime() - start
}

// macemc_testOutsideTimer returns the time until the last timer of outsiders that fires within most ns, but at least 1 ns; 0 means that
// there is none.
func macemc_testOutsideTimer(most int64) (last int64) {
	now, ts := nanotime(), &getg().m.p.ptr().timers
	ts.lock()
	for _, t := range ts.heap {
		if in := t.when - now; in <= most && macemcOutsideTimer(t.timer) {
			last = max(last, in, 1)
		}
	}
	ts.unlock()
	return last
}

// macemcOutsideTimer reports whether a timer ends the sleep of an outsider, sends to a channel, or starts a goroutine.
func macemcOutsideTimer(t *timer) bool {
	switch arg := t.arg.(type) {
	case *g:
		return macemcOutsider(arg)
	case func():
		return macemcPackage(funcname(findfunc(**(**uintptr)(unsafe.Pointer(&arg))))) != "testing"
	}
	return t.isChan
}

// macemcAwaits reports whether a goroutine of the bubble waits for something that a goroutine outside it may do.
func macemcAwaits() (found bool) {
	b := getg().bubble
	forEachG(func(gp *g) {
		if gp.bubble == b && readgstatus(gp) == _Gwaiting {
			switch gp.waitreason {
			case waitReasonChanReceive, waitReasonChanSend, waitReasonSelect, waitReasonSyncCondWait, waitReasonSyncMutexLock,
				waitReasonSyncRWMutexLock, waitReasonSyncRWMutexRLock, waitReasonSyncWaitGroupWait, waitReasonIOWait,
				waitReasonSynctestChanReceive, waitReasonSynctestChanSend, waitReasonSynctestSelect, waitReasonSynctestWaitGroupWait:
				found = true
			}
		}
	})
	return found
}

// macemcPollWait is called before a goroutine waits for a file, such as a pipe. One of a test waits until macemc_testFiles finds the file
// ready, so that time can pass and the run can end meanwhile.
func macemcPollWait(pd *pollDesc, mode int) {
	gp := getg()
	if !macemcTested() || gp.macemc.id <= macemcMain {
		return
	}
	me := &gp.macemc.test
	for me.file, me.mode = pd, int32(mode); !me.fileReady(); {
		macemcT.outside = true
		macemcFiles++
		gopark(nil, nil, waitReasonIOWait, traceBlockNet, 1)
	}
	me.file = nil
	if due := pd.macemcDeadlines[mode&1]; due > gp.bubble.now && netpollcheckerr(pd, int32(mode)) == pollErrTimeout {
		macemcIdles(gp.bubble.now, due)
		macemcAdvance(gp, due)
	}
}

// macemcSetsDeadline is called before a deadline in d ns is set for reads or writes of a file, or both. d <= 0 means none, or that it has
// passed.
func macemcSetsDeadline(pd *pollDesc, d int64, mode int) {
	at := int64(0)
	if d > 0 && macemcTested() {
		at = min(getg().bubble.now, maxWhen-d) + d
	}
	if mode != 'w' {
		pd.macemcDeadlines['r'&1] = at
	}
	if mode != 'r' {
		pd.macemcDeadlines['w'&1] = at
	}
}

// fileReady reports whether the wait for a file can end.
func (me *macemcTestG) fileReady() bool {
	at := &me.file.rg
	if me.mode == 'w' {
		at = &me.file.wg
	}
	return at.Load() == pdReady || netpollcheckerr(me.file, me.mode) != pollNoError
}

// macemc_testFiles continues the goroutines of the test, by age, whose files are ready, and reports whether there are any. Else it returns
// the time until the first deadline of the goroutines that wait for files: maxWhen means that they have none, and 0 that no goroutine
// waits.
func macemc_testFiles() (woken bool, left int64) {
	if macemcFiles == 0 {
		return false, 0
	}
	if list, delta := netpoll(0); !list.empty() {
		injectglist(&list)
		netpollAdjustWaiters(delta)
	}
	for b := getg().bubble; ; {
		var next *g
		left = 0
		forEachG(func(gp *g) {
			me := &gp.macemc.test
			if gp.bubble != b || me.file == nil || readgstatus(gp) != _Gwaiting || gp.waitreason != waitReasonIOWait {
				return
			}
			if me.fileReady() {
				if next == nil || me.number < next.macemc.test.number {
					next = gp
				}
				return
			}
			in := int64(maxWhen)
			real := me.file.rd
			if me.mode == 'w' {
				real = me.file.wd
			}
			switch at := me.file.macemcDeadlines[me.mode&1]; {
			case real > 0 && at > 0:
				in = max(at-b.now, 1)
			case real > 0:
				in = max(real-nanotime(), 1)
			}
			if left == 0 || in < left {
				left = in
			}
		})
		if next == nil {
			return woken, left
		}
		goready(next, 1)
		woken = true
	}
}

// macemcStarts caches functions with which goroutines begin: addresses, plus 1 if the goroutines are outsiders. Unexplored tests use it on
// several threads.
var macemcStarts [64]uintptr
