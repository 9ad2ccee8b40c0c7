// Nodes of package bubble: their objects that the collector must not free, and how far their wall clock is ahead.

package runtime

import "unsafe"

// macemcInNode reports whether the calling goroutine belongs to a node of package bubble.
//
//go:nosplit
//go:linkname macemcInNode
func macemcInNode() bool { return macemcOn && macemcT == nil && getg().bubble != nil }

// macemcNodeStack is true while a node reads stacks.
var macemcNodeStack bool

// macemcSetNodeProcs is GOMAXPROCS for a node, which has one processor.
func macemcSetNodeProcs(n int) int {
	b := getg().bubble
	old := max(b.macemcProcs, 1)
	if n > 0 {
		b.macemcProcs = n
	}
	return old
}

// macemcRetain keeps an object to which a goroutine of a node makes a weak pointer, until the node goes down. When the collector runs is not
// part of a path.
func macemcRetain(p unsafe.Pointer) {
	if macemcInNode() && getWeakHandle(p) == nil {
		b := getg().bubble
		b.macemcRetained = append(b.macemcRetained, p)
	}
}

// macemcUndying reports whether a finalizer or a cleanup is ignored: those that the modules of a node add. They would run outside of the
// node, at a time that depends on the collector.
func macemcUndying(pc uintptr) bool { return macemcInNode() && !macemcCallerAt(pc).standard }

// macemcAhead returns the nanoseconds by which jumps have put the wall clock forward, and the wall clock at which monotonic readings
// begin; 0 means that the clock is the real one, or has no monotonic readings.
//
//go:linkname macemcAhead
func macemcAhead() (ahead, began int64) {
	if macemcInNode() {
		return macemcCur.ahead, macemcSynctestTime
	}
	return 0, macemcClockBegan()
}

// macemcAtInit holds what packages outside of the distribution have done when they were initialized: names of variables of the environment
// that they have read, or *, for all variables, a goroutine or a timer, each with a space and the package.
var macemcAtInit []string

// macemcReadsEnv is called before a variable of the environment is read.
//
//go:linkname macemcReadsEnv
func macemcReadsEnv(name string) {
	if macemcInitially() {
		macemcNoteInit(name)
	}
}

func macemcNoteInit(what string) {
	var stack [16]uintptr
	for _, pc := range stack[:callers(1, stack[:])] {
		if pkg := macemcPackage(funcname(findfunc(pc))); pkg != "runtime" && !macemcDistribution(pkg) {
			macemcAtInit = append(macemcAtInit, what+" "+pkg)
			return
		}
	}
}

//go:linkname macemc_initially PKG.initially
func macemc_initially() []string { return macemcAtInit }

// macemc_copyMemory copies memory at an address to b, or from b. onStack means that the address is the distance from the end of the stack.
//
//go:linkname macemc_copyMemory PKG.copyMemory
//go:nosplit
func macemc_copyMemory(b []byte, at uintptr, onStack, store bool) {
	if onStack {
		at = getg().stack.hi - at
	}
	if p := unsafe.Pointer(at); len(b) > 0 && store {
		memmove(p, unsafe.Pointer(&b[0]), uintptr(len(b)))
	} else if len(b) > 0 {
		memmove(unsafe.Pointer(&b[0]), p, uintptr(len(b)))
	}
}
