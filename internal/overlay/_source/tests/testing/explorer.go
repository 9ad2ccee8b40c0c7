// The runs of a test function, for which the explorer asks.

package testing

import (
	"fmt"
	"internal/race"
	testrun "internal/runtime"
	"internal/synctest"
	predict "internal/syscall"
	program "internal/types"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	testsched "testing/internal"
	"time"
)

// macemcAgent is connected to the explorer; nil means that tests are not explored.
var macemcAgent = testsched.NewAgent()

// macemcExplored explores a test, and returns the function that tRunner calls instead of the test's: the same one if the test is not
// explored, whose caller may look at its stack.
func macemcExplored(t *T, fn func(*T)) func(*T) {
	if macemcAgent == nil || macemcIsSubtest(t) || t == macemcRunning || t.isSynctest || t.tstate == nil || t.tstate.isFuzzing {
		return fn
	}
	if test, seed := t.level == 1 && t.parent.parent == nil, t.level == 2 && t.parent.inFuzzFn; !test && !seed {
		return fn
	}
	x := &macemcExplorer{t: t, of: macemcSelection{fn: fn, match: t.tstate.match}}
	macemcOnDeath(func() { os.Stderr.WriteString(macemcAgent.Died()) })
	call := &testsched.Call{Unit: macemcUnit(t, fn), Race: race.Enabled}
	if deadline, ok := t.Deadline(); ok {
		call.Deadline = deadline.UnixNano()
	}
	report := macemcAgent.Explore(call, x)
	macemcOnDeath(nil)
	macemcPrintRaces()
	if report.Unexplored || report.Finding != "" || x.failed { // that run may have left locks held that later code needs
		macemcRestore()
		synctest.MacemcReset()
	}
	if report.Unexplored {
		return macemcUnexplored(t, x, report)
	}
	return func(t *T) { macemcShow(t, x, report) }
}

// macemcShow shows the result of an exploration, and executes the subtests that it has left out.
func macemcShow(t *T, x *macemcExplorer, report *testsched.Verdict) {
	macemcShowFirst(t, x, report)
	if report.Note != "" && t.chatty != nil {
		fmt.Fprintln(t.Output(), report.Note)
	}
	if report.Finding != "" {
		fmt.Fprint(t.Output(), report.Finding)
		t.Fail()
	}
	macemcRest(t, x, report.Rest)
	if report.Finding != "" {
		t.FailNow()
	}
	if report.Known != "" {
		macemcM.known = true
		fmt.Fprint(t.Output(), report.Known)
		t.SkipNow()
	}
}

// macemcShowFirst shows the output of the first run as that of the test, which it skips if that run did.
func macemcShowFirst(t *T, x *macemcExplorer, report *testsched.Verdict) {
	first := x.first
	if first == nil {
		return
	}
	if !report.Quiet && (report.Finding == "" || x.found || t.chatty != nil) {
		output := string(first.output)
		if report.Finding != "" && !x.found {
			output = macemcRefute(output, append(x.failing, report.Failing...))
		}
		t.mu.Lock()
		t.output = append(t.output, output...)
		t.mu.Unlock()
	}
	if first.hasSub.Load() {
		t.hasSub.Store(true)
		t.setRan()
	}
	if report.Finding == "" && report.Known == "" && first.skipped {
		t.SkipNow()
	}
}

// macemcUnexplored prepares the execution of a test that cannot be explored, and returns its function; one that does nothing if a later
// stage executes the test.
func macemcUnexplored(t *T, x *macemcExplorer, report *testsched.Verdict) func(*T) {
	if !report.Long && macemcPostpones(t, x) {
		return func(*T) {}
	}
	if report.Long {
		macemcLong.Store(t, nil)
		t.Cleanup(func() { macemcLong.Delete(t) })
	}
	return macemcPlainly(t, x)
}

