// Locks, their holders, and the goroutines that wait for them.

package runtime

import testrun "internal/runtime"

// macemcLockUse records that a goroutine holds a lock or waits for one.
type macemcLockUse struct {
	lock  uintptr
	gid   uint64
	since uint64 // number of goroutines that the node had had when this one acquired the lock
	state uint32 // bit 0: it holds the lock; bit 1: read lock
}

// macemcLocking records that the goroutine requests a lock.
func macemcLocking(lock uintptr, shared bool) {
	if !macemcOn {
		return
	}
	if macemcT != nil {
		op := testrun.Lock
		if shared {
			op = testrun.RLock
		}
		macemcPointed(op, lock)
	} else {
		macemcTracePlace()
		if macemcCur.mode != macemcFIFO && (!macemcOld.has(lock) || macemcOwn(lock)) {
			macemcYield()
		}
	}
	gp := getg()
	if it := macemcCur; gp.bubble != nil {
		if int(it.nlocks) == len(it.locks) {
			it.locksOverflowed = true
			return
		}
		h := &it.locks[it.nlocks]
		it.nlocks++
		h.lock, h.gid, h.since, h.state = lock, gp.macemc.id, 0, 0
		if shared {
			h.state = 2
		}
	}
}

// macemcLocked records that the goroutine has acquired the lock that it requested.
func macemcLocked(lock uintptr) {
	gp := getg()
	if gp.bubble == nil {
		macemcOutsideLocks(gp, lock)
		return
	}
	if !macemcOn {
		return
	}
	it := macemcCur
	mine := it.nlocks - 1
	for ; mine >= 0; mine-- {
		if h := &it.locks[mine]; h.lock == lock && h.gid == gp.macemc.id && h.state&1 == 0 {
			break
		}
	}
	if mine < 0 {
		macemcComplete(gp, testrun.TryLock, lock, true)
		return
	}
	it.locks[mine].state |= 1
	it.locks[mine].since = it.ids
	if it.locks[mine].state&2 == 0 { // earlier holders no longer hold it
		for i := it.nlocks - 1; i >= 0; i-- {
			if h := &it.locks[i]; i != mine && h.lock == lock && h.state&1 != 0 {
				macemcDrop(it, i)
			}
		}
	}
	macemcTraceHolder(lock)
}

// macemcUnlocking records the release of a lock, by whichever goroutine.
func macemcUnlocking(lock uintptr) {
	gp := getg()
	if gp.bubble == nil {
		macemcOutsideUnlocks(gp, lock)
		return
	}
	if !macemcOn {
		return
	}
	macemcPoint(testrun.Unlock, lock)
	it := macemcCur
	other := int32(-1)
	for i := it.nlocks - 1; i >= 0; i-- {
		h := &it.locks[i]
		if h.lock != lock || h.state&1 == 0 {
			continue
		}
		if other = i; h.gid == gp.macemc.id {
			break
		}
	}
	if other >= 0 {
		macemcDrop(it, other)
		macemcTraceHolder(lock)
	} else {
		macemcOutsideUnlocks(gp, lock)
	}
}

func macemcDrop(it *macemcStep, i int32) {
	it.nlocks--
	it.locks[i] = it.locks[it.nlocks]
}
