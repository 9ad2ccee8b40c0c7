package overlay

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/macemc/macemc/internal/predict"
)

// Numbers of operations.
var (
	opGo, opSend, opReceive   = number(predict.Go), number(predict.Send), number(predict.Receive)
	opClose, opLen, opTryLock = number(predict.Close), number(predict.Len), number(predict.TryLock)
	opWaitGroup, opCond       = number(predict.WaitGroup), number(predict.Cond)
	opOnce, opMap             = number(predict.Once), number(predict.Map)
)

func number(op predict.Op) string { return strconv.FormatUint(uint64(op), 10) }

const (
	why                   = "a place where another goroutine of a test may run"
	whyEnd, whyPrint      = "the end of the process is the end of a run", "only one run prints"
	whyReset, whyNet      = "runs do not depend on earlier ones", "the network is in memory"
	whyInit               = "package variables begin with the same values in every process"
	whyBeginning          = "a run may begin with the initialization of packages"
	whyFinalizers         = "finalizers and cleanups run outside of the bubble of a test, whose channels they cannot use"
	whyClock              = "reading the clock takes time"
	whyLinked             = "modules that link to the functions of the clock read that of the test"
	whyProcessors         = "runs do not depend on the machine"
	whyCounts             = "a goroutine ends after its last point, so schedules cannot delay its end"
	whyStacks             = "stack dumps of a test do not show the checker"
	whyAddresses          = "addresses are the same in every process that executes one schedule"
	whyHeld               = "goroutines of packages keep their locks between runs"
	whyLeaks              = "stacks are searched for what can wake goroutines"
	whyRefused            = "what a schedule does not determine is not explored"
	whyFiles              = "a run ends although a goroutine waits for a file"
	whyRaces              = "the races of a run belong to its outcome"
	whyPlaces             = "reports of data races name the places of the user's code"
	whyTests              = "tests run under many schedules"
	whyVerbose            = "schedules do not depend on -v"
	whyAtomics, whyMemory = "atomic operations are scheduling points", "plain memory accesses are scheduling points"
)

// unscheduled makes a function execute without scheduling points.
const unscheduled = " macemcUnscheduled(1<<16, 0); defer macemcUnscheduled(-1<<16, 0); "