// macemcPlainly prepares the execution of a test as go test does, and returns its function.
func macemcPlainly(t *T, x *macemcExplorer) func(*T) {
	runtime.GC()                   // collections within runs have kept garbage of the run
	macemcProcessors()             // the next run sets GOMAXPROCS to 1 again
	t.tstate.match.clearSubNames() // the subtests of the run that showed it have the same names
	t.Cleanup(func() { os.Stderr.WriteString(program.RaceText()) })
	return x.of.fn
}

// macemcLong holds the tests with [testsched.Verdict.Long] that are executing.
var macemcLong sync.Map

// macemcTimedOut is called before -timeout ends the process.
func macemcTimedOut() {
	macemcLong.Range(func(t, _ any) bool {
		for line := range strings.Lines(macemcAgent.TimesOut(t.(*T).name)) {
			os.Stdout.WriteString("    " + line)
		}
		return true
	})
}

// macemcRefute replaces the results of subtests, and of those that contain them, in the output of a run in which they passed. They fail
// under another schedule.
func macemcRefute(output string, failing []string) string {
	for _, name := range failing {
		for i := len(name); i > 0; i = strings.LastIndexByte(name, '/') {
			name = name[:i]
			output = strings.Replace(output, "--- PASS: "+name+" (", "--- FAIL: "+name+" (", 1)
		}
	}
	return output
}

type macemcExplorer struct {
	t       *T
	of      macemcSelection
	first   *T   // T of the first run
	found   bool // whether the first run had a finding
	showing macemcShowing
	last    *T       // T of the latest run
	failed  bool     // whether the latest run did not pass
	failing []string // tests and subtests that failed in the latest run with a finding
	brief   bool     // see testsched.Schedule
	pace    macemcPacing
	r       *macemcRun
	before  []int // indexes of variables that differed before the first run
	sw      []testsched.Switch
	macemcBuffers
	macemcWeighing
}

// macemcBuffers holds memory for what runs record.
type macemcBuffers struct {
	trace     []macemcEvent
	windowEnd uint32 // see macemcWindow
	states    []macemcGState
	origins   []macemcOrigin
	events    []predict.Event
	holds     []predict.Hold     // of the run, which counts their occurrences
	table     []testsched.Switch // hash table of those that the run follows
	decided   []macemcDecision   // of a systematic run
	options   []testsched.Option // the same
}

// macemcProcessors restores the default GOMAXPROCS for an unexplored test, unless the program contains package bubble, which requires one
// thread.
func macemcProcessors() {
	bubble := func(name string) bool { return strings.HasPrefix(name, "github.com/macemc/macemc/bubble.") }
	if len(macemcNames) > 0 && !slices.ContainsFunc(macemcNames, bubble) {
		runtime.SetDefaultGOMAXPROCS()
	}
}

// macemcPacing determines how far the clock advances in runs, and how long they wait in real time for goroutines outside the test. They wait
// for those that act for the test. Only patient runs also wait for the others, for timers, files and processes.
type macemcPacing struct {
	patient   bool
	needed    bool               // a run passed only because it was patient
	confirmed *testsched.Outcome // a finding that recurred in a patient run
	filed     bool               // a run has waited for a file in vain
	cycle     bool               // the goroutines of the run wait for locks of one another
	steps     int                // number of advances of the clock of the first run, if that passed
}

// files returns the maximum time for which a run waits for files before a deadlock.
func (p *macemcPacing) files() int64 {
	if p.filed {
		return macemcPatience
	}
	return macemcLastTimers
}

// again reports whether a run with a finding is to be repeated, patiently. Other runs remain patient if that one passes.
func (p *macemcPacing) again(s *testsched.Schedule, o *testsched.Outcome) bool {
	switch o.Kind {
	case testsched.Passed, testsched.Unexplored, testsched.Race:
		p.needed = p.patient
		return false
	}
	switch {
	case o.HasRace(): // it needs no confirmation
		return false
	case s.Hasty || o.Spins || p.needed || p.confirmed != nil && o.SameFinding(p.confirmed):
		return false
	case p.patient: // the repetition
		p.patient, p.confirmed, o.Patient = false, o, true
		return false
	case o.Kind == testsched.Deadlock && p.cycle: // only goroutines that act for the test might unlock, and runs wait for these
		return false
	case macemcOutsideTimer(macemcPaced) == 0 && macemcOutsideActive(macemcIOActive) == 0: // it would not differ
		return false
	}
	p.patient = true
	return true
}

