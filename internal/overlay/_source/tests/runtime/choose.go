// The choice after a goroutine that cannot continue, and how goroutines enter and leave the queue of runnable ones.

package runtime

import testrun "internal/runtime"

// macemcSpinMax is the number of points without waiting after which a goroutine stops until all others wait. In a hurried run, in which a
// thousand others may be busy, it is macemcHurriedSpinMax after macemcLong points.
const (
	macemcSpinMax        = 2000
	macemcHurriedSpinMax = 20
)

// macemcMaySpin returns that number.
func macemcMaySpin() uint32 {
	if t := macemcT; t.hurried && t.points > macemcLong {
		return macemcHurriedSpinMax
	}
	return macemcSpinMax
}

// macemcTestPause stops a goroutine until all others wait.
func macemcTestPause(gp *g) {
	if macemcCur.stopped == 0 {
		macemcPausedLimit = gp.bubble.now + macemcT.within
	}
	macemcAwaitStep(gp, macemcWaitBusy)
}

// macemcPauseHere is macemcTestPause for the running goroutine. The operation that ends a pause does not order the next one.
func macemcPauseHere(gp *g) {
	mcall(macemcTestPause)
	gp.macemc.test.waker = 0
}

// macemcTestSpin is called for runtime.Gosched.
func macemcTestSpin(gp *g) {
	t, me := macemcT, &gp.macemc.test
	if gp.macemc.id <= macemcMain || t.over {
		return
	}
	t.points++
	macemcWorked += macemcPointTime
	macemcExecuted(gp)
	me.places++
	me.turns = 0
	me.op, me.obj = testrun.Gosched, 0
	macemcLastAt = me.places
	switch t.policy {
	case testrun.PCT:
		macemcCur.resigns++
		me.low = macemcLow - uint64(macemcCur.resigns)
	case testrun.Local:
		me.low = 1
	}
	if me.sinceWait++; me.sinceWait > macemcMaySpin() || t.points > t.limit {
		t.noEnd = t.noEnd || t.points > t.limit
		me.sinceWait, me.halted = 0, t.noEnd
		macemcTestPause(gp)
	}
}

// macemcGoroutineEnds is called when a goroutine ends.
func macemcGoroutineEnds(gp *g) {
	if t := macemcT; t != nil && !t.over && gp.macemc.id > macemcMain {
		i := uint32(0)
		for i < t.nended && t.ended[i] != gp.macemc.test.from {
			i++
		}
		if i == t.nended && i < uint32(len(t.ended)) {
			t.ended[i] = gp.macemc.test.from
			t.nended++
		}
	}
	macemcTraceState(gp, macemcGEnds, 0)
	if t := macemcT; t != nil && len(t.pointCounts) != 0 && gp.macemc.id > macemcMain {
		if w := macemcWeightOf(t.pointCounts, gp.macemc.id); w != nil {
			w.Who, w.Points = gp.macemc.id, max(w.Points, gp.macemc.test.places)
		}
	}
	if gp.macemc.test.actsForTest == macemcActing {
		macemcActingN.Add(-1)
	}
	gp.macemc = macemcG{}
}

// macemcTestPut is macemcPut for a goroutine of a test. Its number is a hash of its parent's number and of how many goroutines the parent
// had started.
//
//go:nowritebarrierrec
func macemcTestPut(gp *g) {
	lock(&macemcLock)
	macemcQueued++
	if macemcFront {
		macemcFront, macemcOutsideTurn = false, true
		macemcAgain.set(gp)
		unlock(&macemcLock)
		return
	}
	waker, starts := getg().m.curg, gp.macemc.id == 0
	if starts {
		macemcCur.ids++
		gp.macemc.test.number, gp.macemc.test.from = macemcCur.ids, macemcFrom(waker, gp.gopc)
		if parent := waker; parent != nil && parent.bubble == gp.bubble && parent.macemc.id > macemcMain {
			parent.macemc.test.children++
			gp.macemc.id = macemcMix(parent.macemc.id ^ parent.macemc.test.children<<48)
			gp.macemc.test.bubbled = parent.macemc.test.bubbled
			if o := macemcOriginOf(gp.macemc.test.number, 0, parent); o != nil {
				gcallers(parent, 0, o.stack[:])
			}
		} else if f := macemcFiring; f != nil {
			macemcOriginOf(gp.macemc.test.number, f.macemcWho, nil)
			gp.macemc.id = macemcMix(f.macemcWho ^ uint64(f.macemcFires)<<48)
			gp.macemc.test.bubbled = macemcStopped
		} else {
			macemcChildren++
			gp.macemc.id = macemcMix(macemcChildren)
		}
		gp.macemc.id |= 4
	}
	if waker != nil && waker.bubble == nil && gp.macemc.id > macemcMain {
		macemcT.outside = true
	}
	macemcWokenBy(waker, gp, starts)
	if macemcT.traced {
		by := uint64(0)
		if waker != nil && waker != gp && waker.bubble == gp.bubble && waker.macemc.id > macemcMain {
			by = waker.macemc.test.number
			gp.macemc.test.by, gp.macemc.test.byAt = by, waker.macemc.test.places
		}
		macemcTraceState(gp, macemcGReady, by)
	}
	if id := gp.macemc.id; id <= macemcMain {
		macemcSpecial[id-macemcRoot].set(gp)
	} else {
		macemcQ.add(gp)
	}
	unlock(&macemcLock)
}

