// The functions that call package sync/atomic, sync or time, and whether they belong to the distribution.

package runtime

import (
	testrun "internal/runtime"
	"internal/stringslite"
)

// macemcCaller is a function that calls package sync/atomic, sync or time.
type macemcCaller struct {
	pc       uintptr
	own      bool           // belongs to the distribution's own synchronization
	standard bool           // belongs to the distribution
	runtime  bool           // belongs to package runtime
	rwmutex  bool           // is a method of sync.RWMutex
	method   testrun.Method // see macemcMethodOf
	within   bool           // belongs to package sync/atomic or to a lock, whose operation it executes
	wraps    bool           // it is a method value of these packages, or the method of a generic type with its type arguments
}

// macemcRaceCall is the last call of a function of package sync/atomic, or of a method of a lock, by code of other packages. The race
// detector gets it with the memory access of that function, because it does not see these calls.
type macemcRaceCall struct {
	caller uintptr // place of the call
	inside uintptr // a place in the function; 0 means that the function that accesses the memory is the one that was called
}

var macemcCallers [1 << 12]macemcCaller

// macemcPackage returns the path of a function's package, given the function's name.
func macemcPackage(name string) string {
	if i := stringslite.IndexByte(name, '['); i >= 0 { // type arguments contain paths, too
		name = name[:i]
	}
	end := len(name)
	for i := len(name) - 1; i >= 0 && name[i] != '/'; i-- {
		if name[i] == '.' {
			end = i
		}
	}
	return name[:end]
}

// macemcStandard reports whether a function belongs to the distribution.
func macemcStandard(f funcInfo) bool { return macemcDistribution(macemcPackage(funcname(f))) }

// macemcCallerAt returns the function at pc. Package runtime calls functions for others: deferred ones, and those of package reflect. So do
// method values of packages sync/atomic and time. None of these count as the distribution.
func macemcCallerAt(pc uintptr) *macemcCaller {
	e := &macemcCallers[pc>>2%uintptr(len(macemcCallers))]
	if e.pc != pc {
		name := funcname(findfunc(pc))
		pkg := macemcPackage(name)
		lock, value := pkg == "sync", pkg == "sync/atomic" || pkg == "time"
		wraps := (lock || value) && (stringslite.HasSuffix(name, "-fm") ||
			stringslite.IndexByte(name, '[') >= 0 && stringslite.Index(name, "[go.shape.") < 0)
		standard := pkg != "runtime" && !(wraps && value) && macemcDistribution(pkg)
		own := standard && (lock || pkg == "sync/atomic" || stringslite.HasPrefix(pkg, "internal/"))
		rwmutex := lock && stringslite.HasPrefix(name, "sync.(*RWMutex)")
		within := !wraps && (pkg == "sync/atomic" || rwmutex || stringslite.HasPrefix(name, "sync.(*rlocker)") ||
			stringslite.HasPrefix(name, "sync.(*Mutex)") || stringslite.HasPrefix(name, "internal/sync.(*Mutex)"))
		*e = macemcCaller{pc: pc, own: own, standard: standard, wraps: wraps, runtime: pkg == "runtime", rwmutex: rwmutex, within: within,
			method: macemcMethodOf(name)}
	}
	return e
}

// macemcBeyondWrappers returns the place of a caller of a function of package sync or sync/atomic, or one in the caller of that one if it
// wraps the function.
func macemcBeyondWrappers(e *macemcCaller) uintptr {
	if !e.wraps {
		return e.pc
	}
	var stack [8]uintptr
	for _, pc := range stack[:callers(1, stack[:])] {
		if pkg := macemcPackage(funcname(findfunc(pc))); pkg != "sync" && pkg != "sync/atomic" && pkg != "runtime" {
			return pc
		}
	}
	return e.pc
}
