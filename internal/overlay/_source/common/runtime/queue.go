// The queue of the bubble's runnable goroutines, and who runs next.

package runtime

// macemcPut appends a goroutine of the bubble to the queue. A preempted goroutine is put at the front instead, so that it continues.
//
//go:nowritebarrierrec
func macemcPut(gp *g) {
	if macemcT != nil {
		macemcTestPut(gp)
		return
	}
	lock(&macemcLock)
	if gp.macemc.id == 0 {
		macemcCur.ids++
		gp.macemc.id = macemcCur.ids
	}
	front := macemcFront
	macemcFront = false
	if front {
		macemcOutsideTurn, macemcGoOn = true, true
		gp.schedlink = macemcHead
		macemcHead.set(gp)
		if macemcTail == 0 {
			macemcTail.set(gp)
		}
	} else {
		gp.schedlink = 0
		if macemcTail != 0 {
			macemcTail.ptr().schedlink.set(gp)
		} else {
			macemcHead.set(gp)
		}
		macemcTail.set(gp)
	}
	macemcQueued++
	unlock(&macemcLock)
}

// macemcParked records that a goroutine waits for something outside the bubble, during which others may overtake it. The main goroutine is
// exempt: it waits for the next step.
func macemcParked(gp *g) {
	if macemcT != nil && gp.bubble != nil {
		gp.macemc.test.sinceWait = 0
		if gp.waitreason != macemcWaitBusy {
			gp.macemc.test.reads = 0
		}
		macemcT.outside = macemcT.outside || !gp.waitreason.isIdleInSynctest()
		return
	}
	if gp.macemc.test.actsForTest == macemcActing {
		macemcActingWaits(gp)
	}
	if macemcOn && macemcCur.places != nil {
		macemcPlace(gp)
	}
	if macemcMine(gp) && gp.macemc.id != macemcMain && !gp.waitreason.isIdleInSynctest() {
		macemcCur.outside.count++
		macemcCur.outside.last, macemcCur.outside.why = gp.macemc.id, uint8(gp.waitreason)
	}
}

//go:nowritebarrierrec
func macemcEmpty() bool { return macemcQueued == 0 }

// macemcShare is the number of turns after which other goroutines of the process get one. Preemption does not affect goroutines that keep
// switching, and would never let the watchdog of the time limit run.
const macemcShare = 1 << 10

// macemcGet removes the goroutine that runs next from the queue.
//
//go:nowritebarrierrec
func macemcGet(pp *p) *g {
	if macemcT != nil {
		return macemcTestGet(pp)
	}
	if macemcHead == 0 || macemcOthersTurn(pp) {
		return nil
	}
	lock(&macemcLock)
	var before guintptr
	if macemcQueued > 1 && macemcCur.mode != macemcFIFO && !macemcGoOn {
		before = macemcPick()
	}
	macemcGoOn = false
	var gp *g
	if before == 0 {
		gp = macemcHead.ptr()
		macemcHead = gp.schedlink
	} else {
		gp = before.ptr().schedlink.ptr()
		before.ptr().schedlink = gp.schedlink
	}
	if macemcTail.ptr() == gp {
		macemcTail = before
	}
	gp.schedlink = 0
	macemcQueued--
	unlock(&macemcLock)
	return gp
}

// macemcOthersTurn begins a turn, and reports whether it is one of another goroutine of the process.
func macemcOthersTurn(pp *p) bool {
	if macemcTurns++; macemcTurns%macemcShare == 0 {
		macemcOutsideTurn = true
	}
	other := macemcOutsideTurn
	macemcOutsideTurn = false
	return other && !macemcNoOthers(pp)
}

// macemcNoOthers reports whether no goroutine outside the bubble is runnable.
func macemcNoOthers(pp *p) bool {
	return pp.runnext == 0 && pp.runqhead == pp.runqtail && sched.runq.empty()
}

// macemcPick returns the predecessor in the queue of the goroutine that is to run. 0 means that the first one runs.
//
//go:nowritebarrierrec
func macemcPick() (before guintptr) {
	if macemcCur.mode == macemcPCT {
		at, best := macemcHead, macemcPriority(macemcHead.ptr())
		for next := at.ptr().schedlink; next != 0; next = at.ptr().schedlink {
			if p := macemcPriority(next.ptr()); p > best {
				before, best = at, p
			}
			at = next
		}
		return before
	}
	macemcPicks++
	k := (macemcMix(macemcCur.sched^macemcPicks<<20) >> 32) * uint64(macemcQueued) >> 32
	for at := macemcHead; k > 0; k-- {
		before = at
		at = at.ptr().schedlink
	}
	return before
}

//go:nosplit
func macemcPriority(gp *g) uint64 {
	if gp.macemc.low != 0 && gp.macemc.lowAt == macemcCur.number {
		return gp.macemc.low
	}
	return macemcMix(macemcCur.sched^gp.macemc.id) | 1<<63
}

// macemcLow separates the priorities of goroutines that called runtime.Gosched, which are below it, from other changed priorities.
const macemcLow = 1 << 32

// macemcGosched is called when a running goroutine returns to the queue. After a call of runtime.Gosched the goroutine has the lowest
// priority. Otherwise PCT would always choose it again.
//
//go:nowritebarrierrec
func macemcGosched(gp *g, preempted bool) {
	macemcFront = preempted && macemcMine(gp)
	if !preempted && macemcMine(gp) && macemcCur.mode == macemcPCT {
		macemcCur.resigns++
		gp.macemc.low, gp.macemc.lowAt = macemcLow-uint64(macemcCur.resigns), macemcCur.number
	}
}
