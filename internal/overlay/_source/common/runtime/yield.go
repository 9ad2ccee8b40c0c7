// Places where another goroutine may run, and goroutines that are held back until the next step.

package runtime

import _ "unsafe"

// macemcMaxGosched is the maximum number of runtime.Gosched calls of a goroutine in one step.
const macemcMaxGosched = 1000

// macemcSpin is called for runtime.Gosched. A goroutine that exceeds macemcMaxGosched must be waiting for something that does not happen in
// this step, so it waits for the next one.
func macemcSpin(gp *g) {
	if !macemcMine(gp) {
		return
	}
	if macemcT != nil {
		macemcTestSpin(gp)
		return
	}
	if gp.macemc.spinsAt != macemcCur.number {
		gp.macemc.spins, gp.macemc.spinsAt = 0, macemcCur.number
	}
	if gp.macemc.spins++; gp.macemc.spins <= macemcMaxGosched || gp.macemc.unscheduled != 0 {
		return
	}
	macemcAwaitStep(gp, macemcWaitBusy)
}

// Wait reasons for stacks.
const (
	macemcWaitHeld    waitReason = 100 + iota // it is held back
	macemcWaitBusy                            // it runs on and on without waiting, so it is stopped for a while
	macemcWaitOutside                         // nothing outside of its node can wake it
)

// macemcHoldBack holds a goroutine back until the next step.
func macemcHoldBack(gp *g) {
	macemcCur.heldBack++
	macemcAwaitStep(gp, macemcWaitHeld)
}

// macemcAwaitStep makes a goroutine wait for the next step.
func macemcAwaitStep(gp *g, why waitReason) {
	gp.macemc.nextStopped = macemcCur.stopped
	macemcCur.stopped.set(gp)
	gp.waitreason = why
	getg().m.waitTraceBlockReason = traceBlockSleep
	park_m(gp)
}

// macemcYield is called where another goroutine may run.
//
//go:linkname macemcYield
func macemcYield() {
	macemcTracePlace()
	if !macemcOn || macemcCur.mode == macemcFIFO {
		return
	}
	gp := getg()
	if gp.bubble == nil || gp.m.locks != 0 || gp != gp.m.curg || gp.macemc.unscheduled != 0 {
		return
	}
	gp.macemc.places++
	x := macemcMix(macemcCur.sched ^ macemcMix(gp.macemc.id<<40^gp.macemc.places))
	if macemcCur.mode == macemcPCT {
		if macemcCur.changes > 0 && x>>32%16 == 0 {
			gp.macemc.low, gp.macemc.lowAt = macemcLow+uint64(macemcCur.changes), macemcCur.number
			macemcCur.changes--
			if macemcTryHoldBack(gp) {
				return
			}
		}
		for at := macemcHead; at != 0; at = at.ptr().schedlink {
			if macemcPriority(at.ptr()) > macemcPriority(gp) {
				macemcCur.yields++
				goyield()
				return
			}
		}
		return
	}
	if macemcCur.every != 0 && x>>32%uint64(macemcCur.every) == 0 {
		macemcCur.yields++
		if (x%4 != 0 || !macemcTryHoldBack(gp)) && macemcHead != 0 {
			goyield()
		}
	}
}

// macemcTryHoldBack holds the calling goroutine back until the next step if the schedule allows it. Other goroutines then handle the next
// input first.
func macemcTryHoldBack(gp *g) bool {
	if macemcCur.holdBacks == 0 || gp.macemc.id == macemcMain || gp.macemc.id == macemcRoot {
		return false
	}
	macemcCur.holdBacks--
	mcall(macemcHoldBack)
	return true
}

// macemc_resumeStopped resumes the goroutines that macemcAwaitStep has stopped.
func macemc_resumeStopped() {
	macemcCur.heldBack = 0
	for macemcCur.stopped != 0 {
		gp := macemcCur.stopped.ptr()
		macemcCur.stopped, gp.macemc.nextStopped = gp.macemc.nextStopped, 0
		goready(gp, 1)
	}
}
