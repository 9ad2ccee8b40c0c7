// Finalizers and cleanup functions, which run outside the bubble of a test. Those of modules are not called while a test is explored: no
// collection has to happen before the end of a test that does not call for one.

package runtime

import (
	testrun "internal/runtime"
	"unsafe"
)

// macemcEnding is a finalizer or a cleanup function.
type macemcEnding struct {
	of      unsafe.Pointer // the object whose end calls it
	fn, arg unsafe.Pointer
	id      uint64 // of a cleanup function; 0 means a finalizer
	file    bool   // the object is a file
	socket  bool   // the object is a simulated socket, which is reachable from others
}

// macemcEndingList has those that the explored test has set in a run: those of modules, and those that close its files and sockets.
type macemcEndingList struct {
	list        []macemcEnding
	cleanup     uint64    // the last id
	weak        []uintptr // the objects to which modules have made weak pointers
	old         bool      // one of these, or of list, concerns an object that was made before the run
	measured    int       // how often statistics of memory have been read
	collections uint64    // calls of GC, which have collected nothing
	macemcHeap            // when such statistics were read last, or the run began
}

// macemcHeap is the state of the heap at an instant.
type macemcHeap struct {
	cycles uint32 // number of collections
	live   uint64 // bytes
}

func macemcHeapNow() macemcHeap { return macemcHeap{memstats.numgc, gcController.heapLive.Load()} }

var macemcEndings *macemcEndingList

// macemcOutsideEnds means that modules have set finalizers or cleanup functions, or made weak pointers, outside of tests: when packages
// were initialized, in TestMain, or in a goroutine that these have started.
var macemcOutsideEnds bool

// macemcFinalizer reports whether a function sets finalizers and cleanup functions that are not called: one of the
// modules of an explored test.
func macemcFinalizer(pc uintptr) bool {
	if macemcCallerAt(pc).standard {
		return false
	}
	if macemcTested() {
		return true
	}
	macemcOutsideEnds = macemcOutsideEnds || macemcRuns == 0 || macemcT != nil
	return false
}

// macemcMadeBefore reports whether an object was made before the run, and package variables referenced it. The checker keeps it.
func macemcMadeBefore(at uintptr) bool {
	o := &macemcState.objects
	return len(o.table) != 0 && o.has(at)
}

// macemcSetFinalizer is the part of SetFinalizer after the check of its arguments. It reports whether the finalizer is not called.
func macemcSetFinalizer(pc uintptr, of, fn unsafe.Pointer) bool {
	file, socket := false, false
	if macemcTested() {
		pkg := macemcPackage(funcname(findfunc(pc)))
		file, socket = pkg == "os", pkg == "net"
	}
	if !file && !socket && !macemcFinalizer(pc) {
		return false
	}
	macemcEndings.old = macemcEndings.old || macemcMadeBefore(uintptr(of))
	known := macemcForget(of, 0)
	if fn != nil {
		macemcEndings.list = append(macemcEndings.list, macemcEnding{of: of, fn: fn, arg: of, file: file, socket: socket})
		if known && !file && !socket {
			throw("runtime.SetFinalizer: finalizer already set")
		}
	}
	return !file
}

// macemcLeftFiles is the number of files that runs have left open since a collection was made.
var macemcLeftFiles int

const macemcLeftFilesMax = 16

// macemc_testCloseLeft closes unreachable files that earlier runs have left open, once there are many. The system may have a low limit, as for
// instances of inotify.
func macemc_testCloseLeft() {
	if macemcLeftFiles >= macemcLeftFilesMax {
		macemcLeftFiles = 0
		GC()
		blockUntilEmptyFinalizerQueue(1e9)
	}
}

// countFiles adds the files that a run has left open.
func (l *macemcEndingList) countFiles() {
	for i := range l.list {
		if l.list[i].file {
			macemcLeftFiles++
		}
	}
}

// macemcForget removes a finalizer or a cleanup function, and reports whether there was one.
func macemcForget(of unsafe.Pointer, id uint64) bool {
	list := macemcEndings.list
	for i := len(list) - 1; i >= 0; i-- {
		if e := list[i]; e.id == id && (id != 0 || e.of == of) {
			list[i] = list[len(list)-1]
			macemcEndings.list = list[:len(list)-1]
			return true
		}
	}
	return false
}

