// The outcome of a run: failures, deadlocks, and goroutines left behind.

package testing

import (
	"cmp"
	"fmt"
	"internal/race"
	testrun "internal/runtime"
	program "internal/types"
	"math"
	"math/bits"
	"slices"
	testsched "testing/internal"
)

// macemcLeftOut are the reasons for which a test is not explored completely, by the bits of [testsched.Limits].
var macemcLeftOut = [...]string{
	"it counts the goroutines", "it uses iter.Pull, whose iterators have no scheduling points",
	"it tries to lock an RWMutex, whose Lock can be seen in two steps", "its bubbles of testing/synctest execute one after another",
	macemcMeasuresMemory,
}

const macemcMeasuresMemory = "it reads memory statistics after allocating much"

// end completes the outcome of a run.
func (x *macemcExplorer) end(o *testsched.Outcome, t2 *T, races int) {
	r := x.r
	r.refused = cmp.Or(r.refusedOutside, r.refused)
	o.Points, o.Choices, o.Hash, o.Followed, o.Outside = r.points, r.choices, r.hash, int(r.followed), r.outside
	if r.leftOut != 0 {
		o.LeftOut = macemcLeftOut[bits.TrailingZeros32(uint32(r.leftOut))]
	} else if r.policy == testrun.Systematic &&
		(macemcOutsideActive(macemcAnyActive) != 0 || macemcOutsideTimer(math.MaxInt64) != 0) {
		o.LeftOut = "a goroutine that a package has started may act at any time"
	}
	o.Executed, o.Skipped = r.executed, t2.skipped
	n := min(int(r.noperations), len(r.operations))
	o.Events, o.Unrecorded = x.events[:n], int(r.noperations)-n
	o.Incomplete = int(r.n) > len(r.record)
	o.Cut, o.Long, o.Sampled, o.Delays = r.cut || r.finished, r.long, testsched.Sampled(r.sampled), r.delays
	for _, d := range r.decided[:r.ndecided] {
		o.Decisions = append(o.Decisions, testsched.Decision{Kind: d.kind, Taken: d.taken, Options: x.options[d.first : d.first+d.n]})
	}
	raced := race.Errors() > races && r.refused == ""
	if r.leftOut&testrun.MeasuresMemory != 0 && !raced && r.mayMeasure(o, t2) {
		r.refused = cmp.Or(r.refused, macemcMeasuresMemory)
	}
	x.classify(o, t2, raced)
	if r.died || r.exited {
		o.Details = append(o.Details, fmt.Sprintf("in goroutine %d", int(r.ender)-macemcOwn))
		o.InTest = slices.ContainsFunc(testsched.Frames(r.stack[:r.nstack]), func(f testsched.Frame) bool {
			return f.Function == "testing.tRunner"
		})
	}
	if raced {
		o.AddRace()
	}
	o.Ended = r.ended[:r.nended]
	if o.Kind != testsched.Passed || len(o.Left) > 0 || len(r.states) > 0 {
		o.Switches = slices.Clone(x.sw[:min(int(r.n), len(r.record))])
	}
}

// mayMeasure reports whether statistics of memory may be why a run fails. They cause no deadlock, no leak and no runtime error.
func (r *macemcRun) mayMeasure(o *testsched.Outcome, t2 *T) bool {
	if r.died {
		return r.fatal == "" && !program.OfOperation(program.PanicText(r.panicked))
	}
	return r.exited || t2.failed || o.Kind == testsched.NoEnd
}

// classify sets the kind of the outcome of a run, if it is not set, and describes it. raced means that it has data races.
func (x *macemcExplorer) classify(o *testsched.Outcome, t2 *T, raced bool) {
	r := x.r
	frames := testsched.Frames(r.stack[:r.nstack])
	switch {
	case r.refused != "":
		o.Kind, o.Message = testsched.Unexplored, r.refused
	case r.died:
		o.Kind, o.Message = testsched.Panic, r.fatal
		if r.fatal == "" {
			o.Message = program.OneLine(program.PanicText(r.panicked))
		} else {
			o.Message = "fatal error: " + r.fatal
		}
		o.Details, o.Where = frames.Lines(), frames.Where()
		o.Show("panic", cmp.Or(r.fatal, program.PanicText(r.panicked)), frames)
	case r.exited:
		o.Kind, o.Details, o.Where = testsched.Exit, frames.Lines(), frames.Where()
		o.Message = cmp.Or(r.fatal, fmt.Sprintf("os.Exit(%d) was called", r.code))
		o.Show(o.Message, "", frames)
	case r.printing != "":
		o.Kind, o.Details, o.Where = testsched.Panic, frames.Lines(), frames.Where()
		o.Message = "a value of type " + r.printing + ", whose method Error or String does not return"
		o.Show(o.Message, "", frames)
	case o.Kind == testsched.NoEnd && r.number != 0:
		o.Show("loop", "", frames)
		o.Spins, o.Where, o.Details = true, frames.Where(), frames.Lines()
		o.Message = fmt.Sprintf("goroutine %d loops without a scheduling point at %s", int(r.number)-macemcOwn, o.Where)
	case o.Kind == testsched.NoEnd || o.Kind == testsched.Deadlock || o.Kind == testsched.Leak && r.noEnd:
	case t2.failed && (!raced || macemcFailed != nil):
		o.Kind = testsched.Failed
		o.Message = cmp.Or(macemcFailure, macemcFailedSpec(x), "the test failed")
		if !x.showing.logs(x.first) {
			o.Details = testsched.Logs(string(t2.output), o.Message)
		}
	}
}