// testChanges make it possible to run tests under many schedules. A new scheduling point needs a change here, a number in record.go of
// package predict, and its word in internal/testsched/program/operation.go. A call that tests cannot be explored with calls
// macemcRefuse with the reason, and is an item of "What is not explored" in docs/test-exploration.md.
var testChanges = func() []change {
	list := []change{
		{"runtime/proc.go", atEnd{"newproc"}, "macemcPoint(" + opGo + ", 0); ", why},
		{"runtime/netpoll.go", atStart{"poll_runtime_pollWait"}, " macemcPollWait(pd, mode); ", whyFiles},
		{"runtime/netpoll.go", atStart{"poll_runtime_pollSetDeadline"}, " macemcSetsDeadline(pd, d, mode); ", whyFiles},
		{"runtime/netpoll.go", lastField{"pollDesc"}, " macemcDeadlines [2]int64; ", whyFiles},
		{"runtime/mfinal.go", beforeCall{"runFinalizers", "reflectcall"}, "if macemcDrops(f.fn) { fingStatus.And(^fingRunningFinalizer); " +
			"f.fn, f.arg, f.ot = nil, nil, nil; atomic.Store(&fb.cnt, i-1); continue }; ", whyFinalizers},
		{"os/file.go", atStart{"File.Write"}, " if f != nil && (f.name == \"/dev/stdout\" || f.name == \"/dev/stderr\") && " +
			"!macemcIsClosed(f) && macemcPrinted(b, false) { return len(b), nil }; ", whyPrint},
		{"os/file_posix.go", atStart{"File.Close"}, " macemcCloses(f); ", whyPrint},
		{"runtime/print.go", atStart{"gwrite"}, " if macemcPrinted(b, false) { return }; ", whyPrint},
		{"testing/benchmark.go", atStart{"Benchmark"}, ` macemcRefuse("it runs a benchmark"); `, whyRefused},
		{"runtime/mfinal.go", beforeCall{"SetFinalizer", "createfing"},
			"if macemcSetFinalizer(sys.GetCallerPC(), e.data, f.data) { return }; ", whyFinalizers},
		{"runtime/mgc.go", atStart{"GC"}, " if macemcCollectsNothing() { return }; ", whyFinalizers},
		{"runtime/mstats.go", atStart{"ReadMemStats"}, " macemcMeasured(); ", whyFinalizers},
		{"runtime/mstats.go", atStart{"readGCStats"}, " macemcMeasured(); ", whyFinalizers},
		{"runtime/metrics.go", atStart{"readMetrics"}, " macemcMeasured(); macemcCounts(); ", whyFinalizers},
		{"runtime/mprof.go", atStart{"memProfileInternal"}, " macemcMeasured(); ", whyFinalizers},
		{"runtime/mheap.go", atStart{"internal_weak_runtime_registerWeakPointer"}, " macemcMakesWeak(p); ", whyFinalizers},
		{"runtime/cgroup_linux.go", atStart{"defaultGOMAXPROCS"}, " if macemcAlone() { return 1 }; ", whyAddresses},
		{"runtime/cgroup_stubs.go", atStart{"defaultGOMAXPROCS"}, " if macemcAlone() { return 1 }; ", whyAddresses},
		{"runtime/mgc.go", atStart{"gcTrigger.test"}, " if macemcUncollected(t.kind) { return false }; ", whyAddresses},
		{"runtime/mgcmark.go", atStart{"scanblock"},
			" if macemcScanned != nil { macemcScanned.block(b0, n0, ptrmask, stk, false); return }; ", whyLeaks},
		{"runtime/mgcmark.go", atStart{"scanConservative"},
			" if macemcScanned != nil { macemcScanned.block(b, n, ptrmask, state, true); return }; ", whyLeaks},
		{"runtime/traceback.go", atStart{"isSystemGoroutine"}, " if macemcHides(gp) { return true }; ", whyStacks},
		{"testing/synctest/synctest.go", atStart{"Test"}, ` if macemcTested() { macemcTest(t, f); return }; `, whyTests},
		{"testing/synctest/synctest.go", atStart{"Wait"}, " if macemcTested() { macemcWait(); return }; ", whyTests},
		{"runtime/mcleanup.go", callee{"AddCleanup", "addCleanup"}, "macemcCleanups(sys.GetCallerPC()).add", whyFinalizers},
		{"runtime/mcleanup.go", callee{"runCleanups", "c.call"}, "macemcCallOf(c)", whyFinalizers},
		{"runtime/mcleanup.go", atStart{"Cleanup.Stop"}, " if macemcStopsCleanup(c.id) { return }; ", whyFinalizers},
		{"runtime/debug.go", atStart{"GOMAXPROCS"}, " if macemcSeesProcs() { return macemcSetMaxProcs(n) }; ", whyProcessors},
		{"runtime/debug.go", atStart{"SetDefaultGOMAXPROCS"},
			" if macemcSeesProcs() { macemcSetMaxProcs(macemcProcessors); return }; ", whyProcessors},
		{"runtime/debug.go", atStart{"NumCPU"}, " if macemcSeesProcs() { return macemcProcessors }; ", whyProcessors},
		{"runtime/debug.go", atStart{"NumGoroutine"}, " macemcCounts(); if n := macemcHidden(); n > 0 { return int(gcount(false)) - n }; ",
			whyCounts + "; the checker's do not count"},
		{"runtime/mprof.go", atStart{"goroutineProfileInternal"}, " macemcCounts(); ", whyCounts},
		{"runtime/mprof.go", atStart{"pprof_goroutineProfileWithLabels"}, " macemcCounts(); ", whyCounts},
		{"runtime/mprof.go", atStart{"Stack"}, " if all { macemcCounts() }; ", whyCounts},
		{"runtime/mprof.go", atStart{"doRecordGoroutineProfile"}, " if macemcProfileHides && macemcIsOwn(gp1) { return }; ", whyStacks},
		{"runtime/traceback.go", atStart{"showfuncinfo"}, " if macemcHidesFunc(sf) { return false }; ", whyStacks},
		{"runtime/extern.go", callee{"Callers", "callers"}, "macemcStackOf", whyStacks},
		{"runtime/synctest.go", atStart{"synctest_associate"}, " if macemcT != nil { return bubbleAssocUnbubbled }; ", whyReset},
		{"runtime/time.go", atStart{"resetTimer"}, " if macemcResetsAcross(t.isFake) { return false }; ",
			"timers of a test have its virtual time, and others have not"},
		{"runtime/time.go", atStart{"timeSleep"}, " if ns <= 0 && macemcTested() { Gosched(); return }; ", why},
		{"runtime/time.go", atStart{"time_runtimeNow"}, " if macemcInits() { return macemcInitNow() }; ", whyInit},
		{"runtime/time.go", atStart{"time_runtimeIsBubbled"}, " if macemcInits() { return true }; ", whyInit},
		{"testing/testing.go", atStart{"MainStart"},
			" if m := macemcStarts(deps, tests, benchmarks, fuzzTargets, examples); m != nil { return m }; ", whyInit},
		{"testing/testing.go", atStart{"M.Run"}, " if macemcInRun() { return macemcRunTest(m) }; macemcRuns(m); defer macemcSparesNow(); ", whyBeginning},
		{"runtime/proc.go", atStart{"goexit1"}, " macemcExits(); ", "goroutines that are counted end"},
		{"runtime/proc.go", atStart{"doInit1"}, " if macemcDefers(t) { return }; ", whyBeginning},
		{"testing/example.go", atStart{"runExamples"},
			" if macemcAgent != nil && len(examples) > 0 { return macemcExamples(matchString, examples) }; ", whyTests},
		{"testing/internal/testdeps/deps.go", atStart{"testLog.add"}, unscheduled,
			"schedules do not depend on whether the go command caches the result"},
		{"testing/internal/testdeps/deps.go", callee{"TestDeps.MatchString", "regexp.Compile"}, "macemcCompile",
			"a run passes the names of all subtests"},
		{"sync/mutex.go", atStart{"Mutex.TryLock"}, " macemcPoint(" + opTryLock + ", macemcMutex(m)); ", why},
		{"sync/rwmutex.go", atStart{"RWMutex.TryLock"}, " macemcPoint(" + opTryLock + ", macemcRW(rw)); ", why},
		{"sync/rwmutex.go", atStart{"RWMutex.TryRLock"}, " macemcPoint(" + opTryLock + ", macemcRW(rw)); ", why},
		{"sync/waitgroup.go", atStart{"WaitGroup.Add"}, " macemcCountsDown(delta < 0); macemcPoint(" + opWaitGroup + ", macemcAddr(wg)); ", why},
		{"sync/waitgroup.go", atStart{"WaitGroup.Wait"}, " macemcPoint(" + opWaitGroup + ", macemcAddr(wg)); ", why},
		{"sync/cond.go", atStart{"Cond.Wait"}, " macemcPoint(" + opCond + ", macemcAddr(c)); ", why},
		{"sync/cond.go", atStart{"Cond.Signal"}, " macemcPoint(" + opCond + ", macemcAddr(c)); ", why},
		{"sync/cond.go", atStart{"Cond.Broadcast"}, " macemcPoint(" + opCond + ", macemcAddr(c)); ", why},
		{"sync/once.go", atStart{"Once.Do"}, " macemcPoint(" + opOnce + ", macemcAddr(o)); ", why},
		{"runtime/coro.go", atStart{"newcoro"}, " macemcMakesCoroutine(); ", "coroutines have no scheduling points"},
		{"internal/runtime/maps/table.go", atStart{"Iter.Init"}, " if m != nil && m.used > 1 { macemcUnordered() }; ",
			"the order of maps is drawn"},
		{"sync/map.go", atStart{"Map.Range"}, " macemcUnordered(); ", "the order of maps is drawn"},
		{"testing/testing.go", callee{"tRunner", "fn"}, "macemcExplored(t, fn)", whyTests},
		{"testing/testing.go", atStart{"T.report"}, " if macemcIsRun(t) || macemcPostponed == t { return }; ", whyTests},
		{"testing/testing.go", atEnd{"common.Fail"}, "macemcFailing(c); ", whyTests},
		{"testing/testing.go", atStart{"common.log"}, " macemcLogged(s); ", whyTests},
		{"testing/testing.go", atStart{"tRunner"},
			" if macemcIsRun(t) { macemcTestStarts(); defer macemcReturned(t) } else { macemcDescribe(t.name) }; ", whyTests},
		{"testing/testing.go", atStart{"chattyPrinter.Updatef"}, unscheduled, whyVerbose},
		{"testing/testing.go", atStart{"chattyPrinter.Printf"}, unscheduled, whyVerbose},
		{"testing/testing.go", atStart{"outputWriter.writeLine"}, " if o.c.chatty == nil { macemcPrinted(b, true) }; ", whyPrint},

		{"net/fd_posix.go", lastField{"netFD"}, " *fakeNetFD; ", whyNet},
		{"net/sock_posix.go", atStart{"socket"},
			" if macemcTested() { return macemcNewSocket(ctx, net, family, sotype, ipv6only, laddr, raddr, ctrlCtxFn) }; " +
				"if macemcCallerOutside() { macemcReached(sotype, raddr) }; ", whyNet},
		{"net/conf.go", atStart{"conf.mustUseGoResolver"}, " if macemcTested() { return true }; ", whyNet},
		{"net/dnsclient_unix.go", atStart{"Resolver.lookup"}, " if macemcNoName(r, name, true) { " +
			`return dnsmessage.Parser{}, "", newDNSError(errNoSuchHost, name, "") }; `, whyNet},
		{"net/dnsclient_unix.go", atStart{"Resolver.goLookupIPCNAMEOrder"}, " if macemcNoName(r, name, false) { " +
			`return nil, dnsmessage.Name{}, newDNSError(errNoSuchHost, name, "") }; `, whyNet},
		{"net/fd_unix.go", atStart{"netFD.accept"}, " if macemcInNode() { fd = macemcInherited(fd) }; if fd.fakeNetFD != nil { return fd.fakeNetFD.accept(fd.laddr) }; ", whyNet},
		{"net/fd_unix.go", atStart{"netFD.dup"}, " if fd.fakeNetFD != nil { return nil, macemcDuplicated(fd) }; ", whyNet},
		{"net/file_unix.go", atStart{"dupFileSocket"}, ` macemcRefuse("it uses a socket of the system"); `, whyRefused},
		{"net/rawconn.go", atStart{"rawConn.PollFD"}, " if c.ok() && c.fd.fakeNetFD != nil { return nil }; ", whyNet},
		{"net/sendfile.go", atStart{"sendFile"}, " if c.fakeNetFD != nil { return 0, nil, false }; ", whyNet},
		{"net/splice_linux.go", atStart{"spliceFrom"}, " if c.fakeNetFD != nil { return 0, nil, false }; ", whyNet},
		{"net/splice_linux.go", atStart{"spliceTo"}, " if c.fakeNetFD != nil { return 0, nil, false }; ", whyNet},
		{"net/writev_unix.go", atStart{"netFD.writeBuffers"}, " if fd.fakeNetFD != nil { return macemcWriteBuffers(fd, v) }; ", whyNet},
		{"net/mptcpsock_linux.go", atStart{"isUsingMultipathTCP"}, " if fd.fakeNetFD != nil { return false }; ", whyNet},
	}
	list = append(list, fileTimes...)
	list = append(list, processChanges...)
	for _, m := range []string{"Load", "Store", "Clear", "LoadOrStore", "LoadAndDelete", "Delete", "Swap", "CompareAndSwap",
		"CompareAndDelete", "Range"} {
		list = append(list, change{"sync/map.go", atStart{"Map." + m}, " macemcPoint(" + opMap + ", macemcAddr(m)); ", why})
	}
	return append(list, netChanges...)
}()

