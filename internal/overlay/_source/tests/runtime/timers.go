// Timers of a test: their numbers, those that may fire next, and how they fire one by one.

package runtime

import (
	testrun "internal/runtime"
	"unsafe"
)

// macemcTestArm assigns an armed timer its number, and its position among timers of the same instant. Those that end sleeps are first. They
// fire without a decision, because a goroutine that wakes later is as one that continues later. The explorer's own are last.
func macemcTestArm(t *timer) {
	gp := getg()
	_, sleep := t.arg.(*g)
	if gp.macemc.id <= macemcMain {
		t.macemcOrder = ^uint32(0)
	} else if !sleep {
		t.macemcOrder |= macemcNoSleep
	}
	if macemcStopped && gp == gp.m.curg && gp.macemc.id > macemcMain && !gp.macemc.test.bubbled && macemcT.refused == "" {
		macemcT.refused = "it sets a timer while a bubble of testing/synctest executes, outside that"
	}
	gp.macemc.test.armed++
	t.macemcWho = macemcMix(gp.macemc.id^gp.macemc.test.armed<<40)&^7 | macemcTimerBits
	if !sleep && !t.isChan && gp == gp.m.curg && gp.macemc.id > macemcMain {
		if o := macemcOriginOf(0, t.macemcWho, gp); o != nil {
			callers(1, o.stack[:])
		}
	}
}

const (
	macemcNoSleep   = 1 << 31
	macemcTimerBits = 3 // the low bits of the number of a timer; goroutines of a test have others
)

func macemcIsTimer(who uint64) bool { return who&7 == macemcTimerBits }

// macemcTimerWho returns the number of one of macemcTimers; another index stands for the passage of time.
func macemcTimerWho(i int) uint64 {
	if i < 0 || i >= macemcTimersN {
		return testrun.TimePasses
	}
	return (*timer)(unsafe.Pointer(macemcTimers[i])).macemcWho
}

// macemcFindTimer returns the index of a timer in macemcTimers, or -1.
func macemcFindTimer(who uint64) int {
	for i := range macemcTimersN {
		if macemcTimerWho(i) == who {
			return i
		}
	}
	return -1
}

// macemcIsDue reports whether a timer is due. It may be one that was stopped.
func macemcIsDue(b *synctestBubble) bool {
	next := b.timers.wakeTime()
	return next != 0 && next <= b.now
}

// macemcGather fills macemcTimers with the timers of the first instant up to the given one, except those that end sleeps. It returns that
// instant, and whether the timers end sleeps, too. The instant is 0 if there is none.
func macemcGather(b *synctestBubble, until int64) (at int64, sleeps bool) {
	macemcTimersN = 0
	ts := &b.timers
	if at = ts.wakeTime(); at != 0 && at <= until {
		at = macemcWakeTime(ts) // without timers that were stopped
	}
	if at == 0 || at > until {
		return 0, false
	}
	macemcGatherFrom(ts, 0, at)
	return at, ts.heap[0].timer.macemcOrder < macemcNoSleep
}

// macemcGatherFrom adds the timers of an instant in the part of the heap below an index, as many of the first as there is room for. The
// heap has the default order, so that no timer below one that comes too late is earlier.
func macemcGatherFrom(ts *timers, i int, at int64) {
	if i >= len(ts.heap) || ts.heap[i].when != at {
		return
	}
	if t := ts.heap[i].timer; t.macemcOrder >= macemcNoSleep && t.macemcOrder != ^uint32(0) {
		k, room := macemcTimersN, len(macemcTimers)
		if macemcT.policy == testrun.Default && len(macemcT.replayed) == 0 { // only the first timer and the existence of another count
			room = 2
		}
		before := func(k int) bool { return (*timer)(unsafe.Pointer(macemcTimers[k])).macemcOrder < t.macemcOrder }
		if k < room {
			macemcTimersN++
		} else {
			macemcT.long = macemcT.long || room > 2 // too many for a decision
			if k--; before(k) {
				return
			}
		}
		for ; k > 0 && !before(k-1); k-- {
			macemcTimers[k] = macemcTimers[k-1]
		}
		macemcTimers[k] = uintptr(unsafe.Pointer(t))
	}
	for k := range timerHeapN {
		macemcGatherFrom(ts, timerHeapN*i+1+k, at)
	}
}

// macemcNear gathers the timers that may fire at a point of the running goroutine, or where none runs, with nil: those that are due or, if
// none is, those of the next instant if it is near. It returns that instant; 0 means that none may fire. mayPass means that time may also
// pass to it without these.
func macemcNear(b *synctestBubble, gp *g) (at int64, mayPass bool) {
	t := macemcT
	if macemcSettle(b); macemcIsDue(b) {
		if at, _ = macemcGather(b, b.now); macemcTimersN > 0 {
			return at, false
		}
	}
	macemcTimersN = 0
	if macemcStopped {
		return 0, false
	}
	within, polled := macemcSince+t.within, int64(0)
	earlier := func(at int64) {
		if at > b.now && (polled == 0 || at < polled) {
			polled = at
		}
	}
	if gp != nil {
		earlier(gp.macemc.test.polled)
	}
	for i := macemcQ.start(); i >= 0; i = macemcQ.after(i) {
		earlier(macemcQ.at(i).gp.ptr().macemc.test.polled)
	}
	if at, mayPass = macemcGather(b, within); at == 0 && t.policy == testrun.Systematic {
		t.delays = t.delays || macemcWakeTime(&b.timers) != 0 || polled > within
	}
	if polled != 0 && polled <= within && (at == 0 || polled <= at) {
		if polled < at {
			macemcTimersN = 0
		}
		at, mayPass = polled, true
	}
	if macemcTimersN == 0 && !mayPass {
		at = 0
	}
	return at, mayPass
}

