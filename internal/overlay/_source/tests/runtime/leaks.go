// Goroutines that nothing can wake.

package runtime

import (
	"internal/goarch"
	"internal/runtime/atomic"
	"unsafe"
)

// macemcFindUnwakable finds the goroutines of a bubble that nothing can wake, as the runtime's leak detection does.
// Nothing that they wait for is reachable from package variables, from live variables of a goroutine that is runnable,
// can be woken, or is outside, or for a finalizer that may run. It sets unwakable of each goroutine of the bubble, and
// reports whether there are any.
func macemcFindUnwakable(b *synctestBubble) (found bool) {
	waiting, run := macemcWaitingIn(b)
	macemcTidy(&b.timers)
	stw := stopTheWorldGC(stwUnknown)
	o, first := macemcRoots(b)
	for _, gp := range run {
		o.stack(gp)
	}
	weaks := macemcWeaks()
	for i, more := first, true; more; {
		for ; i < len(o.kept); i++ {
			o.pointers(uintptr(o.kept[i]))
		}
		more = o.weak(weaks)
		for _, gp := range waiting {
			if gp.macemc.test.unwakable && o.wakes(gp) {
				gp.macemc.test.unwakable, more = false, true
				o.stack(gp)
			}
		}
		more = more || o.endings(waiting, first)
	}
	startTheWorldGC(stw)
	for _, gp := range waiting {
		found = found || gp.macemc.test.unwakable
	}
	return found
}

// macemcRoots returns the objects that package variables and the timers of a bubble reference. Those before first are not scanned.
func macemcRoots(b *synctestBubble) (o *macemcObjects, first int) {
	for sweepone() != ^uintptr(0) {
	}
	o = &macemcObjects{table: make([]uintptr, 1<<12)}
	macemcSkipRuntime(o)
	forEachGRace(func(gp *g) { // these reference what they wait for, and are not reachable from it
		if gp.bubble == b {
			for s := gp.waiting; s != nil; s = s.waitlink {
				o.add(uintptr(unsafe.Pointer(s)))
				if s.c.get() == nil {
					break
				}
			}
		}
	})
	for i := range semtable {
		o.skipWaiters(semtable[i].root.treap)
	}
	o.add(uintptr(unsafe.Pointer(macemcT)))
	first = len(o.kept)
	for m := &firstmoduledata; m != nil; m = m.next {
		o.scan(m.data, m.edata)
		o.scan(m.bss, m.ebss)
	}
	for _, t := range b.timers.heap {
		o.add(uintptr(unsafe.Pointer(t.timer)))
	}
	return o, first
}

// macemcWaitingIn returns the goroutines of a bubble that wait for others, and marks them as unwakable. It also returns the goroutines that
// keep objects alive: the rest of the bubble, and all outside it.
func macemcWaitingIn(b *synctestBubble) (waiting, run []*g) {
	forEachG(func(gp *g) {
		if macemcOutsider(gp) {
			run = append(run, gp)
		}
		if gp.bubble != b || gp.macemc.id <= macemcMain {
			return
		}
		gp.macemc.test.unwakable = false
		switch s := readgstatus(gp); {
		case s == _Gwaiting && !gp.macemc.test.halted && gp.waitreason != waitReasonSleep &&
			gp.waitreason != macemcWaitBusy && gp.waitreason != waitReasonIOWait:
			gp.macemc.test.unwakable = true
			waiting = append(waiting, gp)
		case s == _Gwaiting || s == _Grunnable:
			run = append(run, gp)
		}
	})
	return waiting, run
}

// weak adds the objects to which reachable weak pointers of a list point, and reports whether there are any.
func (o *macemcObjects) weak(list []macemcWeak) bool {
	before := len(o.kept)
	for _, w := range list {
		if w.handle.Load() != 0 && o.has(uintptr(unsafe.Pointer(w.handle))) {
			o.add(w.to)
		}
	}
	return len(o.kept) > before
}

