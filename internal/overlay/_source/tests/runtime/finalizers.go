// Finalizers and cleanup functions, which run outside the bubble of a test.

package runtime

import "internal/stringslite"

// macemcDrops reports whether a finalizer is dropped. That is the case for modules, while a test is explored.
func macemcDrops(fn *funcval) bool { return macemcT != nil && !macemcStandard(findfunc(fn.fn)) }

// macemcFinalizer reports whether a finalizer is ignored: those that the modules of an explored test set.
func macemcFinalizer(pc uintptr) bool { return macemcTested() && !macemcCallerAt(pc).standard }

// macemcCollected is called before a collection. What it frees depends on the process: finalizers, weak pointers and pools show it, and so
// do statistics of memory.
func macemcCollected() {
	var caller [1]uintptr
	if macemcTested() && callers(2, caller[:]) == 1 && !macemcCallerAt(caller[0]).standard {
		macemcRefuse("it calls runtime.GC")
	}
}

// macemcCleanup is called before a cleanup function is added to an object. The function would run outside the bubble. Those of the checker
// use no channels.
func macemcCleanup(pc uintptr) {
	if macemcTested() && !macemcCallerAt(pc).standard && !stringslite.HasPrefix(funcname(findfunc(pc)), "github.com/macemc/macemc/") {
		macemcRefuse("it adds cleanups to objects")
	}
}
