package overlay

import _ "embed"

//go:embed source/runtime.go.txt
var runtimeSource string

//go:embed source/sync.go.txt
var syncSource string

// quietSource is for packages that initialize something once per process, behind locks.
const quietSource = `

import _ "unsafe"

//go:linkname macemcQuiet runtime.macemcQuiet
func macemcQuiet(d int32, once uintptr)
`

// randSource is for packages that draw random numbers from the runtime.
const randSource = `

import _ "unsafe"

//go:linkname macemcRand runtime.macemcRand
func macemcRand() uint64
`

//go:embed source/sysrand.go.txt
var sysrandSource string

// added maps the paths of the files that are added to a distribution to their texts.
var added = map[string]string{
	"crypto/internal/sysrand/zz_macemc.go":   sysrandSource,
	"runtime/zz_macemc.go":                   runtimeSource,
	"sync/zz_macemc.go":                      syncSource,
	"runtime/zz_macemc_cpu_linux.go":         testsCPULinuxSource,
	"runtime/zz_macemc_cpu.go":               testsCPUSource,
	"runtime/zz_macemc_tests.go":             testsRuntimeSource,
	"runtime/zz_macemc_queue.go":             testsQueueSource,
	"runtime/zz_macemc_state.go":             testsStateSource,
	"runtime/zz_macemc_nodes.go":             nodesRuntimeSource,
	"sync/zz_macemc_tests.go":                testsSyncSource,
	"os/zz_macemc_tests.go":                  testsOSSource,
	"os/zz_macemc_nodes.go":                  nodesOSSource,
	"os/signal/zz_macemc.go":                 "package signal" + testsRefuse,
	"os/signal/zz_macemc_nodes.go":           nodesSignalSource,
	"syscall/zz_macemc.go":                   nodesSyscallSource,
	"testing/synctest/zz_macemc.go":          testsBubbleSource,
	"internal/synctest/zz_macemc.go":         testsSynctestSource,
	"net/zz_macemc.go":                       testsNetSource,
	"net/zz_macemc_nodes.go":                 nodesNetSource,
	"net/http/zz_macemc.go":                  testsHTTPSource,
	"net/http/zz_macemc_nodes.go":            nodesHTTPSource,
	"time/zz_macemc_nodes.go":                nodesTimeSource,
	"testing/zz_macemc.go":                   testsTestingSource,
	"testing/zz_macemc_example.go":           testsExampleSource,
	"math/rand/zz_macemc.go":                 "package rand" + randSource,
	"math/rand/v2/zz_macemc.go":              "package rand" + randSource,
	"os/zz_macemc.go":                        "package os" + randSource,
	"encoding/gob/zz_macemc.go":              "package gob" + quietSource,
	"testing/internal/testdeps/zz_macemc.go": "package testdeps" + quietSource,
	"internal/runtime/maps/zz_macemc.go":     testsMapsSource,
}