// macemcShown is the maximum number of failures of a run that identify a finding.
const macemcShown = 1000

// identify records what the outcome shows.
func (x *macemcExplorer) identify(o *testsched.Outcome) {
	if o.Kind == testsched.Passed || o.Kind == testsched.Unexplored {
		return
	}
	x.failing = nil
	for i := range min(len(macemcFailures), macemcShown) {
		f := &macemcFailures[i]
		var helpers []string
		x.failing = append(x.failing, f.test.name)
		for pc := range f.test.helperPCs {
			helpers = append(helpers, pcToName(pc))
		}
		o.ShowFailure(f.test.name, cmp.Or(f.text, macemcFailedSpec(x)), macemcFrames(f.stack[:]), helpers)
	}
	o.Identify()
}

// goroutines describes the goroutines of the run, ordered by age.
func (x *macemcExplorer) goroutines(left bool) []testsched.Goroutine {
	list := make([]macemcGoroutine, min(macemcTotal(), macemcGoroutinesMax))
	list = list[:macemcGoroutines(list, left)]
	byAge := make([]*macemcGoroutine, len(list)) // they are large
	for i := range list {
		byAge[i] = &list[i]
	}
	slices.SortFunc(byAge, func(a, b *macemcGoroutine) int { return int(a.number) - int(b.number) })
	all := make([]testsched.Goroutine, 0, len(list))
	for _, d := range byAge {
		f := testsched.Frames(d.stack[:d.n])
		g := testsched.Goroutine{Number: int(d.number) - macemcOwn, Waits: d.why, At: f.Where(), Func: f.Func(),
			Unwakable: d.unwakable, Go: d.from, Stack: f,
			Op: program.Op(d.op), Address: testsched.Address(d.obj)}
		if d.number > macemcOwn+1 {
			g.Creation = testsched.Frames([]uintptr{d.start})
			g.Started = g.Creation.Where()
		}
		if d.holder != 0 {
			for k := range list {
				if list[k].who == d.holder {
					g.Holder = int(list[k].number) - macemcOwn
				}
			}
		}
		all = append(all, g)
	}
	return all
}

func (x *macemcExplorer) blocked(o *testsched.Outcome) {
	_, file := macemcFiles()
	x.pace.filed = x.pace.filed || file != 0
	if o.Kind = testsched.Deadlock; x.brief {
		return
	}
	o.Waiting = x.goroutines(false)
	o.Message, o.Where = testsched.Blocked(o.Waiting, false)
	if macemcOutsideActive(macemcAnyActive) != 0 && !x.pace.cycle {
		o.Message += ", unless a goroutine that a package has started does so later"
	}
	if file != 0 {
		o.Message += ", unless another process uses a file that they share"
	}
}

// blockedParts reports whether a run that does not terminate has goroutines that nothing can wake. If so, it sets the outcome.
func (x *macemcExplorer) blockedParts(o *testsched.Outcome) bool {
	unwakable := slices.DeleteFunc(x.goroutines(true), func(g testsched.Goroutine) bool { return !g.Unwakable || macemcEarlier(g) })
	if x.r.number != 0 || len(unwakable) == 0 {
		return false
	}
	o.Kind, o.Waiting = testsched.Leak, unwakable
	if slices.ContainsFunc(unwakable, macemcIsTest) {
		o.Kind = testsched.Deadlock
	}
	o.Message, o.Where = testsched.Blocked(unwakable, false)
	return true
}

func (x *macemcExplorer) stuck(o *testsched.Outcome) {
	o.Kind, o.Waiting = testsched.NoEnd, x.goroutines(false)
	o.Stuck(int(x.r.limit / 1000 * 1000))
}

// left sets the outcome of a run that has left goroutines behind. Goroutines that something can still wake are not leaks.
func (x *macemcExplorer) left(o *testsched.Outcome) {
	macemcRunning = nil
	if x.brief && !macemcBegins && macemcLeaks() {
		o.Kind = testsched.Leak
		return
	}
	var unwakable []testsched.Goroutine
	for _, g := range x.goroutines(true) {
		switch {
		case macemcEarlier(g):
		case g.Unwakable:
			unwakable = append(unwakable, g)
		default:
			o.Left = append(o.Left, testsched.Leaves(g))
		}
	}
	macemcM.undone = macemcM.undone || len(unwakable)+len(o.Left) > 0
	if len(unwakable) > 0 {
		o.Kind, o.Waiting = testsched.Leak, unwakable
		o.Message, o.Where = testsched.Blocked(unwakable, true)
	}
}
