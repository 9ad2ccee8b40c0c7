// Scheduling points: the operations before which another goroutine may run, and what every point does.

package runtime

import (
	testrun "internal/runtime"
	"unsafe"
)

// macemcLogging is added to the depth of macemcUnscheduled while package testing logs a file or variable that the test reads, or prints
// what only -v shows. It does so only if the go command may cache the result, or with -v, so the locks are not scheduling points.
const macemcLogging = 1 << 16

// macemcPoint is called before each operation that other goroutines can observe.
func macemcPoint(op testrun.Op, obj uintptr) {
	if macemcT != nil {
		macemcPointed(op, obj)
	}
}

// macemcPointed is called at a point. It returns when the goroutine executes its operation.
func macemcPointed(op testrun.Op, obj uintptr) {
	gp, t := getg(), macemcT
	if gp.bubble == nil || gp.macemc.unscheduled >= macemcLogging || gp.m.locks != 0 || gp != gp.m.curg || gp.m.mallocing != 0 ||
		gp.m.preemptoff != "" || gp.macemc.id <= macemcMain || t.over {
		return
	}
	if op == testrun.TryLock && obj&1 != 0 { // see macemcRW
		macemcLeavesOut(testrun.TriesRWMutex)
	}
	t.points++
	macemcFreshBlock(gp.m.p.ptr())
	me := &gp.macemc.test
	me.places++
	me.turns = 0
	me.obj = obj
	me.op = op
	macemcLastAt = me.places
	if t.cut || t.ender != 0 {
		macemcStop(gp)
		return
	}
	if macemcWokeOutside && macemcMix(macemcSeedOf(gp)^macemcMix(gp.macemc.id^me.places<<24))%macemcOutsideEvery == 0 {
		macemcLetOthers(gp.m.p.ptr())
	}
	var w macemcWhere
	if len(t.operations) != 0 || len(t.holds) != 0 && macemcMayBeHeld(gp, op) {
		w = macemcLocate(getfp())
	}
	started := op == testrun.Go // the operation has been executed
	if !started {
		macemcDecidePoint(gp, op, obj, &w)
		if t.ender != 0 { // meanwhile
			macemcStop(gp)
			return
		}
	}
	macemcExecuted(gp)
	if t.traced && !t.over {
		macemcTrace(gp, op, obj)
	}
	if len(t.operations) != 0 && !t.over {
		macemcOperates(gp, op, obj, &w)
	}
	if started {
		macemcDecidePoint(gp, op, obj, &w)
	}
}

// macemcFreshBlock makes the next small object without pointers not share a memory block with earlier ones, which would make them
// reachable.
func macemcFreshBlock(pp *p) { pp.mcache.tiny, pp.mcache.tinyoffset = 0, 0 }

// macemcExecuted counts an operation. With the last one that follows recorded switches, paused goroutines continue: a continuation of the
// run may let them run at once.
func macemcExecuted(gp *g) {
	t := macemcT
	t.executed++
	if t.executed == t.until {
		macemcUntilWho = gp.macemc.id
		macemc_resumeStopped()
	}
	if t.executed == macemcBreakAt {
		macemcBreak()
	}
}

// macemcAtomic is called before each operation of package sync/atomic that is not compiled to instructions. In a build with -race that is
// every operation, else those of packages outside the distribution. Operations of package sync and similar packages do not count, because
// they belong to operations that are points themselves.
func macemcAtomic(addr unsafe.Pointer, pc uintptr) {
	if macemcT == nil && !raceenabled {
		return
	}
	e := macemcCallerAt(pc)
	if raceenabled {
		macemcAtomicCalled(e)
	}
	if stk := getg().stack; stk.lo <= uintptr(addr) && uintptr(addr) < stk.hi {
		return // no other goroutine uses it
	}
	if macemcT != nil && !e.own {
		macemcPointed(testrun.Atomic, uintptr(addr))
	}
}

// macemcLateMax is the maximum number of points after the end of a run.
const macemcLateMax = 10_000

// macemcStop stops the calling goroutine at a point after the end of the run, unless it holds a lock or executes the function of a Once:
// no run restores those of the distribution.
func macemcStop(gp *g) {
	holds := gp.macemc.unscheduled != 0 || macemcHoldsLock(gp)
	if macemcLate++; !holds || macemcLate > macemcLateMax {
		macemcHalt()
	}
}

// macemcHalt stops the calling goroutine permanently.
func macemcHalt() {
	getg().macemc.test.halted = true
	for {
		gopark(nil, nil, waitReasonSelectNoCases, traceBlockForever, 1)
	}
}

func macemcChan(c *hchan, op testrun.Op, block bool) {
	macemcRebubble(c)
	if t := macemcT; t != nil {
		me := &getg().macemc.test
		if c != nil {
			me.poll(c)
		}
		me.tries = !block
		macemcPointed(op, uintptr(unsafe.Pointer(c)))
		me.polled, me.tries = 0, false
		if !block && t.traced && !t.over {
			macemcTraceTry(c, op)
		}
		if !block && len(t.operations) != 0 && c != nil && op != testrun.Len && macemcCanDo(c, op == testrun.Send) {
			macemcComplete(getg(), op, 0, true)
		}
		return
	}
	if macemcInProcess {
		macemcMoveChan(c)
	}
	if block {
		macemcYield()
	}
}

// poll records the due time of a timer channel that the next operation uses. A timer is not in the bubble's heap while nobody waits for its
// channel.
func (me *macemcTestG) poll(c *hchan) {
	if t := c.timer; t != nil && t.when > 0 && t.astate.Load()&timerHeaped == 0 && (me.polled == 0 || t.when < me.polled) {
		me.polled = t.when
	}
}

// macemcTimerPoint is called before a timer is stopped or reset.
func macemcTimerPoint(obj, pc uintptr) {
	if macemcT == nil {
		return
	}
	me := &getg().macemc.test
	me.due = (*timeTimer)(unsafe.Pointer(obj)).when
	if c := *(*uintptr)(unsafe.Pointer(obj)); c != 0 { // it may remove a value from its channel
		obj = c
	}
	if !macemcCallerAt(pc).standard {
		macemcPointed(testrun.Timer, obj)
	} else {
		macemcOperatesTimer(obj, testrun.Other, me.due)
	}
	me.due = 0
}

// macemcShared reports whether other goroutines may access an address. The stack can move at a point, and then another goroutine may get
// the old one, so accesses to the own stack are not scheduling points, and the race detector sees them before that.
//
//go:nosplit
func macemcShared(addr uintptr) bool {
	gp := getg()
	return addr < gp.stack.lo || addr >= gp.stack.hi
}

func macemcRead1(addr uintptr) {
	if macemcT != nil && macemcT.memory {
		macemcPointed(testrun.Read, addr)
	}
}

func macemcWrite1(addr uintptr) {
	if macemcT != nil && macemcT.memory {
		macemcPointed(testrun.Write, addr)
	}
}
