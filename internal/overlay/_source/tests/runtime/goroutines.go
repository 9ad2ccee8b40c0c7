// The list of a test's goroutines, for reports: what they wait for, and where.

package runtime

import testrun "internal/runtime"

// macemc_testWaits describes a wait reason.
func macemc_testWaits(why uint64) string { return waitReason(why).String() }

// macemcHolder returns the goroutine that holds the lock that another one waits for; 0 means unknown.
func macemcHolder(who uint64) uint64 {
	uses := macemcCur.locks[:macemcCur.nlocks]
	for i := range uses {
		if uses[i].gid != who || uses[i].state&1 != 0 {
			continue
		}
		for k := range uses {
			if uses[k].lock == uses[i].lock && uses[k].state&1 != 0 {
				return uses[k].gid
			}
		}
	}
	return 0
}

// macemc_testGoroutines describes the test's goroutines in the caller's bubble.
func macemc_testGoroutines(list []macemcGoroutine, left bool) int {
	b, n := getg().bubble, 0
	if left {
		macemcFindUnwakable(b)
	}
	forEachG(func(gp *g) {
		if gp.bubble != b || gp.macemc.id <= macemcMain || n == len(list) {
			return
		}
		if s := readgstatus(gp); s != _Gwaiting && s != _Grunnable {
			return
		}
		d := &list[n]
		n++
		d.start, d.from = gp.gopc, gp.macemc.test.from
		d.who, d.number, d.why, d.holder = gp.macemc.id, gp.macemc.test.number, gp.waitreason.String(), macemcHolder(gp.macemc.id)
		if gp.macemc.test.halted {
			d.why = "running"
		}
		d.unwakable = !left || gp.macemc.test.unwakable
		d.op, d.obj = gp.macemc.test.op, gp.macemc.test.obj
		d.n = gcallers(gp, 0, d.stack[:])
	})
	return n
}

// macemc_testNumber returns the number of the calling goroutine, by age.
func macemc_testNumber() uint64 { return getg().macemc.test.number }

// macemcExits is called before the calling goroutine ends. The end is a point once the test has counted the goroutines.
func macemcExits() {
	if macemcTested() && macemcT.leftOut&testrun.CountsGoroutines != 0 {
		macemcPointed(testrun.End, 0)
	}
}

// macemcCounts notes that the goroutines are counted or listed. Those that have passed their last point before that have ended, so not all
// counts are explored.
func macemcCounts() { macemcLeavesOut(testrun.CountsGoroutines) }

// macemcStackBounds returns the bounds of the caller's stack.
//
//go:nosplit
func macemcStackBounds() (lo, hi uintptr) {
	gp := getg()
	return gp.stack.lo, gp.stack.hi
}