// macemcWeak is a weak pointer.
type macemcWeak struct {
	handle *atomic.Uintptr
	to     uintptr
}

// macemcWeaks lists the weak pointers of the heap.
func macemcWeaks() (list []macemcWeak) {
	for i := 0; i < len(mheap_.allspans); i++ { // append may replace it
		span := mheap_.allspans[i]
		if span.state.get() != mSpanInUse {
			continue
		}
		for s := span.specials; s != nil; s = s.next {
			if s.kind == _KindSpecialWeakHandle {
				list = append(list, macemcWeak{(*specialWeakHandle)(unsafe.Pointer(s)).handle, span.base() + s.offset})
			}
		}
	}
	return list
}

// macemc_testLeaks reports whether the caller's bubble has goroutines of the test that nothing can wake.
func macemc_testLeaks() bool { return macemcFindUnwakable(getg().bubble) }

// skipWaiters skips the waiters of a tree of semaphores.
func (o *macemcObjects) skipWaiters(t *sudog) {
	if t == nil {
		return
	}
	o.skipWaiters(t.prev)
	o.skipWaiters(t.next)
	for ; t != nil; t = t.waitlink {
		o.add(uintptr(unsafe.Pointer(t)))
	}
}

// macemcScanned receives the pointers in blocks of memory that the collector's functions scan; nil means that the collector does.
var macemcScanned *macemcObjects

// stack adds the objects that live variables of a stopped goroutine, or of the caller, reference. Stale words of the stack do not count,
// because they differ between processes.
func (o *macemcObjects) stack(gp *g) {
	pp := getg().m.p.ptr()
	size, n, shrinks := pp.scannedStackSize, pp.scannedStacks, gp.preemptShrink
	s, self := readgstatus(gp), gp == getg()
	if s != _Gwaiting && s != _Grunnable && s != _Gsyscall && !self {
		return // it has ended
	}
	systemstack(func() {
		why := gp.waitreason
		if self {
			casGToWaitingForSuspendG(gp, _Grunning, waitReasonGarbageCollectionScan)
			s = _Gwaiting
		}
		macemcScanned = o
		castogscanstatus(gp, s, s|_Gscan)
		scanstack(gp, &pp.gcw)
		casfrom_Gscanstatus(gp, s|_Gscan, s)
		macemcScanned = nil
		if self {
			casgstatus(gp, _Gwaiting, _Grunning)
			gp.waitreason = why
		}
	})
	pp.scannedStackSize, pp.scannedStacks, gp.preemptShrink = size, n, shrinks
}

// block adds the objects that words of a memory block reference: those that a mask marks, or all if it is nil. Pointers into the stack that
// is being scanned are recorded in its state.
func (o *macemcObjects) block(from, size uintptr, mask *uint8, stk *stackScanState, conservative bool) {
	for i := uintptr(0); i < size; i += goarch.PtrSize {
		if mask != nil {
			word := i / goarch.PtrSize
			if *addb(mask, word/8)>>(word%8)&1 == 0 {
				continue
			}
		}
		if p := *(*uintptr)(unsafe.Pointer(from + i)); stk != nil && stk.stack.lo <= p && p < stk.stack.hi {
			stk.putPtr(p, conservative)
		} else {
			o.add(p)
		}
	}
}

// wakes reports whether something reachable can wake a goroutine.
func (o *macemcObjects) wakes(gp *g) bool {
	chans := false
	for s := gp.waiting; s != nil; s = s.waitlink {
		c := s.c.get()
		if c == nil {
			break
		}
		chans = true
		if c.timer != nil && c.timer.when > 0 || o.has(uintptr(unsafe.Pointer(c))) {
			return true
		}
	}
	switch gp.waitreason {
	case waitReasonChanReceiveNilChan, waitReasonChanSendNilChan, waitReasonSelectNoCases, waitReasonSelect, waitReasonSynctestSelect:
		return false
	}
	return !chans && gp.macemc.test.obj != 0 && o.has(gp.macemc.test.obj)
}