// rewrite edits a whole file of the distribution. Line numbers stay the same.
type rewrite struct {
	file string
	edit func(text string, files map[string]string) (string, error)
	why  string
}

// rewrites turn atomic operations and memory accesses into scheduling points. The functions of package sync/atomic get bodies, and the
// original functions are renamed. Test builds disable the intrinsics, so that calls stay calls.
var rewrites = []rewrite{
	{"sync/atomic/doc.go", atomicBodies, whyAtomics},
	{"sync/atomic/doc_64.go", atomicBodies, whyAtomics},
	{"sync/atomic/type.go", typeMethods, whyAtomics},
	{"sync/atomic/value.go", valueMethods, whyAtomics},
	{"sync/mutex.go", replace("return m.mu.TryLock()", "ok := m.mu.TryLock(); if ok { macemcLocked(macemcMutex(m)) }; return ok"), whyHeld},
	{"sync/rwmutex.go", replace("\t\t\treturn true\n", "\t\t\tmacemcLocked(macemcRW(rw)); return true\n",
		"\n\treturn true\n", "\n\tmacemcLocked(macemcRW(rw)); return true\n"), whyHeld},
	{"testing/testing.go", replace("\t\tdebug.SetTraceback(\"all\")\n", "\t\tdebug.SetTraceback(\"all\"); macemcTimedOut()\n"), whyTests},
	{"testing/testing.go", replace("\tt.isParallel = true\n", "\tt.isParallel = true; if macemcIsRun(t) { parallelStart.Add(1); return }\n"),
		whyTests},
	{"testing/testing.go", replace("\t\tfmt.Print(chatty.prefix(), \"PASS\\n\")\n",
		"\t\tif macemcPasses() { fmt.Print(chatty.prefix(), \"PASS\\n\") }\n"), whyBeginning},
	{"sync/mutex.go", syncCalls, whyPlaces},
	{"sync/rwmutex.go", syncCalls, whyPlaces},
	{"sync/waitgroup.go", syncCalls, whyPlaces},
	{"sync/cond.go", syncCalls, whyPlaces},
	{"sync/once.go", syncCalls, whyPlaces},
	{"sync/map.go", syncCalls, whyPlaces},
	{"sync/pool.go", syncCalls, whyPlaces},
	{"time/time.go", clockReads, whyClock},
	{"time/sleep.go", timerPoints, why},
	{"time/tick.go", timerPoints, why},
	{"runtime/rand.go", cheapDraws, "libraries that draw from the runtime"},
	{"runtime/stack.go", stackOverflow, whyEnd},
	{"runtime/traceback.go", replace("\t\tstatus = gp.waitreason.String()\n", "\t\tstatus = macemcStatus(gp)\n",
		"bubble != nil &&\n", "bubble != nil && macemcShowsBubbles() &&\n",
		"bubble != nil {\n\t\tprint(\", synctest bubble \", bubble.id)",
		"bubble != nil && macemcShowsBubbles() {\n\t\tprint(\", synctest bubble \", macemcBubbleNumber(bubble))"), whyStacks},
	{"runtime/mprof.go", replace("\tn = int(gcount(false))\n", "\tn = int(gcount(false)) - macemcHidden()\n"), whyStacks},
	{"os/signal/signal.go", watchSignals, whySignals},
	{"runtime/mfinal.go", replace("\t\t// switch to system stack and remove",
		"\t\tif macemcSetFinalizer(sys.GetCallerPC(), e.data, nil) { return } // switch to system stack and remove"), whyFinalizers},
	{"internal/poll/fd_unix.go", replace("\terr := fd.decref()\n\n",
		"\terr := fd.decref(); if macemcFinalizes() && fd.Sysfd != -1 { err = fd.destroy() }\n\n"), whyFinalizers},
	{"runtime/sema.go", condWakes, "goroutines of packages wake those of tests"},
	{"runtime/panic.go", unprintable, whyEnd},
	{"runtime/synctest.go", replace("\t\tbubble.now = next\n", "\t\tbubble.now = macemcDue(bubble, next)\n"), "timers fire slightly late"},
	{"runtime/time.go", replace("\t\tsec = bubble.now / (1000 * 1000 * 1000)\n\t\tnsec = int32(bubble.now % (1000 * 1000 * 1000))\n",
		"\t\tnow := macemcTime(bubble); sec = now / (1000 * 1000 * 1000)\n\t\tnsec = int32(now % (1000 * 1000 * 1000))\n"), whyClock},
	{"runtime/time.go", replace("\t\treturn gp.bubble.now\n", "\t\treturn macemcTime(gp.bubble)\n"), whyClock},
	{"runtime/synctest.go", replace("bubble.now = synctestBaseTime\n", "bubble.now = macemcBubbleBegins(synctestBaseTime)\n"), whyClock},
	{"runtime/synctest.go", replace("\t\tnext := bubble.timers.wakeTime()\n", "\t\tnext := macemcIdleTime(bubble)\n"),
		"timers that were stopped wake nobody"},
	{"runtime/synctest.go", replace("\t\t\tgp.bubble.timers.check(bubble.now, bubble)\n", "\t\t\tmacemcFireIdle(bubble)\n"),
		"timers of one instant fire one by one, in any order"},
	{"testing/allocs.go", replace("\tdefer runtime.GOMAXPROCS(", "\tmacemcRefuse(\"it counts allocations\"); defer runtime.GOMAXPROCS("), whyRefused},
	{"runtime/time_nofake.go", replace("//go:linkname nanotime\n", "//go:linkname nanotime runtime.macemcRealNanotime\n"), whyLinked},
	{"runtime/timeasm.go", replace("//go:linkname time_now time.now\n", "//go:linkname time_now\n"), whyLinked},
	{"runtime/timestub.go", replace("//go:linkname time_now time.now\n", "//go:linkname time_now\n"), whyLinked},
	{"runtime/time_linux_amd64.s", replace("TEXT time·now<", "TEXT ·time_now<"), whyLinked},
	{"runtime/time_windows_amd64.s", replace("TEXT time·now(", "TEXT ·time_now("), whyLinked},
	{"runtime/time_windows_arm64.s", replace("TEXT time·now(", "TEXT ·time_now("), whyLinked},
	{"syscall/syscall_linux_amd64.go", timeOfDay, whyLinked},
	{"syscall/asm_linux_amd64.s", replace("TEXT ·gettimeofday(", "TEXT ·macemcRealTimeOfDay("), whyLinked},
	{"runtime/time.go", timerOrder, "the order of timers of the same instant"},
	{"runtime/time.go", replace("\tif t.isFake && getg().bubble == nil {\n\t\tfatal(\"stop of",
		"\tif t.isFake && getg().bubble == nil && macemcTestStep == nil {\n\t\tfatal(\"stop of"), "goroutines of packages stop timers of tests"},
	{"runtime/time.go", timerRaces, "no timer hides a data race"},
	{"sync/atomic/asm.s", renameAtomics(`(?m)^(TEXT ·)(\w+)(\(SB\))`), whyAtomics},
	{"runtime/race_amd64.s", renameAtomics(`(sync∕atomic·)(\w+)(\(SB\))`), whyAtomics},
	{"runtime/race_amd64.s", memoryInGo, whyMemory},
	{"runtime/race_amd64.s", atomicCalls, whyPlaces},
	{"runtime/race.go", renameAtomics(`(?m)^(//go:linkname abigen_sync_atomic_\w+ sync/atomic\.)(\w+)()`), whyAtomics},
	{"runtime/race.go", memoryPoints, whyMemory},
	{"runtime/race.go", raceErrors, whyRaces},
	{"runtime/race.go", racePlaces, whyPlaces},
	{"runtime/atomic_pointer.go", renameAtomics(`(?m)^(//go:linkname sync_atomic_\w+Uintptr sync/atomic\.)(\w+)()`), whyAtomics},
	{"runtime/atomic_pointer.go", pointerAtomics, whyAtomics},
	{"crypto/internal/constanttime/constant_time.go", replace("panic(\"unreachable; must be intrinsicified\")", "if b { return 1 }; return 0"),
		"packages of modules are compiled without intrinsics"},
	{"runtime/runtime1.go", asyncTimers, "modules with a language version before Go 1.23 have other timers"},
	{"net/net_fake.go", fakeNetwork, whyNet},
	{"net/pipe.go", replace("\t\td.timer = time.AfterFunc(dur, func() {\n",
		"\t\tmacemcExpires(d.cancel, dur); d.timer = time.AfterFunc(dur, func() {\n"), whyNet},
	{"net/net_fake.go", socketsOfNodes, whyNode},
}

