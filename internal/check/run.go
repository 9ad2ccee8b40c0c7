// Package check is one check from start to report: what the command line and go test share. It
// confirms what a search suspects, executes checked code where it can do no harm, describes the
// violating run and the nearest one that recovers, and writes the output folder.
package check

import (
	"cmp"
	"context"
	"errors"
	"os/exec"
	"slices"
	"sync/atomic"
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/budget"
	"github.com/macemc/macemc/internal/check/defect"
	"github.com/macemc/macemc/internal/check/isolate"
	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/report/document"
	"github.com/macemc/macemc/internal/version"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// Options say what to check and what to do with a finding. The zero value of each field but Search is
// a default.
type Options struct {
	// Search says what to search. Run sets Confirm itself. PathBuffer is called for twice as many
	// workers as there are: the second half confirm suspects.
	Search search.Config
	// Header is that of the path files, but for what follows from system and finding.
	Header choose.Header
	// Dir is the folder for a violation. When it is in use a folder in it, named by a number, is taken.
	// "": a new folder in [Root], named after the finding.
	Dir string
	// Replace makes the findings of this check take the place of those of an earlier one, which lie in Dir and in numbered
	// folders in it. Other files stay, and when one of them has a name that is needed a numbered folder is taken. Dir is left
	// as it is when it already holds the same path.
	Replace bool
	// Root is the folder in which those of many checks lie: git is told to ignore it. "": [Root] when Dir is "", else none.
	Root string
	// Respawn makes a command that starts this program again and comes to call [isolate.Reexecute] with the
	// same system. Nil: handlers that do not return are suspected only.
	Respawn func() *exec.Cmd
	// NoShrink leaves a violating run as it was found. ShrinkSteps bounds the work of shrinking it, as
	// MaxSteps does in [shrink.Config]; without it a run of more than 10,000 steps is left as it was found, and shrinking another takes
	// no more steps than the search did, or half a million, whichever is more, and ends at the limit of [search.FollowLimit].
	NoShrink    bool
	ShrinkSteps int
	// Unshrunk is told of a violation before its run is shrunk, which may take long. Its files lie in its folder by then, and those of the
	// shrunk run take their place. Nil, or with KeepGoing or Replace: nothing is written before the run is shrunk.
	Unshrunk func(*report.Report)
	// KeepGoing goes on after a violation, until a limit, and reports those that differ by kind, property, and the code that
	// handled the step that matters; dead runs whose critical step is not proven differ by kind and property alone. Each has a folder, of which Dir then holds several, named by numbers.
	KeepGoing bool
	// Commands says what a person can run next, when the report is in that folder. Nil: nothing.
	Commands func(dir string) report.Commands

	// OtherVersions are as in [report.Report].
	OtherVersions []report.OtherVersion
	// Shard says which part of a divided search it is. Nil: a whole one.
	Shard *report.Shard
	// Kept says where the states of the search are kept. Nil: nowhere.
	Kept *report.Kept

	// Cluster is where others search for this process, see Elsewhere of [search.Config]. "": nowhere.
	Cluster string

	// Proven takes a run for a liveness violation only when it is proven that nothing recovers from it.
	Proven bool

	assumed  []report.Assumption
	calls    *search.Calls   // those of the search, and of comparisons
	told     search.Progress // last
	replaced bool            // the findings of an earlier check are gone
	early    string          // where the finding lies as it was found; "": nowhere
	asFound  described       // before the run is shrunk
	hand     *hand           // nil means that nothing is searched
	problem  error           // of examining a suspect
	toldAt   time.Time
	start    time.Duration // of the check, on the clock of package budget
	// confirmsDeath confirms suspects of liveness and deadlock; it remembers what kind they were.
	confirmsDeath func(context.Context, search.Suspect) (search.Confirmed, error)
}

// Writable finds out, before anything is searched, whether a report could be written. It leaves
// nothing behind.
func Writable(o Options) error { return o.folder().probe() }

// Run searches, and reports what was found. A violation is written to an output folder. The report is
// not nil when only the writing failed. When ctx is done the search ends and what was covered until
// then is reported. The error is [ErrLost] when a process was ended by checked code before, and this one did not find out how: the process
// that waits for this one says so.
func Run(ctx context.Context, o Options) (*report.Report, error) {
	o.start = budget.Now()
	o.Search.Workers = cmp.Or(o.Search.Workers, search.DefaultWorkers())
	o.limitStates()
	o.comparesLater()
	o.hand = &hand{o: &o, dir: isolate.HandFolder()}
	o.Search.Suspected = func(s *search.Suspect) { o.hand.take(s, report.Suspected) }
	o.Search.Confirm = o.confirm
	sys, err := o.System()
	if err == nil {
		o.confirmsDeath = critical.Confirm(o.criticalConfig(sys))
	} // else the search says it
	if tell := o.Search.Progress; tell != nil {
		o.Search.Progress = func(p search.Progress) {
			o.told, o.toldAt = p, time.Now()
			tell(p)
		}
	}
	var k *keeper
	if o.KeepGoing {
		k = o.keeper(sys)
		o.Search.Confirm, o.Search.Found = k.confirm, k.found
	}
	res, err := o.search(ctx)
	if err != nil {
		return nil, err
	}
	if o.Search.Calls.Settles() && !o.Search.Calls.Refuses() && res.Verdict != search.Violation {
		return nil, isolate.ErrLost
	}
	if o.Search.Calls.Refuses() {
		states := o.Search.Strategy.Can(search.VisitsStates)
		if res.Verdict != search.Violation && (res.Verdict != search.OK || !states) || k != nil && !states && !k.died {
			return nil, isolate.ErrLost
		}
	}
	if k == nil {
		o.recur(ctx, res)
	}
	o.assumed = o.assumptions(ctx)
	if k == nil {
		return o.conclude(ctx, res)
	}
	if res.Finding != nil && res.Finding != k.last { // an Env that was used after the search
		if err := k.found(ctx, res); err != nil {
			return nil, err
		}
	}
	return k.conclude(res)
}

// following returns the context of what follows a finding, see [search.FollowLimit].
func (o *Options) following(ctx context.Context) (context.Context, context.CancelFunc) {
	if o.Search.Time > 0 {
		return budget.WithDeadline(ctx, o.start+search.FollowLimit(o.Search.Time))
	}
	return context.WithCancel(ctx)
}

// tell shows what goes on after a suspect was found, or a finding.
func (o *Options) tell(phase string) {
	if o.Search.Progress != nil {
		at := o.told
		if !o.toldAt.IsZero() {
			at.Elapsed += time.Since(o.toldAt)
		}
		at.Phase = phase
		o.Search.Progress(at)
	}
}

// search has the process that waits for this one know while nothing goes on but what the time limit ends.
func (o *Options) search(ctx context.Context) (*search.Result, error) {
	if c := o.Search.Calls; c != nil && c.Limited != nil {
		atomic.StoreUint64(c.Limited, uint64(max(0, o.Search.Time)))
		defer atomic.StoreUint64(c.Limited, 0)
	}
	return search.Run(ctx, o.Search)
}

// limitStates gives a search that keeps states a memory limit if it has none.
func (o *Options) limitStates() {
	if o.Search.MaxBytes == 0 && o.Search.Strategy.Can(search.KeepsStates) {
		o.Search.MaxBytes = isolate.DefaultMemory()
	}
}

// conclude shrinks what was found, makes the report and writes it. A fault of the checker leaves a report of what is known.
func (o *Options) conclude(ctx context.Context, res *search.Result) (r *report.Report, err error) {
	fault := defect.Guard(func() error {
		r, err = o.concluded(ctx, res)
		return nil
	})
	if fault != nil {
		r, err = o.report(res), fault
		if f := res.Finding; f != nil {
			r.Kind, r.Property, r.Message, r.Stack, r.Steps = f.Kind, f.Property, f.Message, f.Stack, f.Steps
			o.leave(r)
		}
	}
	return r, errors.Join(err, o.problem)
}

func (o *Options) concluded(ctx context.Context, res *search.Result) (*report.Report, error) {
	if res.Finding == nil {
		r := o.report(res)
		return r, o.suspect(r, res)
	}
	sys, err := o.System()
	if err != nil {
		return o.report(res), err
	}
	r, f, notShrunk, err := o.complete(ctx, &sys, res)
	switch {
	case err != nil && o.early != "":
		o.leave(r) // with a report, as it was found
		return r, err
	case f.error == nil:
		return r, err
	}
	return r, errors.Join(o.write(r, f), notShrunk, err)
}

// complete shrinks what was found, and makes the report. What was found is told also when it cannot be made smaller.
func (o *Options) complete(ctx context.Context, sys *sim.System, res *search.Result) (r *report.Report, f files, notShrunk, err error) {
	if o.shrinks(res) {
		o.describeUnshrunk(sys, res)
	}
	r = o.report(res)
	var before *original
	fault := defect.Guard(func() error {
		before, notShrunk = o.shrink(ctx, sys, res)
		return nil
	})
	if fault != nil {
		notShrunk = fault
	}
	o.tell("describing the finding")
	switch {
	case before == nil:
	case before.refused != "":
		described := o.asFound.report != nil
		if described { // after shrinking this process may describe another run
			r, f = o.asFound.report, o.asFound.files
		}
		r.NotShrunk = before.refused
		if described {
			return r, f, notShrunk, nil
		}
	default:
		r.Shrunk = &before.facts
	}
	if o.tooLong(res.Finding) {
		r.NotShrunk = "runs of more than 10,000 steps are shrunk only by macemc shrink"
	}
	if f, err = o.describe(sys, r, res); err != nil {
		return r, f, notShrunk, err
	}
	if before != nil && before.smaller {
		h := f.error.Header
		h.Note = "before it was shrunk: " + h.Note
		f.original, err = before.file(sys, h)
	}
	return r, f, notShrunk, err
}

// System is the system with only those properties that are checked.
func (o *Options) System() (sim.System, error) {
	if o.Search.Property == "" {
		return o.Search.System, nil
	}
	return o.Search.System.Only(o.Search.Property)
}

// uncovered is what a search cannot see of the system's services, told once.
func uncovered(sys *sim.System) string {
	l := declared.Limited(sys)
	if l == nil {
		return ""
	}
	text := l.Uncovered(sys.Interleave)
	if c := sys.Clocks; c != nil && (c.Offset > 0 || c.Drift > 0) {
		text += "; clock offsets and drifts other than 0 and the maximum, and clocks that jump or change their rate"
	}
	return text
}

// crashCut is what a report says of it; "": a prefix, or nodes do not fail.
func crashCut(sys *sim.System) string {
	if sys.CrashCut == sim.CutPrefix || sys.Crashes == 0 && sys.Halts == 0 {
		return ""
	}
	return sys.CrashCut.String()
}

func clocks(sys *sim.System) string {
	if sys.Clocks == nil {
		return ""
	}
	return sys.Clocks.String()
}

// report fills in what is known of every search.
func (o *Options) report(res *search.Result) *report.Report {
	c := &o.Search
	r := &report.Report{
		System:    c.System.Name,
		Nodes:     c.System.Nodes,
		Bugs:      o.Header.Bugs,
		Limits:    c.System.Limits(),
		Timing:    c.System.Timing.String(),
		Clocks:    clocks(&c.System),
		CrashCut:  crashCut(&c.System),
		Uncovered: uncovered(&c.System),
		Strategy:  string(cmp.Or(c.Strategy, search.Deepening)),
		Seed:      cmp.Or(c.Seed, 1),
		Workers:   c.Workers,
		WalkSteps: cmp.Or(c.WalkSteps, defaultWalkSteps),
		Verdict:   res.Verdict,
		Depth:     res.Stats.ExhaustedDepth,
		Work:      res.Stats.Work,
		Stopped:   res.Stopped,
		Suspects:  res.Suspects,
		Undecided: res.Undecided,
		Coverage:  report.Coverage{Coverage: res.Stats.Coverage, Assumed: o.assumed},
	}
	if r.Verdict == search.OK && slices.ContainsFunc(o.assumed, func(a report.Assumption) bool { return a.Wrong() }) {
		r.Verdict = search.Inconclusive
	}
	full := o.Search.System
	r.Program, r.OtherVersions = version.Current().String(), o.OtherVersions
	r.Kept, r.Shard, r.Cluster = o.Kept, o.Shard, o.Cluster
	r.Monitors = full.MonitorNames()
	for i, rule := range declared.ActionRules(&full) {
		if rule.Disturbs {
			r.Disturbing = append(r.Disturbing, full.ActionNames()[i])
		}
	}
	for _, d := range full.Disturbing {
		r.Disturbing = append(r.Disturbing, d.String())
	}
	if o.Search.Property != "" {
		r.Coverage.NotChecked = leftOut(&full, o.Search.Property)
	}
	document.NoteSampled(r, full.Properties)
	if res.Stats.Omission > 0 {
		r.Coverage.OmissionProbability = &res.Stats.Omission
	}
	if params := o.header().Params; len(params) > 0 {
		r.Params = map[string]string{}
		for _, p := range params {
			r.Params[p.Key] = p.Value
		}
	}
	return r
}

// leftOut names what a search for one property or monitor does not check of a system.
func leftOut(full *sim.System, only string) []string {
	names := full.MonitorNames()
	for i := len(full.Properties) - 1; i >= 0; i-- {
		names = slices.Insert(names, 0, full.Properties[i].Name)
	}
	names = append(names, sim.AssertionProperty)
	return slices.DeleteFunc(names, func(n string) bool { return n == only || n == "monitor "+only })
}

// defaultWalkSteps is the length of a walk when none is given.
const defaultWalkSteps = 2000
