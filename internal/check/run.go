package check

import (
	"cmp"
	"context"
	"errors"
	"os"
	"time"

	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/budget"
	"github.com/macemc/macemc/internal/check/defect"
	"github.com/macemc/macemc/internal/check/isolate"
	"github.com/macemc/macemc/internal/kernel/contain"
	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/search/runs"
	"github.com/macemc/macemc/internal/search/strategy"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// Writable checks before the search whether a report could be written. It leaves nothing behind.
func Writable(o Options) error { return o.folder().Probe() }

// Run searches and reports the result. A violation is written to an output folder. The report is not nil if only its
// writing failed. When ctx is done, the search ends and its coverage until then is reported. The error is [isolate.ErrLost]
// if checked code ended an earlier process and this one did not find out how; the supervisor reports that.
func Run(ctx context.Context, o Options) (*report.Report, error) {
	sys, err := o.System()
	if err != nil {
		return nil, err
	}
	o.start, o.used = budget.Now(), budget.ProcessTime()
	o.Search.Workers = cmp.Or(o.Search.Workers, runs.DefaultWorkers())
	o.workDir, _ = os.Getwd()
	o.limitStates()
	o.comparesLater()
	o.suspectFile = &suspectFile{o: &o, dir: isolate.SuspectFolder()}
	o.criticalConfirm = critical.Confirm(o.criticalConfig(sys))
	o.Search.Suspected, o.Search.Confirm = o.suspected, o.confirm
	if tell := o.Search.Progress; tell != nil {
		o.Search.Progress = func(p search.Progress) {
			o.lastProgress, o.progressAt = p, time.Now()
			tell(p)
		}
	}
	known, err := o.accept(ctx, &sys)
	if err != nil {
		return nil, err
	}
	var k *keeper
	if o.KeepGoing || len(known) > 0 {
		k = o.keeper(sys, known)
		o.Search.Confirm, o.Search.Found = k.confirm, k.found
	}
	before := contain.Running()
	res, err := search.Run(ctx, o.Search)
	if err != nil {
		return nil, err
	}
	if res.Finding == nil { // otherwise they do not change the report
		o.awaitRunning(&sys, before)
	}
	if o.running > 0 {
		res.Stats.Complete, res.Stats.Recovers = false, false
	}
	violated := res.Verdict == search.Violation || k != nil && k.died
	if o.Search.Calls.Settles() && !o.Search.Calls.HasSkipped() && !violated {
		return nil, isolate.ErrLost
	}
	if o.Search.Calls.HasSkipped() {
		states := o.Search.Strategy.Can(strategy.VisitsStates)
		if !violated && (res.Verdict != search.OK || !states) || o.KeepGoing && !states && !k.died {
			return nil, isolate.ErrLost
		}
	}
	if k == nil {
		o.recur(ctx, res)
	}
	o.assumed = o.assumptions(ctx)
	if k == nil {
		return o.conclude(ctx, &sys, res)
	}
	if res.Finding != nil && res.Finding != k.last { // use of an Env after the search
		if err := k.found(ctx, res); err != nil {
			return nil, err
		}
	}
	return k.conclude(res)
}

// awaitRunning counts the goroutines that handlers started and that do not end soon after the search. before is the
// number of those before it. The goroutines of programs wait between steps, so they are not counted.
func (o *Options) awaitRunning(sys *sim.System, before int) {
	const tries, every = 40, 5 * time.Millisecond
	for range tries {
		if o.running = max(0, contain.Running()-before); o.running == 0 {
			return
		}
		time.Sleep(every)
	}
	if declared.CarriesAny(sys) {
		o.running = 0
	}
}

// limitStates gives a search that stores states a memory limit if it has none: on Linux, half of the available memory.
func (o *Options) limitStates() {
	if o.Search.MaxBytes == 0 && o.Search.Strategy.Can(strategy.KeepsStates) {
		o.Search.MaxBytes = isolate.DefaultMemory()
	}
}

// conclude shrinks the finding, makes the report and writes it. After a panic of the checker, the report has the
// known facts.
func (o *Options) conclude(ctx context.Context, sys *sim.System, res *search.Result) (r *report.Report, err error) {
	fault := defect.Guard(func() error {
		if res.Finding == nil {
			r = o.report(res)
			err = o.suspect(r, res)
			return nil
		}
		var f files
		var notShrunk error
		switch r, f, notShrunk, err = o.complete(ctx, sys, res); {
		case err != nil && o.unshrunkDir != "":
			o.leave(r) // with a report, as it was found
		case f.error != nil:
			err = errors.Join(o.write(r, f), notShrunk, err)
		}
		return nil
	})
	if fault != nil {
		r, err = o.report(res), fault
		if f := res.Finding; f != nil {
			r.SetFinding(&f.Finding, f.Steps)
			o.leave(r)
		}
	}
	return r, errors.Join(err, o.problem)
}

// complete shrinks the finding and makes the report. A finding that cannot be shrunk is reported, too.
func (o *Options) complete(ctx context.Context, sys *sim.System, res *search.Result) (r *report.Report, f files, notShrunk, err error) {
	r = o.report(res)
	if res.Detail == nil && tooLate(o) {
		if f, ok := undescribed(o, sys, r, res.Finding); ok {
			return r, f, nil, nil
		}
	}
	if o.shrinks(res) {
		o.describeUnshrunk(sys, res)
	}
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
	case !before.smaller && res.Detail == nil && o.asFound.report != nil: // it is described already
		r, f = o.asFound.report, o.asFound.files
		r.Shrunk = &before.facts
		return r, f, notShrunk, nil
	default:
		r.Shrunk = &before.facts
	}
	if o.tooLong(res.Finding) {
		r.NotShrunk = "runs of more than 10,000 steps are shrunk only by macemc shrink"
	}
	if d, ok := res.Detail.(*isolate.Death); ok && d.Running > 0 {
		r.NotShrunk = "executing the run may end this process, too"
	}
	if f, err = o.describe(sys, r, res); err != nil {
		return r, f, notShrunk, err
	}
	if before != nil && before.smaller {
		h := f.error.Header
		h.Note = "before it was shrunk: " + h.Note
		f.original, err = before.file(sys, h, o.asFound.files.error)
	}
	return r, f, notShrunk, err
}