// condWakes lets goroutines outside a test wake those that wait for a Cond in it.
func condWakes(text string, _ map[string]string) (string, error) {
	const check = "if s.g.bubble != nil && getg().bubble != s.g.bubble"
	if n := strings.Count(text, check); n != 2 {
		return "", fmt.Errorf("%d places check the bubbles of goroutines that wait for a Cond, not 2", n)
	}
	return strings.ReplaceAll(text, check, check+" && macemcT == nil"), nil
}

var assemblyTimeOfDay = regexp.MustCompile(`(?m)^//go:noescape\n(?://go:linkname gettimeofday\n)?func gettimeofday\(tv \*Timeval\) \(err Errno\)$`)

// timeOfDay replaces a function in assembly, which package golang.org/x/sys/unix calls, too.
func timeOfDay(text string, _ map[string]string) (string, error) {
	if n := len(assemblyTimeOfDay.FindAllString(text, -1)); n != 1 {
		return "", fmt.Errorf("gettimeofday is declared %d times, not once", n)
	}
	text = strings.Replace(text, "\npackage syscall\n", "\npackage syscall; import _ \"unsafe\"\n", 1)
	return assemblyTimeOfDay.ReplaceAllStringFunc(text, func(was string) string {
		return strings.Repeat("\n", strings.Count(was, "\n")-1) + "//go:linkname gettimeofday\n" +
			"func gettimeofday(tv *Timeval) (err Errno) { return macemcTimeOfDay(tv) }; func macemcRealTimeOfDay(tv *Timeval) (err Errno)"
	}), nil
}

