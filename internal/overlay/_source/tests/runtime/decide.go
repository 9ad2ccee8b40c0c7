// The decision at a point: the running goroutine continues, another one does, or a timer fires.

package runtime

import testrun "internal/runtime"

// A point is an operation before which another goroutine may run (points.go). A place is the number of a point of one goroutine. Switches
// are recorded by places (record.go). A turn of a goroutine lasts until another one runs. A goroutine that passes macemcSpinMax points
// without waiting is paused until all others wait. clock.go decides how time passes.
//
// macemcT is the run with its settings (run.go). macemcQ is the queue of runnable goroutines (queue.go). macemcCur is the part of the run's
// state that is like that of a node's step: goroutines, locks, priorities (step.go of the overlay's common files).

// macemcLong is the number of points after which a random walk orders the run. It lets no goroutine starve.
const macemcLong = 100_000

// macemcDueEvery is the number of points, on average, that a timer which is due waits for while a goroutine runs.
const macemcDueEvery = 4

// macemcFairness is the number of points without waiting after which a priority drops.
const macemcFairness = 200

// macemcDecidePoint decides at a point whether the running goroutine continues, or which one runs instead.
func macemcDecidePoint(gp *g, op testrun.Op, obj uintptr, w *macemcWhere) {
	t, me := macemcT, &gp.macemc.test
	if t.points > t.limit {
		t.noEnd = true
		macemcStop(gp)
		return
	}
	if me.sinceWait++; me.sinceWait > macemcMaySpin() && !t.unfair {
		me.sinceWait = 0
		macemcPauseHere(gp)
		return
	}
	macemcWorks(gp, op)
	if macemcQ.n > 0 || macemcIsDue(gp.bubble) {
		t.choices++
	}
	if macemcHoldNext(gp, op, w) {
		return
	}
	to, place := -1, me.places
	switch macemcPolicy() {
	case testrun.Default:
		if len(t.replayed) != 0 {
			to, place = macemcFollowNext(gp)
		}
	case testrun.Systematic:
		to, place = macemcPlanNext(gp)
	default:
		to, place = macemcPickNext(gp, op, obj)
	}
	if to < 0 {
		return
	}
	next := macemcQ.at(to)
	macemcRecord(gp.macemc.id, place, next.who)
	macemcNext = next.gp
	goyield()
}

// macemcFollowNext takes what comes next at a point of the running goroutine from the recorded switches. Results are as for macemcPickNext.
func macemcFollowNext(gp *g) (to int, place uint64) {
	place = gp.macemc.test.places
	who := macemcFollow(gp.macemc.id, place)
	for ; who == testrun.TimePasses || macemcIsTimer(who); who = macemcFollow(gp.macemc.id, place) {
		at, _ := macemcNear(gp.bubble, gp)
		if i := macemcFindTimer(who); at != 0 && (i >= 0 || who == testrun.TimePasses) {
			macemcElapse(gp, at, i)
		}
		place += 1 << 40
	}
	if who == testrun.Pauses {
		macemcT.followed++
		macemcPauses = true
		macemcPauseHere(gp)
		return -1, place
	}
	if to = macemcQ.find(who); to >= 0 {
		macemcT.followed++
	}
	return to, place
}

// macemcPlanNext takes what comes next at a point of the running goroutine from the plan. Results are as for macemcPickNext.
func macemcPlanNext(gp *g) (to int, place uint64) {
	place = gp.macemc.test.places
	for {
		at, mayPass := macemcNear(gp.bubble, gp)
		k := macemcDecide(gp, true, mayPass)
		switch {
		case macemcT.cut:
			macemcStop(gp)
			return -1, place
		case k == 0:
			return -1, place
		case k <= macemcQ.n:
			return macemcQ.nth(k - 1), place
		}
		i := k - 1 - macemcQ.n
		macemcRecord(gp.macemc.id, place, macemcTimerWho(i))
		macemcElapse(gp, at, i)
		place += 1 << 40
	}
}

// macemcPickNext draws what comes next at a point of the running goroutine. A timer may fire first. It returns the index of the goroutine
// that continues, or -1 for the running one, and the place.
func macemcPickNext(gp *g, op testrun.Op, obj uintptr) (to int, place uint64) {
	t, me := macemcT, &gp.macemc.test
	place = me.places
	if macemcPolicy() == testrun.PCT {
		for i, at := range &t.drops {
			if at == t.points {
				me.low = uint64(1 + i)
			}
		}
		if me.sinceWait%macemcFairness == 0 {
			macemcCur.resigns++
			me.low = macemcLow - uint64(macemcCur.resigns)
		}
	}
	to, fires := macemcDrawNext(gp, op, place, macemcMayFire(gp), false)
	if fires && macemcElapseAny(gp) {
		place += 1 << 40
		to, _ = macemcDrawNext(gp, op, place, false, true)
	}
	if to < 0 && macemcPolicy() == testrun.POS {
		macemcQ.redraw(obj)
	}
	return to, place
}

