//go:build race

// Reports to the race detector: stopped goroutines, runs, and calls of packages sync and sync/atomic.

package runtime

import (
	"internal/runtime/sys"
	"unsafe"
)

// macemcHear ends the section of a stopped goroutine in which the race detector ignores its synchronization.
func macemcHear(gp *g) {
	if gp.raceignore != 0 {
		gp.raceignore = 0
		racecall(&__tsan_go_ignore_sync_end, gp.racectx, 0, 0, 0)
	}
}

// macemcBetween is the object by which macemcOrder synchronizes goroutines.
var macemcBetween uintptr

// macemcOrder is called before package variables are restored, and before a run. What earlier runs have done happens before what goroutines
// outside the test and timers do next, because the locks that would order them are restored. What goroutines outside have done for earlier
// runs happens before the run.
func macemcOrder() {
	at := unsafe.Pointer(&macemcBetween)
	each := func(f func(gp *g)) {
		forEachG(func(gp *g) {
			if gp.racectx == 0 || !macemcOutsider(gp) {
				return
			}
			if gp.raceignore == 0 {
				f(gp)
				return
			}
			racecall(&__tsan_go_ignore_sync_end, gp.racectx, 0, 0, 0)
			f(gp)
			racecall(&__tsan_go_ignore_sync_begin, gp.racectx, 0, 0, 0)
		})
	}
	each(func(gp *g) {
		if gp.macemc.test.actsForTest != macemcUnused {
			racereleasemergeg(gp, at)
		}
	})
	raceacquire(at)
	racereleasemerge(at)
	each(func(gp *g) { raceacquireg(gp, at) })
	if ctx := getg().m.p.ptr().timers.raceCtx; ctx != 0 {
		raceacquirectx(ctx, at)
	}
}

// macemcAtomicCalled records the call at e of a function of package sync/atomic, for racecallatomic.
func macemcAtomicCalled(e *macemcCaller) {
	if me := &getg().macemc; !e.within {
		me.caller, me.inside = macemcBeyondWrappers(e), 0
	} else if me.inside == 0 {
		me.inside = e.pc
	}
}

// macemcAtomicBegins records that the function of package sync/atomic that calls it is the one that was called.
//
//go:noinline
func macemcAtomicBegins() {
	if me := &getg().macemc; me.inside == 0 {
		me.inside = sys.GetCallerPC()
	}
}

// macemcLockCalled records the caller of a method of a lock.
func macemcLockCalled(caller uintptr) {
	if e := macemcCallerAt(caller); !e.within {
		me := &getg().macemc
		me.caller, me.inside = macemcBeyondWrappers(e), 0
	}
}

// macemcLockCaller returns the recorded caller if pc is in a method of a lock, else 0.
func macemcLockCaller(pc uintptr) uintptr {
	if macemcCallerAt(pc).within {
		return getg().macemc.caller
	}
	return 0
}

// macemcCallBegin adds the caller of a function of package sync to the stack in the race detector, which does not see these calls.
func macemcCallBegin(caller uintptr) { racefuncenter(macemcBeyondWrappers(macemcCallerAt(caller))) }

// macemcCallEnd is called when that function returns.
func macemcCallEnd() { racefuncexit() }
