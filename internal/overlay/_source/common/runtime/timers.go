// The clock of a bubble, and the order of timers of the same instant.

package runtime

// macemcClockRead records that the program reads the clock.
func macemcClockRead() {
	if gp := getg(); macemcMine(gp) && gp.macemc.id > macemcMain && gp.macemc.unscheduled == 0 {
		macemcCur.readClock = true
	}
}

// macemcArm assigns an armed timer its position among timers of the same instant: in the order of arming, or at random.
func macemcArm(t *timer) {
	if !t.isFake {
		return
	}
	if ts := &getg().bubble.timers; ts.zombies.Load() > 1<<12 && uint32(ts.zombies.Load()) > ts.len.Load()/2 {
		macemcTidy(ts)
	}
	switch {
	case !macemcOn:
		t.macemcOrder = cheaprand()
	case macemcCur.mode != macemcFIFO:
		macemcCur.timers++
		t.macemcOrder = uint32(macemcMix(macemcCur.sched ^ uint64(macemcCur.timers)))
	default:
		macemcCur.timers++
		t.macemcOrder = macemcCur.timers
		if macemcT != nil {
			macemcTestArm(t)
		}
	}
}

// macemcTidy removes stopped timers.
func macemcTidy(ts *timers) {
	mp := acquirem()
	ts.lock()
	ts.adjust(0, true)
	ts.unlock()
	releasem(mp)
}

// macemcWakeTime returns the time at which the first of the timers fires.
func macemcWakeTime(ts *timers) int64 {
	if ts.zombies.Load() != 0 || ts.minWhenModified.Load() != 0 {
		macemcTidy(ts)
	}
	return ts.wakeTime()
}

func macemcNano() int64 {
	if gp := getg(); gp.bubble != nil {
		return gp.bubble.now
	}
	return nanotime()
}

// macemc_next returns the time at which the first timer of the caller's bubble fires. It returns 0 if there is none, or only timers that
// never fire, for which programs use the maximum duration.
func macemc_next() int64 {
	next := macemcWakeTime(&getg().bubble.timers)
	if next == maxWhen {
		return 0
	}
	return next
}

// macemc_jump sets the clock of the caller's bubble and fires the timers that are due by then, late.
func macemc_jump(to int64) { macemcAdvance(getg(), to) }