// macemcSettle fires the timers that are due and only end sleeps, up to the first other timer, and reports whether there were any.
func macemcSettle(b *synctestBubble) (fired bool) {
	for macemcIsDue(b) {
		if next := macemcWakeTime(&b.timers); next == 0 || next > b.now {
			break
		}
		if order := b.timers.heap[0].timer.macemcOrder; order >= macemcNoSleep && order != ^uint32(0) {
			break
		}
		macemcFireTop(b)
		fired = true
	}
	return fired
}

// macemcFire fires the timer of an index.
func macemcFire(b *synctestBubble, i int) {
	t := (*timer)(unsafe.Pointer(macemcTimers[i]))
	ts := &b.timers
	for k := range ts.heap {
		if ts.heap[k].timer == t {
			mp := acquirem()
			ts.lock()
			t.rand = 0
			ts.siftUp(k)
			ts.unlock()
			releasem(mp)
			break
		}
	}
	t.macemcFires++
	macemcLastWho, macemcLastAt = t.macemcWho, uint64(t.macemcFires)
	macemcT.hash = macemcMix(macemcT.hash ^ t.macemcWho ^ macemcLastAt<<40)
	macemcFiring = t
	macemcFireTop(b)
	macemcFiring = nil
	macemcSettle(b)
}

// macemcFireTop fires the first timer of a bubble, which is due.
func macemcFireTop(b *synctestBubble) {
	macemcFireBy(b, func() {
		b.timers.lock()
		if b.timers.run(b.now, b) != 0 {
			throw("no timer is due")
		}
		b.timers.unlock()
	})
}

// macemcFireBy calls a function that fires timers of a bubble. It clears the current goroutine meanwhile, so that goroutines of timers are
// not its children.
func macemcFireBy(b *synctestBubble, f func()) {
	lock(&b.mu)
	b.active++
	unlock(&b.mu)
	systemstack(func() {
		mp := getg().m
		curg := mp.curg
		mp.curg = nil
		f()
		mp.curg = curg
	})
	b.decActive()
}

// macemcFireDue is called before the next goroutine is taken from the queue. It fires timers, if the schedule takes them first, or chooses
// the goroutine. It needs a P.
//
//go:yeswritebarrierrec
func macemcFireDue() {
	for t := macemcT; t != nil && !t.over && macemcNext == 0 && macemcAgain == 0 && macemcQ.n > 0 && macemcSpecial == [2]guintptr{}; {
		b := macemcQ.at(macemcQ.start()).gp.ptr().bubble
		due, delays := macemcIsDue(b), macemcDelays()
		if !due && !delays {
			return
		}
		if due && macemcSettle(b) {
			continue
		}
		at, mayPass := macemcNear(b, nil)
		notDue := at > b.now
		if at == 0 || notDue && !delays {
			return
		}
		i, timer := macemcChoose(notDue, mayPass)
		if timer < 0 {
			macemcNext = macemcQ.at(i).gp
			return
		}
		if notDue {
			lock(&b.mu)
			b.now = at
			unlock(&b.mu)
			macemcSettle(b)
			macemcLastAt += testrun.PassedUnit
		}
		if timer < macemcTimersN {
			macemcFire(b, timer)
		}
	}
}

// macemcDelays reports whether time may pass, or does so in the followed schedule, before a goroutine continues that was preempted. At the
// point of that goroutine, others have executed operations since time could pass.
func macemcDelays() bool {
	switch macemcPolicy() {
	case testrun.Systematic:
		return true
	case testrun.Default:
		who := uint64(0)
		if len(macemcT.replayed) != 0 {
			who = macemcFollow(macemcLastWho, macemcLastAt|testrun.BlockedBit)
		}
		return who == testrun.TimePasses || macemcIsTimer(who)
	}
	passes := uint64(macemcT.passes)
	return passes != 0 && macemcMix(macemcT.seed^macemcMix(macemcLastWho^macemcMix(macemcLastAt)))%passes == 0
}

// macemcFireIdle fires timers of a bubble in which all goroutines wait: those that end sleeps or, if there are none, a timer that the
// schedule determines.
func macemcFireIdle(b *synctestBubble) {
	t := macemcT
	if t == nil || t.over {
		b.timers.check(b.now, b)
		return
	}
	if macemcSettle(b) || macemcQ.n > 0 {
		return
	}
	if macemcGather(b, b.now); macemcTimersN > 0 {
		_, timer := macemcChoose(false, false)
		macemcFire(b, timer)
	}
}

// macemcResetsAcross refuses a run in which a goroutine of the test resets a timer that was made outside the test, or the reverse. It
// reports whether the caller is a goroutine outside, whose call must have no effect.
func macemcResetsAcross(fake bool) bool {
	outside := getg().bubble == nil
	switch {
	case macemcT == nil || fake != outside:
		return false
	case outside:
		macemcRefuseOutside("a goroutine that a package has started resets a timer of the test")
		return true
	}
	macemcRefuseStarted("it resets a timer that was made outside the test")
	return false
}