// macemcTestGet removes the goroutine that runs next from the queue.
//
//go:nowritebarrierrec
func macemcTestGet(pp *p) *g {
	if gp := macemcRan.ptr(); gp != nil {
		macemcRan = 0
		if readgstatus(gp) == _Gwaiting {
			macemcTraceState(gp, macemcGParks, macemcHolder(gp.macemc.id))
		}
	}
	if macemcQueued == 0 || macemcOthersTurn(pp) {
		return nil
	}
	lock(&macemcLock)
	gp := macemcTestRemove(pp)
	macemcQueued--
	if macemcT.traced {
		macemcRan.set(gp)
	}
	unlock(&macemcLock)
	return gp
}

func macemcTestRemove(pp *p) *g {
	if gp := macemcAgain.ptr(); gp != nil {
		macemcAgain = 0
		return gp
	}
	for i := range macemcSpecial {
		if gp := macemcSpecial[i].ptr(); gp != nil && macemcNext == 0 {
			macemcSpecial[i] = 0
			return gp
		}
	}
	var i int
	if next := macemcNext.ptr(); next != nil {
		macemcNext = 0
		if id := next.macemc.id; id <= macemcMain {
			macemcSpecial[id-macemcRoot] = 0
			return next
		}
		i = next.macemc.test.entry
	} else {
		macemcTimersN = 0
		i, _ = macemcChoose(false, false)
	}
	gp, obj := macemcQ.at(i).gp.ptr(), macemcQ.at(i).obj
	macemcQ.remove(i)
	macemcFreshBlock(pp)
	if macemcT.policy == testrun.POS && !macemcT.over {
		macemcQ.redraw(obj)
	}
	me := &gp.macemc.test
	me.delayed += gp.bubble.now - me.readyAt
	me.turns++
	macemcTestTurns++
	if macemcT.policy == testrun.Local { // only a call of Gosched precedes others, once
		me.low = 0
	}
	who := gp.macemc.id
	if who != macemcLastWho && !macemcT.over { // the order in which goroutines end depends on garbage collection
		macemcT.hash = macemcMix(macemcT.hash ^ who ^ me.places<<40)
	}
	macemcLastWho, macemcLastAt = who, me.places|me.turns<<40
	return gp
}

// macemcChoose picks what comes after a goroutine that cannot continue: the next goroutine, by its index in the queue, or one of
// macemcTimers. timer is -1 for a goroutine. In the default order, timers that are due precede goroutines. notDue means that the timers are
// not due, and mayPass that time may pass without them; timer is macemcTimersN then.
func macemcChoose(notDue, mayPass bool) (entry, timer int) {
	t := macemcT
	n := macemcTimersN + macemcQ.n
	if mayPass {
		n++
	}
	entry, timer = macemcOptionAt(0, notDue)
	if n == 1 && !t.reduce || t.over || t.cut {
		return entry, timer
	}
	if !notDue && n > 1 || macemcQ.n > 1 {
		t.choices++
	}
	macemcTestPick++
	policy, x := macemcPolicy(), macemcMix(t.seed^macemcTestPick<<20)
	switch drawn := int((x >> 32) * uint64(n) >> 32); {
	case t.directed:
		if timer < 0 && macemcQ.n > 1 {
			entry = macemcFirstInOrder()
		}
	case policy == testrun.Default:
		return macemcFollowChoice(entry, timer, mayPass)
	case policy == testrun.Systematic:
		entry, timer = macemcOptionAt(macemcDecide(nil, notDue, mayPass), notDue)
	case policy == testrun.Random || notDue && drawn >= macemcQ.n || !notDue && drawn < macemcTimersN: // a timer or the passage of time
		entry, timer = macemcOptionAt(drawn, notDue)
	case policy == testrun.PCT || policy == testrun.POS || policy == testrun.Local:
		entry, timer = macemcQ.highest(), -1
	case policy == testrun.SURW:
		entry, timer = macemcWeightedPick(nil, x), -1
	}
	if e, k := macemcOptionAt(0, notDue); e != entry || k != timer {
		macemcRecord(macemcLastWho, macemcLastAt|testrun.BlockedBit, macemcChosen(entry, timer))
	}
	return entry, timer
}

// macemcChosen returns the timer, or the goroutine of an entry of the queue if timer is negative.
func macemcChosen(entry, timer int) uint64 {
	if timer < 0 {
		return macemcQ.at(entry).who
	}
	return macemcTimerWho(timer)
}

// macemcFollowChoice returns the recorded choice of macemcChoose, or the given one if there is none.
func macemcFollowChoice(entry, timer int, mayPass bool) (int, int) {
	t := macemcT
	if len(t.replayed) == 0 {
		return entry, timer
	}
	who := macemcFollow(macemcLastWho, macemcLastAt|testrun.BlockedBit)
	if k := macemcFindTimer(who); k >= 0 {
		entry, timer = -1, k
	} else if who == testrun.TimePasses && mayPass {
		entry, timer = -1, macemcTimersN
	} else if at := macemcQ.find(who); at >= 0 {
		entry, timer = at, -1
	} else {
		return entry, timer
	}
	t.followed++
	return entry, timer
}

// macemcOptionAt returns option number i of macemcChoose, starting at 0.
func macemcOptionAt(i int, notDue bool) (entry, timer int) {
	switch {
	case notDue && i < macemcQ.n:
		return macemcQ.nth(i), -1
	case notDue:
		return -1, i - macemcQ.n
	case i < macemcTimersN:
		return -1, i
	case i == macemcTimersN:
		return macemcQ.start(), -1
	}
	return macemcQ.nth(i - macemcTimersN), -1
}
