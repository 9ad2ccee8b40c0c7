// Finalizers and cleanup functions, which run outside the bubble of a test. Those of modules are not called while a test is explored: no
// collection has to happen before the end of a test that does not call for one.

package runtime

import (
	"internal/stringslite"
	"unsafe"
)

// macemcEnding is a finalizer or a cleanup function.
type macemcEnding struct {
	of      unsafe.Pointer // the object whose end calls it
	fn, arg unsafe.Pointer
	id      uint64 // of a cleanup function; 0 means a finalizer
}

// macemcEndingList has those that the modules of the explored test have set in a run.
type macemcEndingList struct {
	list        []macemcEnding
	cleanup     uint64 // the last id
	weak        bool   // modules have made weak pointers
	measured    bool   // statistics of memory have been read
	collections uint64 // calls of GC, which have collected nothing
}

var macemcEndings *macemcEndingList

// macemcInitiallyEnds means that modules have set finalizers or cleanup functions, or made weak pointers, when packages were initialized.
var macemcInitiallyEnds bool

// macemcFinalizer reports whether a function sets finalizers and cleanup functions that are not called: one of the
// modules of an explored test.
func macemcFinalizer(pc uintptr) bool {
	if macemcCallerAt(pc).standard {
		return false
	}
	macemcInitiallyEnds = macemcInitiallyEnds || macemcInits()
	return macemcTested()
}

// macemcSetFinalizer is SetFinalizer of an explored test.
func macemcSetFinalizer(obj, finalizer any) {
	e := macemcEnding{of: efaceOf(&obj).data, fn: efaceOf(&finalizer).data}
	e.arg = e.of
	macemcForget(e.of, 0)
	if e.fn != nil {
		macemcEndings.list = append(macemcEndings.list, e)
	}
}

// macemcForget removes a finalizer or a cleanup function.
func macemcForget(of unsafe.Pointer, id uint64) {
	list := macemcEndings.list
	for i := len(list) - 1; i >= 0; i-- {
		if e := list[i]; e.id == id && (id != 0 || e.of == of) {
			list[i] = list[len(list)-1]
			macemcEndings.list = list[:len(list)-1]
			return
		}
	}
}

// macemcCleanups is the place of a call of AddCleanup.
type macemcCleanups uintptr

// macemcCleanupID marks the ids of cleanup functions that are not called.
const macemcCleanupID = 1 << 63

// add is addCleanup. The cleanup functions of the checker use no channels.
func (pc macemcCleanups) add(p unsafe.Pointer, c cleanupFn) uint64 {
	if !macemcFinalizer(uintptr(pc)) || macemcChecker(uintptr(pc)) {
		return addCleanup(p, c)
	}
	macemcEndings.cleanup++
	id := macemcCleanupID | macemcEndings.cleanup
	macemcEndings.list = append(macemcEndings.list, macemcEnding{p, unsafe.Pointer(c.fn), c.arg, id})
	return id
}

// macemcStopsCleanup removes the cleanup function with an id, and reports whether it is one that is not called.
func macemcStopsCleanup(id uint64) bool {
	if id&macemcCleanupID == 0 {
		return false
	}
	if macemcTested() {
		macemcForget(nil, id)
	}
	return true
}

// macemcChecker reports whether a function is one of the checker.
func macemcChecker(pc uintptr) bool {
	return stringslite.HasPrefix(funcname(findfunc(pc)), "github.com/macemc/macemc/")
}

// macemcDrops reports whether a finalizer, or a cleanup function, is dropped that was set before the exploration. That is the case for
// modules, while a test is explored.
func macemcDrops(fn *funcval) bool { return macemcT != nil && !macemcStandard(findfunc(fn.fn)) }

// macemcFinalizes reports whether the caller executes finalizers. It does not wait for goroutines that have ended with a run.
//
//go:linkname macemcFinalizes
func macemcFinalizes() bool { return getg() == fing }

// macemcCallOf returns the function that calls a cleanup function.
func macemcCallOf(c cleanupFn) func(*funcval, unsafe.Pointer) {
	if macemcDrops(c.fn) && !macemcChecker(c.fn.fn) {
		return func(*funcval, unsafe.Pointer) {}
	}
	return c.call
}

// macemcCollectsNothing replaces a collection by a point at which others run, and reports whether it does. What a
// collection frees depends on the process. Finalizers, weak pointers and statistics of memory show it, so a run that
// has any of them is refused. Tests call runtime.GC without them, too, so that goroutines end. Pools become empty.
func macemcCollectsNothing() bool {
	if !macemcTested() {
		return false
	}
	if e := macemcEndings; e.weak || e.measured || len(e.list) != 0 || macemcInitiallyEnds {
		macemcRefuse("it calls runtime.GC")
	}
	macemcEndings.collections++
	Gosched()
	return true
}

// macemcMeasured is called before statistics of memory are read.
func macemcMeasured() {
	if macemcTested() {
		macemcEndings.measured = true
		macemcShowsCollection()
	}
}

// macemcMakesWeak is called before a weak pointer is made, by a function that package weak calls.
func macemcMakesWeak() {
	var caller [1]uintptr
	if callers(3, caller[:]) == 1 && macemcFinalizer(caller[0]) {
		macemcEndings.weak = true
		macemcShowsCollection()
	}
}

func macemcShowsCollection() {
	if macemcEndings.collections != 0 {
		macemcRefuse("it calls runtime.GC")
	}
}

// endings adds what the finalizers and cleanup functions of objects reference that can become unreachable, and reports
// whether there is any: only goroutines that nothing wakes keep an object forever. Objects before first are not
// scanned.
func (o *macemcObjects) endings(waiting []*g, first int) bool {
	if len(macemcEndings.list) == 0 {
		return false
	}
	kept := &macemcObjects{table: make([]uintptr, 1<<12)}
	for _, at := range o.kept[:first] {
		kept.add(uintptr(at))
	}
	for _, gp := range waiting {
		if gp.macemc.test.unwakable {
			kept.stack(gp)
		}
	}
	for i := first; i < len(kept.kept); i++ {
		kept.pointers(uintptr(kept.kept[i]))
	}
	before := len(o.kept)
	for _, e := range macemcEndings.list {
		if at := uintptr(e.of); o.has(at) || !kept.has(at) {
			o.add(uintptr(e.fn))
			o.add(uintptr(e.arg))
		}
	}
	return len(o.kept) > before
}
