// Runs that begin with the initialization of packages and with TestMain. Tests that use what these have started are postponed: when the
// process ends, the explorer starts another one, and the runs of that stage have nothing outside of them. The last stage executes tests
// that cannot be explored there either.

package testing

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	testsched "testing/internal"
	"time"
)

// macemcBegins means that each run of the process initializes packages and executes TestMain.
var macemcBegins = macemcAgent != nil && testsched.Begins()

// macemcBegun is when the packages of the process were initialized.
var macemcBegun time.Time

// macemcStarts is called before TestMain. A process whose runs execute TestMain does not return from it.
func macemcStarts(deps testDeps, tests []InternalTest, benchmarks []InternalBenchmark, fuzz []InternalFuzzTarget, examples []InternalExample) *M {
	m := &M{deps: deps, tests: tests, benchmarks: benchmarks, fuzzTargets: fuzz, examples: examples}
	if macemcInRun() {
		return m
	}
	macemcInitialized()
	macemcPackage = deps.ImportPath()
	macemcSetNames(tests, fuzz, examples)
	if macemcAgent == nil {
		return nil
	}
	macemcBegun = time.Now()
	macemcOnExit(macemcExits)
	if testsched.Passes() {
		macemcSpares()
	}
	if !macemcBegins {
		return nil
	}
	Init()
	notOwn := func(arg string) bool { return !strings.HasPrefix(arg, "-test.") }
	flag.CommandLine.Parse(slices.DeleteFunc(slices.Clone(os.Args[1:]), notOwn)) // packages have not defined their flags
	os.Exit(m.Run())
	return nil
}

// macemcTest is the test of a run.
var macemcTest struct {
	t      *T
	fn     func(*T)
	r      *macemcRun
	number int  // of the goroutine that executes the test, if TestMain has started it
	run    bool // TestMain has called m.Run
	ended  bool // m.Run has returned
	code   int  // result of m.Run
}

// macemcStartTest starts the goroutine that executes a test, from the beginning of the program if runs begin there.
func macemcStartTest(t *T, fn func(*T), r *macemcRun) {
	b := &macemcTest
	b.t, b.fn, b.r = t, fn, r
	macemcSubtests, macemcChoices, macemcPassed = nil, nil, nil
	b.number, b.run, b.ended, b.code = 0, false, false, 0
	if !macemcBegins {
		go tRunner(t, fn)
		return
	}
	go func() {
		defer macemcHasReturned.Store(true)
		defer macemcReturned(t)
		all := flag.CommandLine // packages add their flags, and TestMain parses
		flag.CommandLine = flag.NewFlagSet(os.Args[0], flag.ExitOnError)
		flag.CommandLine.Usage = func() { flag.Usage() }
		all.VisitAll(func(f *flag.Flag) { flag.CommandLine.Var(f.Value, f.Name, f.Usage) })
		macemcMain()
	}()
}

// macemcRunTest replaces M.Run in a run. As there, the test has a goroutine of its own.
//
//go:norace
func macemcRunTest(m *M) int {
	b := &macemcTest
	if b.run {
		macemcRefuse("TestMain calls m.Run twice")
	}
	b.run = true
	if !flag.Parsed() {
		flag.Parse()
	}
	go tRunner(b.t, b.fn)
	<-b.t.signal
	macemcReturned(b.t)
	if b.t.failed {
		m.exitCode = 1
	}
	b.ended, b.code = true, m.exitCode
	return m.exitCode
}

// macemcTestStarts is called when the goroutine of a run's test starts.
//
//go:norace
func macemcTestStarts() {
	macemcDisguise()
	macemcSetFlags()
	if macemcBegins {
		macemcTest.number = int(macemcNumber()) - macemcOwn
	}
}

// macemcEarlier reports whether a goroutine of the run is older than that of the test. It belongs to packages or to TestMain, which need
// not end it.
func macemcEarlier(g testsched.Goroutine) bool { return g.Number < macemcTest.number }