// changes are the insertions into the files of a distribution that all checked programs need.
var changes = []change{
	{"runtime/rand.go", beforeCall{"randinit", "globalRand.state.Init"}, "macemcSeed(); ",
		"the keys of map hashes are the same in every process"},
	{"runtime/rand.go", atStart{"rand"}, " if macemcOn && getg().bubble != nil { return macemcMaps() }; if macemcInitially() { return macemcInitDraw() }; ",
		"the order of maps that are made on the stack, hash/maphash"},
	{"runtime/proc.go", atStart{"doInit1"}, " macemcInitialize(t); ", "packages begin with the same values in every program"},
	{"runtime/proc.go", beforeCall{"main", "close"}, "macemcInit.on, macemcInit.over = false, true; ", "packages begin with the same values in every program"},
	{"runtime/rand.go", atStart{"legacy_fastrand"}, " if macemcOn { return uint32(macemcRand()) }; ", "libraries that draw from the runtime"},
	{"runtime/rand.go", atStart{"legacy_fastrand64"}, " if macemcOn { return macemcRand() }; ", "libraries that draw from the runtime"},
	{"math/rand/rand.go", callee{"runtimeSource.Int63", "runtime_rand"}, "macemcRand", "math/rand"},
	{"math/rand/rand.go", callee{"runtimeSource.Uint64", "runtime_rand"}, "macemcRand", "math/rand"},
	{"math/rand/v2/rand.go", callee{"runtimeSource.Uint64", "runtime_rand"}, "macemcRand", "math/rand/v2"},
	{"os/tempfile.go", callee{"nextRandom", "runtime_rand"}, "macemcRand", "names of temporary files"},
	{"runtime/rand.go", atStart{"maps_rand"}, " if macemcOn && getg().bubble != nil { return macemcMaps() }; ",
		"the order of maps"},
	{"runtime/select.go", callee{"selectgo", "cheaprandn"}, "macemcRandn", "which ready case a select takes"},
	{"runtime/select.go", atStart{"selectgo"}, " if macemcChans { macemcSelected(cas0, nsends, nrecvs, block) }; ", "a place where another goroutine may run"},
	{"runtime/chan.go", atStart{"chansend"}, " if macemcChans { macemcChan(c, macemcOpSend, block) }; ", "a place where another goroutine may run"},
	{"runtime/chan.go", atStart{"chanrecv"}, " if macemcChans { macemcChan(c, macemcOpReceive, block) }; ", "a place where another goroutine may run"},
	{"runtime/chan.go", atStart{"closechan"}, " if macemcChans { macemcChan(c, macemcOpClose, true) }; ", "a place where another goroutine may run"},
	{"runtime/chan.go", atStart{"chanlen"}, " if macemcChans { macemcChan(c, macemcOpLen, false) }; ", "a place where another goroutine may run"},
	{"runtime/time.go", lastField{"timer"}, " macemcOrder uint32; macemcFires uint32; macemcWho uint64; ",
		"the order of timers of the same instant"},
	{"runtime/time.go", atStart{"timer.modify"}, " macemcArm(t); ", "the order of timers of the same instant"},
	{"runtime/proc.go", atStart{"runqput"}, " if macemcMine(gp) { macemcPut(gp); return }; macemcWakes(gp); ",
		"goroutines of a node wait in a queue of their own"},
	{"runtime/proc.go", atStart{"globrunqput"}, " if macemcMine(gp) { macemcPut(gp); return }; ",
		"goroutines of a node wait in a queue of their own"},
	{"runtime/proc.go", atStart{"runqget"}, " if macemcOn { if macemcT != nil { macemcFireDue() }; if next := macemcGet(pp); next != nil { return next, false } }; ",
		"who runs next: first come, first served, or a choice"},
	{"runtime/proc.go", atStart{"runqempty"}, " if macemcOn && !macemcEmpty() { return false }; ",
		"goroutines of a node wait in a queue of their own"},
	{"runtime/proc.go", atStart{"goschedImpl"}, " if preempted { macemcPreempted(gp) }; macemcGosched(gp, preempted); ",
		"preemption by wall clock does not change who runs next, and runtime.Gosched does"},
	{"runtime/proc.go", atStart{"gosched_m"}, " macemcSpin(gp); ", "a loop that only lets others run waits for the next step"},
	{"runtime/proc.go", atStart{"park_m"}, " macemcParked(gp); ", "what a goroutine waits for outside of its node"},
	{"runtime/proc.go", atStart{"wakep"}, " if macemcOn && gomaxprocs == 1 { return }; ",
		"there is no other P to wake; it is called at every switch"},
	{"runtime/proc.go", beforeCall{"retake", "thread.takeP"}, "if macemcHolds(thread.gp, pp, now) { thread.resume(); goto done }; ",
		"a system call within a step does not let others run"},
	{"runtime/proc.go", beforeCall{"exitsyscallTryGetP", "thread.takeP"}, "if macemcMine(thread.gp) { thread.resume(); return nil }; ",
		"a system call within a step does not let others run"},
	{"runtime/proc.go", atStart{"gdestroy"}, " macemcGone(gp); ", "goroutines are numbered"},
	{"runtime/runtime2.go", lastField{"g"}, " macemc macemcG; ", "goroutines are numbered"},
	{"runtime/runtime2.go", lastElement{"waitReasonStrings"}, ` macemcWaitHeld: "held back until the next step", macemcWaitBusy: "busy", `,
		"stacks show which goroutines are held back or stopped because they are busy"},
	{"runtime/runtime2.go", lastElement{"isIdleInSynctest"},
		" waitReasonSyncMutexLock: true, waitReasonSyncRWMutexRLock: true, waitReasonSyncRWMutexLock: true, macemcWaitHeld: true, macemcWaitBusy: true, ",
		"a goroutine that waits for a mutex, is held back or stopped lets time pass"},
	{"runtime/sema.go", callee{"internal_sync_nanotime", "nanotime"}, "macemcNano", "mutexes starve by the node's time"},
	{"runtime/mgc.go", atStart{"gcStart"}, " if macemcMine(getg()) { macemcAsk(); return }; ",
		"the collector does not change who runs next"},
	{"runtime/mgc.go", atStart{"GC"}, " if macemcMine(getg()) { macemcAsk(); return }; ",
		"the collector does not change who runs next"},
	{"runtime/sema.go", atStart{"semacquire"}, " if macemcMine(getg()) { macemcAcquire(addr); return }; ",
		"locks of the runtime do not change who runs next"},
	{"runtime/mgcmark.go", atStart{"gcAssistAlloc"}, " if macemcMine(gp) { return }; ",
		"the collector does not change who runs next"},
	{"crypto/internal/sysrand/rand.go", atStart{"Read"}, " if macemcRead(b) { return }; ", "crypto/rand"},
	{"sync/pool.go", atStart{"Pool.Get"}, " if macemcBubbled() { return macemcGet(p, sys.GetCallerPC()) }; ",
		"what a pool has does not depend on other runs"},
	{"sync/pool.go", atStart{"Pool.Put"}, " if macemcBubbled() { macemcPut(p, x, sys.GetCallerPC()); return }; ",
		"what a pool has does not depend on other runs"},
	{"sync/once.go", atStart{"Once.doSlow"}, " macemcQuiet(1, macemcOnce(o)); defer macemcQuiet(-1, 0); ",
		"work that is done once in a process takes no part in schedules"},
	{"encoding/gob/encode.go", atStart{"buildEncEngine"}, " macemcQuiet(1, 0); defer macemcQuiet(-1, 0); ",
		"work that is done once in a process takes no part in schedules"},
	{"runtime/time.go", atStart{"time_runtimeNow"}, " macemcLook(); ", "the clock of a program that reads it advances"},
	{"sync/mutex.go", atStart{"Mutex.Lock"}, " macemcLocking(macemcMutex(m), false); defer macemcLocked(macemcMutex(m)); ",
		"who waits for whom; a place where another goroutine may run"},
	{"sync/mutex.go", atStart{"Mutex.Unlock"}, " macemcUnlocking(macemcMutex(m)); ", "who waits for whom"},
	{"sync/rwmutex.go", atStart{"RWMutex.RLock"}, " macemcLocking(macemcRW(rw), true); defer macemcLocked(macemcRW(rw)); ",
		"who waits for whom; a place where another goroutine may run"},
	{"sync/rwmutex.go", atStart{"RWMutex.RUnlock"}, " macemcUnlocking(macemcRW(rw)); ", "who waits for whom"},
	{"sync/rwmutex.go", atStart{"RWMutex.Lock"}, " macemcLocking(macemcRW(rw), false); defer macemcLocked(macemcRW(rw)); ",
		"who waits for whom; a place where another goroutine may run"},
	{"sync/rwmutex.go", atStart{"RWMutex.Unlock"}, " macemcUnlocking(macemcRW(rw)); ", "who waits for whom"},
}
