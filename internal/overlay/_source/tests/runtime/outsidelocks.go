// Locks that goroutines outside the test hold, and the objects that these wait for, which no run restores.

package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// macemcSync is the part of a Cond or WaitGroup in the snapshot that records who waits. It is not restored if goroutines outside the test
// wait for it.
type macemcSync struct {
	from, size uintptr
	cond       bool
	now        [32]byte
}

// macemcOutsideLocks records that a goroutine outside bubbles has acquired a lock.
func macemcOutsideLocks(gp *g, lock uintptr) {
	if macemcInit.explored {
		gp.macemc.test.replaceLock(0, lock)
	}
}

// macemcOutsideUnlocks records the release of a lock. If the given goroutine does not hold it, another one does.
func macemcOutsideUnlocks(gp *g, lock uintptr) {
	st := &macemcState // other locks do not matter
	if found := !macemcInit.explored || gp.macemc.test.replaceLock(lock, 0) || st.taken && st.region(lock) == nil; !found {
		forEachGRace(func(gp *g) { found = found || gp.macemc.test.replaceLock(lock, 0) })
	}
}

// replaceLock replaces an element of me.locks, and reports whether it was there. Another goroutine may do so concurrently.
func (me *macemcTestG) replaceLock(old, lock uintptr) bool {
	for i := range me.locks {
		if at := &me.locks[i]; atomic.Loaduintptr(at) == old && atomic.Casuintptr(at, old, lock) {
			return true
		}
	}
	return false
}

// macemcLockState has the fields of an RWMutex. A Mutex has the first two.
type macemcLockState struct {
	state                int32 // bit 0: locked; bit 1: a goroutine is awake and tries to lock it; above bit 2: number of those that wait
	sema, writer, reader uint32
	readerCount          int32 // minus macemcWriting if a goroutine holds or awaits the write lock
	readerWait           int32
}

const macemcWriting = 1 << 30

// locks calls f for the restored locks, as in macemcTestG.locks, that outsiders hold, with reason 0, and those that they wait for.
func (st *macemcStateType) locks(f func(gp *g, r *macemcRegion, lock uintptr, why waitReason)) {
	forEachGRace(func(gp *g) {
		if !macemcOutsider(gp) {
			return
		}
		call := func(lock uintptr, why waitReason) {
			if r := st.region(lock); r != nil {
				f(gp, r, lock, why)
			}
		}
		for _, lock := range gp.macemc.test.locks {
			call(lock, 0)
		}
		if s := gp.waiting; readgstatus(gp) == _Gwaiting && s != nil && s.c.get() == nil {
			switch sema := uintptr(s.elem.get()); gp.waitreason {
			case waitReasonSyncMutexLock:
				call(sema-unsafe.Offsetof(macemcLockState{}.sema), gp.waitreason)
			case waitReasonSyncRWMutexLock:
				call(sema-unsafe.Offsetof(macemcLockState{}.writer)+1, gp.waitreason)
			case waitReasonSyncRWMutexRLock:
				call(sema-unsafe.Offsetof(macemcLockState{}.reader)+1, gp.waitreason)
			}
		}
	})
}

// free makes the snapshot contain these locks as free.
func (st *macemcStateType) free() {
	st.locks(func(_ *g, r *macemcRegion, lock uintptr, _ waitReason) {
		clear(st.copies[r.copy+lock&^1-r.from:][:8+16*(lock&1)])
	})
}

// relock makes outsiders hold, or wait for, the restored locks that they hold or wait for in fact.
func (st *macemcStateType) relock() {
	st.locks(func(gp *g, _ *macemcRegion, lock uintptr, why waitReason) {
		switch l := (*macemcLockState)(unsafe.Pointer(lock &^ 1)); {
		case why == waitReasonSyncMutexLock:
			l.state += 8
		case why == waitReasonSyncRWMutexLock:
			l.readerCount -= macemcWriting
			st.locks(func(_ *g, _ *macemcRegion, held uintptr, why waitReason) {
				if held == lock && why == 0 {
					l.readerWait++
				}
			})
		case lock&1 == 0:
			l.state |= 1
		case why == 0 && gp.macemc.test.replaceLock(lock&^1, lock&^1): // the write lock
			l.readerCount -= macemcWriting
		default:
			l.readerCount++
		}
	})
}

// wake wakes the outsiders that wait for a lock which only goroutines of an ended run held, and reports whether there were any.
func (st *macemcStateType) wake() (some bool) {
	st.locks(func(gp *g, _ *macemcRegion, lock uintptr, why waitReason) {
		l := (*macemcLockState)(unsafe.Pointer(lock &^ 1))
		switch {
		case why == waitReasonSyncMutexLock && l.state&3 == 0:
			l.state += 2 - 8
			semrelease(&l.sema)
		case why == waitReasonSyncRWMutexLock && l.readerWait == 0:
			semrelease(&l.writer)
		case why == waitReasonSyncRWMutexRLock && l.readerCount >= 0:
			for readgstatus(gp) == _Gwaiting { // others may precede it
				semrelease(&l.reader)
			}
		default:
			return
		}
		some = true
	})
	return some
}

// await adds the Conds and WaitGroups that goroutines outside the test wait for.
func (st *macemcStateType) await() {
	forEachGRace(func(gp *g) {
		s := gp.waiting
		if gp.bubble != nil || readgstatus(gp) != _Gwaiting || s == nil || s.c.get() != nil {
			return
		}
		w := macemcSync{from: uintptr(s.elem.get())}
		switch gp.waitreason { // the address is that of a semaphore or, of a Cond, of its list
		case waitReasonSyncWaitGroupWait:
			w.from, w.size = w.from-8, 12
		case waitReasonSyncCondWait:
			w.size, w.cond = unsafe.Sizeof(notifyList{}), true
		default:
			return
		}
		for i := range st.nawaited {
			if st.awaited[i].from == w.from {
				return
			}
		}
		if st.objects.has(w.from) && st.nawaited < len(st.awaited) {
			st.awaited[st.nawaited] = w
			st.nawaited++
		}
	})
}

// macemcRelist makes the list of a Cond hold the goroutines outside the test that wait for it. Others have ended.
func macemcRelist(l *notifyList) {
	var waiters []*sudog
	forEachGRace(func(gp *g) {
		if s := gp.waiting; gp.bubble == nil && readgstatus(gp) == _Gwaiting && gp.waitreason == waitReasonSyncCondWait &&
			s.elem.get() == unsafe.Pointer(l) {
			waiters = append(waiters, s)
			for i := len(waiters) - 1; i > 0 && less(waiters[i].ticket, waiters[i-1].ticket); i-- {
				waiters[i], waiters[i-1] = waiters[i-1], waiters[i]
			}
		}
	})
	l.head, l.tail = nil, nil
	l.notify = l.wait.Load() - uint32(len(waiters))
	at := &l.head
	for i, s := range waiters {
		s.ticket, s.next = l.notify+uint32(i), nil
		*at, l.tail = s, s
		at = &s.next
	}
}

// macemcAwaited calls f for the objects that goroutines outside the test wait for.
func macemcAwaited(f func(uintptr)) {
	forEachGRace(func(gp *g) {
		for s := gp.waiting; s != nil; s = s.waitlink {
			f(uintptr(unsafe.Pointer(s)))
			c := s.c.get()
			if c == nil {
				break
			}
			f(uintptr(unsafe.Pointer(c)))
		}
	})
	for _, pp := range allp {
		for i := range pp.timers.heap {
			f(uintptr(unsafe.Pointer(pp.timers.heap[i].timer)))
		}
	}
}