// macemcLate is the reason why a test is not explored that waits too long for the goroutine of a go statement.
func macemcLate(start uintptr) string {
	return fmt.Sprintf("it waits more than %v for a goroutine that a package has started at %s",
		time.Duration(macemcPaced), testsched.Frames([]uintptr{start}).Where())
}

// Run executes the test once.
func (x *macemcExplorer) Run(s *testsched.Schedule, traced bool) *testsched.Outcome {
	var hasty *testsched.Outcome // the run is its repetition; nil means that it is none
	for {
		o := x.run1(s, traced)
		if o.Incomplete && !traced && !s.Brief && len(x.sw) < 1<<22 {
			x.sw = make([]testsched.Switch, 8*len(x.sw))
			if o.Kind != testsched.Passed {
				continue
			}
		}
		if n := len(x.trace); traced && int(x.r.ntrace) > n && n < macemcEventsMax {
			x.trace = make([]macemcEvent, macemcEventsMax)
			continue
		}
		if traced {
			if x.windowEnd = x.keep(o); x.windowEnd > 0 {
				continue
			}
		}
		if hasty != nil && o.Kind == testsched.Unexplored {
			x.pace = macemcPacing{confirmed: hasty, filed: x.pace.filed}
			return hasty
		}
		if x.of.part != "" && x.r.refusedOutside != "" {
			macemcOutsideParts = append(macemcOutsideParts, x.of.part)
		}
		if x.r.refusedOutside != "" && !x.r.output.muted && x.t.chatty != nil {
			fmt.Fprintln(x.t.Output(), "macemc: the run above is repeated: "+x.r.refusedOutside)
		}
		if !s.Brief && x.pace.again(s, o) {
			hasty = o
			if x.first == x.last {
				if x.first = nil; !x.r.output.muted && x.t.chatty != nil {
					fmt.Fprintln(x.t.Output(), "macemc: the run above is repeated, as it did not wait for a goroutine that a package has started")
				}
			}
			continue
		}
		return o
	}
}

// macemcWeighing holds hash tables of points by goroutine: for policy SURW, of all runs, and those that the explorer knows.
type macemcWeighing struct {
	weights, seen, reported [macemcWeights]testrun.Weight
}

// Weigh implements [testsched.Executor].
func (x *macemcWeighing) Weigh(list []testsched.Weight) {
	clear(x.weights[:])
	for _, w := range list {
		macemcWeigh(x.weights[:], w.Who, w.Points)
	}
}

// Weights implements [testsched.Executor].
func (x *macemcWeighing) Weights() (list []testsched.Weight) {
	for i, w := range x.seen {
		if w != x.reported[i] {
			list = append(list, testsched.Weight(w))
		}
	}
	x.reported = x.seen
	return list
}

// Effects implements [testsched.Executor].
func (x *macemcExplorer) Effects() bool { return macemcAffected() }

// Subtests returns the subtests of the latest run.
func (x *macemcExplorer) Subtests() []testsched.Subtest { return macemcSubtestList() }

// Specs implements [testsched.Executor].
func (x *macemcExplorer) Specs() string { return macemcListSpecs(x) }

// Select restricts later runs to a subtest, or leaves out some.
func (x *macemcExplorer) Select(only string, without []string, shown bool) {
	x.of.match, x.of.specs = macemcSelect(x.t, only, without), macemcSpec(only, without)
	if shown {
		x.first, x.before, x.found = nil, nil, false
	}
}

// Part returns an explorer of a subtest.
func (x *macemcExplorer) Part(test string) testsched.Runner {
	x.failed = true // what its runs leave is restored
	return macemcPart(x, test)
}
