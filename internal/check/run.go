// Package check runs one check from start to report, for both the command line and go test. It confirms suspects of a
// search, isolates dangerous executions of checked code, describes the violating run and the nearest recovering one,
// and writes the output folder.
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
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/version"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// Options define the check and the handling of its findings. The zero value of each field but Search is its default.
type Options struct {
	// Search configures the search. Run sets Confirm itself. PathBuffer is called for twice the number of workers:
	// the second half confirms suspects.
	Search search.Config
	// Header is the header of path files, except for the fields that system and finding determine.
	Header choose.Header
	// Dir is the folder for a violation. If it is in use, the files go to a numbered folder in it. An empty string
	// means a new folder in [Root], named after the finding.
	Dir string
	// Replace makes the findings of this check replace those of an earlier one, in Dir and in numbered folders in it.
	// Other files stay; if one of them has a needed name, a numbered folder is used. Dir is left as it is if it
	// already holds the same path.
	Replace bool
	// Root is the folder with the findings of many checks. Git ignores it. An empty string means [Root] if Dir is
	// empty, else none.
	Root string
	// Respawn makes a command that starts this program again and calls [isolate.Reexecute] with the same system. nil
	// means that handlers that do not return are only suspected.
	Respawn func() *exec.Cmd
	// NoShrink leaves a violating run as it was found. ShrinkSteps limits the work of shrinking it, as MaxSteps does
	// in [shrink.Config]. Without it, a run of more than 10,000 steps is not shrunk. Shrinking another one takes at
	// most as many steps as the search or half a million, whichever is more, and ends at [search.FollowLimit].
	NoShrink    bool
	ShrinkSteps int
	// Unshrunk is called with a violation before its run is shrunk, which may take long. Its files are in its folder
	// by then, and the files of the shrunk run replace them. If Unshrunk is nil, or with KeepGoing or Replace,
	// nothing is written before the run is shrunk.
	Unshrunk func(*report.Report)
	// KeepGoing continues after a violation until a limit. It reports violations that differ by kind, property and
	// the code that handled the important step. Dead runs without a proven critical step differ by kind and property
	// only. Each has its own numbered folder in Dir.
	KeepGoing bool
	// Commands, if non-nil, returns the commands suggested for a report in the folder dir.
	Commands func(dir string) report.Commands

	// OtherVersions are as in [report.Report].
	OtherVersions []report.OtherVersion
	// Shard identifies the part of a divided search. nil means a whole search.
	Shard *report.Shard
	// Kept describes the storage of the search's states. nil means that they are not stored.
	Kept *report.Kept

	// Cluster is the address of remote workers, see Elsewhere of [search.Config]. An empty string means none.
	Cluster string

	// Proven reports a liveness violation only if it is proven that nothing recovers from the run.
	Proven bool

	assumed  []report.Assumption
	calls    *options.Calls  // of the search and of comparisons
	told     search.Progress // the last one
	replaced bool            // the findings of an earlier check are removed
	early    string          // the folder of the finding before it was shrunk; an empty string means none
	asFound  described       // before the run is shrunk
	hand     *hand           // nil means that nothing is searched
	problem  error           // of examining a suspect
	toldAt   time.Time
	start    time.Duration // of the check, on the clock of package budget
	// confirmsDeath confirms suspects of liveness and deadlock. It remembers their kinds.
	confirmsDeath func(context.Context, search.Suspect) (search.Confirmed, error)
}

// Writable checks before the search whether a report could be written. It leaves nothing behind.
func Writable(o Options) error { return o.folder().probe() }

// Run searches and reports the result. A violation is written to an output folder. The report is not nil if only its
// writing failed. When ctx is done, the search ends and its coverage until then is reported. The error is [ErrLost]
// if checked code ended an earlier process and this one did not find out how; the supervisor reports that.
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
	} // otherwise the search returns err
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
	if res.Finding != nil && res.Finding != k.last { // use of an Env after the search
		if err := k.found(ctx, res); err != nil {
			return nil, err
		}
	}
	return k.conclude(res)
}

// following returns the context for the work after a finding, see [search.FollowLimit].
func (o *Options) following(ctx context.Context) (context.Context, context.CancelFunc) {
	if o.Search.Time > 0 {
		return budget.WithDeadline(ctx, o.start+search.FollowLimit(o.Search.Time))
	}
	return context.WithCancel(ctx)
}

// tell shows the phase after a suspect or a finding.
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

// search publishes the time limit to the supervisor while only work under that limit is in progress.
func (o *Options) search(ctx context.Context) (*search.Result, error) {
	if c := o.Search.Calls; c != nil && c.Limited != nil {
		atomic.StoreUint64(c.Limited, uint64(max(0, o.Search.Time)))
		defer atomic.StoreUint64(c.Limited, 0)
	}
	return search.Run(ctx, o.Search)
}

// limitStates gives a search that stores states a memory limit if it has none.
func (o *Options) limitStates() {
	if o.Search.MaxBytes == 0 && o.Search.Strategy.Can(search.KeepsStates) {
		o.Search.MaxBytes = isolate.DefaultMemory()
	}
}

// conclude shrinks the finding, makes the report and writes it. After a panic of the checker, the report has the
// known facts.
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

// complete shrinks the finding and makes the report. A finding that cannot be shrunk is reported, too.
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

// System returns the system with only the checked properties.
func (o *Options) System() (sim.System, error) {
	if o.Search.Property == "" {
		return o.Search.System, nil
	}
	return o.Search.System.Only(o.Search.Property)
}

// uncovered describes behavior of the system's services that a search cannot see.
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

// crashCut returns the report's entry for the crash cut. An empty string means a prefix, or no node failures.
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

// report fills in the fields common to all searches.
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
