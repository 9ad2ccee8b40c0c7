// Nodes of package bubble: their objects that the collector must not free, and how far their wall clock is ahead.

package runtime

import "unsafe"

// macemcInNode reports whether the calling goroutine belongs to a node of package bubble.
//
//go:nosplit
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

// macemcRetain keeps an object to which a goroutine of a node makes a weak pointer, until the node goes down. When the collector runs is
// not part of a path.
func macemcRetain(p unsafe.Pointer) {
	if macemcInNode() && getWeakHandle(p) == nil {
		b := getg().bubble
		b.macemcRetained = append(b.macemcRetained, p)
	}
}

// macemcUndying reports whether a finalizer or a cleanup is ignored: those that the modules of a node add. They would run outside of the
// node, at a time that depends on the collector.
func macemcUndying(pc uintptr) bool { return macemcInNode() && !macemcCallerAt(pc).standard }

// macemcAhead returns the nanoseconds by which the wall clock has been put forward, and the wall clock at which monotonic readings begin; 0
// means that these are the real ones, or that there are none.
func macemcAhead() (ahead, began int64) {
	if macemcInNode() {
		return macemcCur.wall.ahead + macemcCur.wall.offset, macemcSynctestTime
	}
	if getg().macemc.seed != 0 {
		return macemcInstants.ahead, 0
	}
	return 0, macemcClockBegan()
}

// macemc_instant returns the instant at which clocks of nodes begin that the command has not set.
func macemc_instant() int64 { return macemcInstants.clock }

// macemcDescribes is true if the program may describe systems of nodes.
var macemcDescribes bool

func macemc_describes() { macemcDescribes = true }

// macemcDescribe is called when a goroutine begins that may describe a system: that of a test or of func main. Its random numbers are the
// same in every process, and so is the second of its wall clock when it begins. Findings are executed again in other processes, and nodes
// may use what it has made, such as a private key or a certificate.
func macemcDescribe(test string) {
	if !macemcDescribes {
		return
	}
	seed := uint64(1)
	for _, c := range []byte(test) {
		seed = macemcMix(seed ^ uint64(c))
	}
	gp := getg()
	gp.macemc.seed, gp.macemc.draws = seed|1, 0
}

// macemcAtInit holds what packages outside of the distribution have done when they were initialized: names of variables of the environment
// that they have read, or *, for all variables, a goroutine or a timer, each with a space and the package.
var macemcAtInit []string

// macemcReadsEnv is called before a variable of the environment is read.
func macemcReadsEnv(name string) {
	if macemcInitially() {
		macemcNoteInit(name)
	}
}

// macemcOfRuntime reports whether a goroutine is one of the runtime, such as a worker of the collector.
func macemcOfRuntime(fn *funcval) bool { return funcpkgpath(findfunc(fn.fn)) == "runtime" }

func macemcNoteInit(what string) {
	var stack [16]uintptr
	for _, pc := range stack[:callers(1, stack[:])] {
		if pkg := macemcPackage(funcname(findfunc(pc))); pkg != "runtime" && !macemcDistribution(pkg) {
			macemcAtInit = append(macemcAtInit, what+" "+pkg)
			return
		}
	}
}

func macemc_initially() []string { return macemcAtInit }

// macemc_copyMemory copies memory at an address to b, or from b. onStack means that the address is the distance from the end of the stack.
//
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