// macemcCleanups is the place of a call of AddCleanup.
type macemcCleanups uintptr

// macemcCleanupID marks the ids of cleanup functions that are not called.
const macemcCleanupID = 1 << 63

// add is addCleanup.
func (pc macemcCleanups) add(p unsafe.Pointer, c cleanupFn) uint64 {
	if !macemcFinalizer(uintptr(pc)) {
		return addCleanup(p, c)
	}
	macemcEndings.old = macemcEndings.old || macemcMadeBefore(uintptr(p))
	macemcEndings.cleanup++
	id := macemcCleanupID | macemcEndings.cleanup
	macemcEndings.list = append(macemcEndings.list, macemcEnding{of: p, fn: unsafe.Pointer(c.fn), arg: c.arg, id: id})
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

// macemcDrops reports whether a finalizer, or a cleanup function, is dropped that was set before the exploration. That is the case for
// modules, while a test is explored.
func macemcDrops(fn *funcval) bool { return macemcT != nil && !macemcStandard(findfunc(fn.fn)) }

// macemcFinalizes reports whether the caller executes finalizers. Users of a file that is closed then have ended with a run.
func macemcFinalizes() bool { return getg() == fing }

// macemcCallOf returns the function that calls a cleanup function.
func macemcCallOf(c cleanupFn) func(*funcval, unsafe.Pointer) {
	if macemcDrops(c.fn) {
		return func(*funcval, unsafe.Pointer) {}
	}
	return c.call
}

// macemcCollectsNothing replaces a collection by a point at which others run, and reports whether it does. What a
// collection frees depends on the process. Finalizers, weak pointers and statistics of memory show it, so a run that
// has any of them is refused, unless their objects are reachable. Tests call runtime.GC without them, too, so that
// goroutines end. Pools become empty.
func macemcCollectsNothing() bool {
	tested := macemcTested()
	if !tested && !macemcCallerOutside() {
		return false
	}
	switch e := macemcEndings; {
	case macemcOutsideEnds || e.old:
		macemcRefuseStarted(macemcCollection)
		fallthrough
	case e.measured > 0 || len(e.weak)+len(e.list) != 0 && !(tested && macemcKeepsAll()):
		macemcRefuseAnywhere(macemcCollection)
	}
	macemcEndings.collections++
	if tested {
		Gosched()
	}
	return true
}

// macemcKeepsAll reports whether the caller's run reaches all objects that have finalizers, cleanup functions or weak
// pointers, so that a collection calls and clears none of these.
func macemcKeepsAll() bool {
	b, l := getg().bubble, macemcEndings
	for i := range l.list {
		if l.list[i].socket {
			return false
		}
	}
	waiting, run := macemcWaitingIn(b)
	stw := stopTheWorldGC(stwUnknown)
	o, first := macemcRoots(b)
	for _, gp := range append(append(run, waiting...), getg()) {
		o.stack(gp)
	}
	o.functions(l.list)
	for i := first; i < len(o.kept); i++ {
		o.pointers(uintptr(o.kept[i]))
	}
	all := true
	for i := range l.list {
		all = all && o.has(uintptr(l.list[i].of))
	}
	for _, at := range l.weak {
		all = all && o.has(at)
	}
	startTheWorldGC(stw)
	return all
}

// macemcCollection is the reason for which runs are refused in which a collection shows.
const macemcCollection = "it calls runtime.GC"

// macemcRefuseAnywhere ends a run. Its caller may be a goroutine outside the test, and continues then.
func macemcRefuseAnywhere(reason string) {
	macemcRefuseOutside(reason)
	macemcRefuse(reason)
}

// macemcMeasuresMost is the maximum number of such readings of a run. One that reads more may wait for a collection.
const macemcMeasuresMost = 1000

// macemcMeasured is called before statistics of memory are read. They show if no garbage is collected although the run
// has used so much memory that a collection would be due in a small process. The run then shows nothing if it fails.
func macemcMeasured() {
	if !macemcTested() && !macemcCallerOutside() {
		return
	}
	macemcEndings.measured++
	macemcShowsCollection()
	before, now := macemcEndings.macemcHeap, macemcHeapNow()
	switch {
	case now.cycles != before.cycles: // in another run there may be none
		macemcEndings.macemcHeap = now
		macemcLeavesOut(testrun.MeasuresMemory)
	case gcController.gcPercent.Load() >= 0 && now.live >= before.live+gcController.heapMinimum:
		macemcLeavesOut(testrun.MeasuresMemory)
		if !macemcTested() || macemcEndings.measured > macemcMeasuresMost {
			macemcRefuseAnywhere("it reads memory statistics after allocating much")
		}
	}
}

// macemcMakesWeak is called before a weak pointer to an object is made, by a function that package weak calls.
func macemcMakesWeak(to unsafe.Pointer) {
	var caller [1]uintptr
	if callers(3, caller[:]) == 1 && macemcFinalizer(caller[0]) {
		macemcEndings.weak = append(macemcEndings.weak, uintptr(to))
		macemcEndings.old = macemcEndings.old || macemcMadeBefore(uintptr(to))
		macemcShowsCollection()
	}
}

func macemcShowsCollection() {
	if macemcEndings.collections != 0 {
		macemcRefuseAnywhere(macemcCollection)
	}
}

// endings adds what the finalizers and cleanup functions of objects reference that can become unreachable, and reports
// whether there is any. Goroutines that nothing wakes keep an object forever, and so do its own function, and that of
// another object that does not become unreachable either. Objects before first are not scanned.
func (o *macemcObjects) endings(waiting []*g, first int) bool {
	before, left := len(o.kept), append([]macemcEnding(nil), macemcEndings.list...)
	for n := 0; n != len(left); {
		n = len(left)
		kept := o.forever(waiting, left, first)
		for i := n - 1; i >= 0; i-- {
			if e := left[i]; !kept.has(uintptr(e.of)) {
				o.add(uintptr(e.fn))
				o.add(uintptr(e.arg))
				left[i] = left[len(left)-1]
				left = left[:len(left)-1]
			}
		}
	}
	return len(o.kept) > before
}

// forever returns the objects that goroutines which nothing wakes, and a list of finalizers and cleanup functions, keep.
func (o *macemcObjects) forever(waiting []*g, list []macemcEnding, first int) *macemcObjects {
	kept := &macemcObjects{table: make([]uintptr, 1<<12)}
	for _, at := range o.kept[:first] {
		kept.add(uintptr(at))
	}
	for _, gp := range waiting {
		if gp.macemc.test.unwakable {
			kept.stack(gp)
		}
	}
	kept.functions(list)
	sockets, parts := macemcSockets(list)
	for i := first; i < len(kept.kept); i++ {
		at := uintptr(kept.kept[i])
		if !parts.has(at) {
			kept.pointers(at)
		} else if s := spanOfHeap(at); s != nil {
			macemcReferences(at, at+s.elemsize, func(p uintptr) {
				if !sockets.has(p) {
					kept.add(p)
				}
			})
		}
	}
	return kept
}

// macemcSockets returns the simulated sockets of a list, and what they reference: their parts. The peer of a socket is referenced by a part
// of it, which keeps no real socket.
func macemcSockets(list []macemcEnding) (sockets, parts *macemcObjects) {
	sockets, parts = &macemcObjects{table: make([]uintptr, 1<<6)}, &macemcObjects{table: make([]uintptr, 1<<8)}
	for i := range list {
		if list[i].socket {
			sockets.add(uintptr(list[i].of))
			parts.pointers(uintptr(list[i].of))
		}
	}
	return sockets, parts
}

// functions adds what finalizers and cleanup functions keep.
func (o *macemcObjects) functions(list []macemcEnding) {
	for i := range list {
		e := &list[i]
		o.add(uintptr(e.fn))
		if at, ok := macemcObject(uintptr(e.arg)); e.id == 0 && ok { // the object itself is not kept
			o.pointers(at)
		} else {
			o.add(uintptr(e.arg))
		}
	}
}