// macemcDrawNext draws what comes next at a place of the running goroutine: a timer fires, or the goroutine of an index continues, or the
// running one, with index -1. clock means that a timer may fire. fired means that one has fired there, so that the choice is free again.
func macemcDrawNext(gp *g, op testrun.Op, place uint64, clock, fired bool) (to int, fires bool) {
	t, n := macemcT, macemcQ.n
	x := macemcMix(t.seed ^ macemcMix(gp.macemc.id^place<<24^place>>40))
	switch policy := macemcPolicy(); policy {
	case testrun.Random:
		if !fired && (t.every == 0 || x>>32%uint64(t.every) != 0) {
			break
		}
		options := n
		if clock || fired { // the last option is the timer or the running goroutine
			options++
		}
		if k := int(uint64(uint32(x)) * uint64(options) >> 32); k < n {
			return macemcQ.nth(k), false
		}
		return -1, clock
	case testrun.PCT, testrun.POS:
		to, best := -1, macemcTestPriority(gp)
		if n > 0 {
			if i := macemcQ.highest(); macemcQ.at(i).prio > best {
				to, best = i, macemcQ.at(i).prio
			}
		}
		if clock && macemcClockPriority() > best {
			return -1, true
		}
		if to >= 0 {
			return to, false
		}
	case testrun.SURW:
		if n == 0 || !fired && t.ops>>op&1 == 0 && (t.every == 0 || x>>32%uint64(t.every) != 0) { // an operation that does not count
			break
		}
		if to := macemcWeightedPick(gp, x); to >= 0 {
			return to, false
		}
	}
	if clock {
		x := macemcMix(t.seed ^ t.points<<13)
		fires = x%macemcDueEvery == 0 && macemcIsDue(gp.bubble) || t.passes != 0 && x%uint64(t.passes) == 0
	}
	return -1, fires
}

// macemcClockPriority returns the priority of the timers, which compete with goroutines under PCT and POS.
func macemcClockPriority() uint64 {
	if macemcT.policy == testrun.POS {
		return macemcMix(macemcT.seed ^ macemcMix(testrun.TimePasses^macemcElapsed<<24))
	}
	return macemcMix(macemcT.seed^testrun.TimePasses) | 1<<63
}

// macemcMayFire reports whether a timer may fire at a point of the running goroutine. It may be one that was stopped.
func macemcMayFire(gp *g) bool {
	b, t := gp.bubble, macemcT
	if macemcIsDue(b) {
		return true
	}
	if t.passes == 0 || macemcStopped {
		return false
	}
	next, within, polled := b.timers.wakeTime(), macemcSince+t.within, gp.macemc.test.polled
	if next != 0 && next <= within || polled > b.now && polled <= within {
		return true
	}
	t.delays = t.delays || next != 0 && macemcWakeTime(&b.timers) != 0 || polled > within
	return false
}

//go:nosplit
func macemcTestPriority(gp *g) uint64 {
	if macemcT.policy == testrun.POS {
		return macemcMix(macemcT.seed ^ macemcMix(gp.macemc.id^gp.macemc.test.places<<24))
	}
	if gp.macemc.test.low != 0 {
		return gp.macemc.test.low
	}
	if macemcT.policy == testrun.Local { // the goroutines of the latest turn first, in the order of their arrival
		return macemcTestTurns<<24 | (1<<24 - 1 - macemcQ.arrived&(1<<24-1))
	}
	return macemcMix(macemcT.seed^gp.macemc.id) | 1<<63
}

// macemcWeightedPick draws the goroutine that continues, weighted by the expected numbers of points left. It returns -1 for the caller.
func macemcWeightedPick(gp *g, x uint64) int {
	mine := uint64(0)
	if gp != nil {
		mine = macemcLeft(gp.macemc.id, gp.macemc.test.places)
	}
	k := (x >> 32) * (mine + macemcQ.weight) >> 32
	if k < mine {
		return -1
	}
	return macemcQ.weighted(k - mine)
}

// macemcLeft returns the expected number of points that a goroutine has left, at least 1.
func macemcLeft(who, places uint64) uint64 {
	t := macemcT
	if len(t.weights) == 0 {
		return 1
	}
	if w := macemcWeightOf(t.weights, who); w != nil && w.Who == who && w.Points > places {
		return w.Points - places
	}
	return 1
}

// macemcWeightOf returns the entry of a goroutine in a hash table of a length, or a free one; nil means that there is none nearby.
func macemcWeightOf(table []testrun.Weight, who uint64) *testrun.Weight {
	for i := range uint64(64) {
		if w := &table[(macemcMix(who)+i)&uint64(len(table)-1)]; w.Who == who || w.Who == 0 {
			return w
		}
	}
	return nil
}