// macemcUnreached refuses a run in which TestMain did not reach the test. If that is the first run, the surroundings differ from those of
// TestMain in an earlier stage.
func macemcUnreached(x *macemcExplorer, o *testsched.Outcome) {
	if macemcBegins && !macemcTest.run && o.Kind != testsched.Unexplored && (x.first == nil || o.Kind == testsched.Passed) {
		what := "ends"
		if o.Kind != testsched.Passed {
			what = o.Title()
		}
		*o = testsched.Outcome{Kind: testsched.Unexplored, Message: "TestMain does not call m.Run in a run: " + what}
	}
}

// macemcPostponed is the latest test that a later stage executes. Nothing is reported about it here.
var macemcPostponed *T

// macemcLater are the names of these tests.
var macemcLater []string

// macemcMayPostpone reports whether a later stage can execute tests.
func macemcMayPostpone() bool { return CoverMode() == "" && len(macemcNames) > 0 && !testsched.Plain() }

// macemcPostpones reports whether a later stage executes a test that cannot be explored in this one.
func macemcPostpones(t *T, x *macemcExplorer) bool {
	started := x.r != nil && x.r.refusedOutside != "" && t.level == 1
	if !macemcBegins && (!started || !macemcMayPostpone()) {
		return false
	}
	if macemcPostponed = t; !slices.Contains(macemcLater, t.name) {
		macemcLater = append(macemcLater, t.name)
	}
	return true
}

// macemcPasses reports whether M.Run prints that all tests have passed.
func macemcPasses() bool { return len(macemcLater) == 0 && testsched.Status() == 0 }

// macemcM describes the last call of M.Run.
var macemcM struct {
	m      *M
	own    bool // by a TestMain
	undone bool // a test has left goroutines, which ended with its run
	known  bool // a test was skipped because of a known finding
}

// macemcRuns is called when M.Run begins.
func macemcRuns(m *M) {
	macemcM.m = m
	var caller [1]uintptr
	runtime.Callers(3, caller[:])
	f, _ := runtime.CallersFrames(caller[:]).Next()
	macemcM.own = f.Function != "main.main"
}

// macemcRejects reports whether TestMain fails although all tests have passed in an exploration. It may check what they leave in package
// variables, which are restored before each of them.
func macemcRejects(code int) bool {
	return code != 0 && macemcM.m != nil && macemcM.m.exitCode == 0 && !testsched.Alone() && !macemcBegins && !testsched.Plain()
}

// macemcMayReject reports whether TestMain may have failed but for what was undone of what the tests have left.
func macemcMayReject(code int) bool {
	return code == 0 && macemcM.own && (macemcM.undone || macemcUndone()) && !macemcM.known && len(macemcLater) == 0 && macemcMayPostpone() &&
		!testsched.Alone() && !macemcBegins
}

// macemcExits is called by os.Exit, and returns the status. If TestMain ends a run after m.Run, it does not return.
//
//go:norace
func macemcExits(code int) int {
	if b := &macemcTest; macemcInRun() {
		if b.ended && (b.code != 0 || code == 0) {
			macemcHasReturned.Store(true)
			select {}
		}
		return code
	}
	code = max(code, testsched.Status())
	quiet := macemcMayReject(code)
	if quiet {
		macemcLater = nil
	} else if macemcRejects(code) {
		fmt.Fprintf(os.Stderr, "macemc: TestMain ends with status %d although all tests pass; they are executed once without exploration, which restores the variables that it may check\n", code)
		code, macemcLater = 0, nil
	} else if len(macemcLater) == 0 || code > 1 || code != 0 && *failFast {
		return code
	}
	left := time.Duration(0)
	if *timeout > 0 {
		left = max(time.Second, *timeout-time.Since(macemcBegun))
	}
	macemcAgent.Continue(&testsched.Call{What: testsched.Continues, Later: macemcLater, All: macemcLater == nil, Quiet: quiet, Status: code,
		Left: left})
	return code
}