var clockRead = regexp.MustCompile(`(?m)^func (Now\(\) Time|(Since|Until)\(t Time\) Duration) \{$`)

// clockReads makes the functions that read the clock report their caller.
func clockReads(text string, _ map[string]string) (string, error) {
	if n := len(clockRead.FindAllString(text, -1)); n != 3 {
		return "", fmt.Errorf("there are %d functions that read the clock, not 3", n)
	}
	text = strings.Replace(text, "\npackage time\n", "\npackage time; import \"internal/runtime/sys\"\n", 1)
	return clockRead.ReplaceAllString(text, "${0} macemcReadClock(sys.GetCallerPC());"), nil
}

var timerMethod = regexp.MustCompile(`(?m)^func \(t \*(Timer|Ticker)\) (Stop|Reset)\(.*\{$`)

// timerPoints turns the methods that stop and reset timers into scheduling points.
func timerPoints(text string, _ map[string]string) (string, error) {
	if n := len(timerMethod.FindAllString(text, -1)); n != 2 {
		return "", fmt.Errorf("there are %d methods that stop and reset timers, not 2", n)
	}
	text = strings.Replace(text, "\npackage time\n", "\npackage time; import \"internal/runtime/sys\"\n", 1)
	text = timerResult.ReplaceAllString(text, "${1}return macemcTimerStopped($2)")
	return timerMethod.ReplaceAllString(text, "${0} macemcTimerPoint(uintptr(unsafe.Pointer(t)), sys.GetCallerPC());"), nil
}

