// Functions that package bubble calls: for the goroutine that executes a step, and about goroutines.

package runtime

import "unsafe"

// macemcDriver is the goroutine that executes a step: the main goroutine of the bubble from macemc_join to macemc_part. The goroutine that
// called macemc_enter waits for something outside the bubble meanwhile, and counts as running in place of the driver.
var macemcDriver struct {
	g     *g
	own   macemcCommonG // its state outside the bubble
	timer *timer        // its timer outside the bubble
}

func macemc_join() {
	gp, main, d := getg(), macemcCur.main.ptr(), &macemcDriver
	d.g, d.own, d.timer = gp, gp.macemc.macemcCommonG, gp.timer
	gp.macemc.macemcCommonG, gp.timer = main.macemc.macemcCommonG, main.timer
	if gp.timer != nil {
		gp.timer.arg = gp
	}
	gp.bubble = main.bubble
}

func macemc_part() {
	gp, d := getg(), &macemcDriver
	gp.bubble = nil
	if macemcCur != nil { // the step was not aborted
		main := macemcCur.main.ptr()
		main.macemc.macemcCommonG, main.timer = gp.macemc.macemcCommonG, gp.timer
	}
	gp.macemc.macemcCommonG, gp.timer = d.own, d.timer
	d.g, d.timer = nil, nil
}

// macemc_run runs f as the main goroutine of a bubble. f must call macemc_enter. These two goroutines have numbers that do not depend on
// which of them runs first.
func macemc_run(f func()) {
	getg().macemc.id = macemcRoot
	synctestRun(f)
}

// macemc_enter makes the caller the main goroutine of its bubble, and returns the number of the bubble in stacks.
func macemc_enter(it *macemcStep) uint64 {
	gp := getg()
	gp.macemc.id = macemcMain
	it.main.set(gp)
	return gp.bubble.id
}

// macemc_callers writes return addresses of the calling goroutine into buf, innermost first, and returns their number.
func macemc_callers(buf []uintptr) int { return fpTracebackPCs(unsafe.Pointer(getfp()), buf) }

// macemc_id returns the number of the calling goroutine in its bubble; 0 means that it is not in a bubble.
func macemc_id() uint64 {
	gp := getg()
	if gp.bubble == nil {
		return 0
	}
	return gp.macemc.id
}

// macemc_number returns the number in its bubble of the goroutine with an identifier; 0 means that there is none.
func macemc_number(goid uint64) (number uint64) {
	forEachG(func(gp *g) {
		if gp.goid == goid && gp.bubble != nil {
			number = gp.macemc.id
		}
	})
	return number
}

// macemc_stacksOf writes the stacks of the goroutines of a bubble into buf, in the format of [Stack], and returns their length.
func macemc_stacksOf(bubble uint64, buf []byte) (n int) {
	stw := stopTheWorld(stwAllGoroutinesStack)
	gp := getg()
	systemstack(func() {
		g0 := getg()
		g0.m.traceback, g0.writebuf = 1, buf[0:0:len(buf)]
		tracebacksomeothers(gp, func(other *g) bool { return other.bubble != nil && other.bubble.id == bubble })
		n = len(g0.writebuf)
		g0.m.traceback, g0.writebuf = 0, nil
	})
	startTheWorld(stw)
	return n
}

// macemc_reason returns the text of control.why.
func macemc_reason(why uint8) string { return waitReason(why).String() }

// macemc_unscheduled enters (1) or leaves (-1) work that the calling goroutine does for the checker. It takes no part in the schedule.
func macemc_unscheduled(d int32) { getg().macemc.unscheduled += d }

// macemc_childMayUnlock reports whether goroutine gid has started a goroutine, since the bubble had had that many, that can continue by
// itself or after an input: one that is not waiting for a lock.
func macemc_childMayUnlock(bubble, gid, since uint64, waiting []uint64) (found bool) {
	var goid uint64
	forEachG(func(gp *g) {
		if gp.bubble != nil && gp.bubble.id == bubble && gp.macemc.id == gid {
			goid = gp.goid
		}
	})
	forEachG(func(gp *g) {
		if gp.bubble == nil || gp.bubble.id != bubble || gp.parentGoid != goid || gp.macemc.id <= since {
			return
		}
		for _, id := range waiting {
			if id == gp.macemc.id {
				return
			}
		}
		found = true
	})
	return found
}