var timerResult = regexp.MustCompile(`(?m)^(\t)return ((?:stop|reset)Timer\(t.*\))$`)

// cheapDraws gives the runtime's own generator other symbols. Libraries that refer to the usual ones get random numbers of the schedule.
var cheapDraws = replace(
	"\n//go:linkname cheaprand\n", "\n//go:linkname cheaprand runtime.macemcCheaprand\n",
	"\n//go:linkname cheaprand64\n", "\n//go:linkname cheaprand64 runtime.macemcCheaprand64\n",
	"\n//go:linkname cheaprandn\n", "\n//go:linkname cheaprandn runtime.macemcCheaprandn\n")

// timerOrder makes the order of a bubble's timers depend only on the order in which they were armed. A select adds its timers in the order
// of their addresses. Each addition may remove stopped timers, which are then added again.
var timerOrder = replace(
	"\tts.cleanHead()\n", "\tif !t.isFake { ts.cleanHead() }\n",
	"\t\t\tt.rand = cheaprand()\n", "\t\t\tt.rand = t.macemcOrder\n",
	"\t\tts.heap[0].when = t.when\n", "\t\tts.heap[0].when = t.when; t.rand = t.macemcOrder\n",
	"\t\t\ttw.when = t.when\n", "\t\t\ttw.when = t.when; t.rand = t.macemcOrder\n")

// stackOverflow makes a stack overflow end the test.
var stackOverflow = replace("\tif newsize > maxstacksize || newsize > maxstackceiling {\n",
	"\tif (newsize > maxstacksize || newsize > maxstackceiling) && !macemcOverflowed(gp, newsize) {\n")

// unprintable makes a panic whose value cannot be printed end the test.
var unprintable = replace("throw(text + \": \" + r)", "{ macemcUnprintable(text + \": \" + r); throw(text + \": \" + r) }",
	"throw(text + \": type \"", "macemcUnprintable(text); throw(text + \": type \"")

// replace returns an edit that replaces the first text of each pair by the second. Each first text must occur exactly once.
func replace(pairs ...string) func(string, map[string]string) (string, error) {
	return func(text string, _ map[string]string) (string, error) {
		for i := 0; i < len(pairs); i += 2 {
			if n := strings.Count(text, pairs[i]); n != 1 {
				return "", fmt.Errorf("%q is there %d times, not once", pairs[i], n)
			}
			text = strings.Replace(text, pairs[i], pairs[i+1], 1)
		}
		return text, nil
	}
}

// asyncTimers adds a function that sets the asynctimerchan mode of the runtime. Bubbles require the behavior of Go 1.23. Later versions
// without that setting have no other behavior.
func asyncTimers(text string, added map[string]string) (string, error) {
	body := "return 0"
	if strings.Contains(text, "\tasynctimerchan atomic.Int32\n") {
		body = "return debug.asynctimerchan.Swap(to)"
	}
	added["runtime/zz_macemc_timers.go"] = "package runtime\n\nfunc macemcAsyncTimers(to int32) (before int32) { " + body + " }\n"
	return text, nil
}
