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
)

// Writable checks before the search whether a report could be written. It leaves nothing behind.
func Writable(o Options) error { return (&checker{Options: o}).folder().Probe() }

// Run searches and reports the result. A violation is written to an output folder. The report is not nil if only its
// writing failed. When ctx is done, the search ends and its coverage until then is reported. The error is [isolate.ErrLost]
// if checked code ended an earlier process and this one did not find out how; the supervisor reports that.
func Run(ctx context.Context, o Options) (*report.Report, error) {
	c, err := newChecker(o)
	if err != nil {
		return nil, err
	}
	c.start, c.used = budget.Now(), budget.ProcessTime()
	c.Search.Workers = cmp.Or(c.Search.Workers, runs.DefaultWorkers())
	c.workDir, _ = os.Getwd()
	c.limitStates()
	c.comparesLater()
	c.suspectFile = &suspectFile{c: c, dir: isolate.SuspectFolder()}
	c.criticalConfirm = critical.Confirm(c.criticalConfig())
	c.Search.Suspected, c.Search.Confirm = c.suspected, c.confirm
	if tell := c.Search.Progress; tell != nil {
		c.Search.Progress = func(p search.Progress) {
			c.lastProgress, c.progressAt = p, time.Now()
			tell(p)
		}
	}
	known, err := c.accept(ctx)
	if err != nil {
		return nil, err
	}
	var k *keeper
	if c.KeepGoing || len(known) > 0 {
		k = c.keeper(known)
		c.Search.Confirm, c.Search.Found = k.confirm, k.found
	}
	before := contain.Running()
	res, err := search.Run(ctx, c.Search)
	if err != nil {
		return nil, err
	}
	if res.Finding == nil { // otherwise they do not change the report
		c.awaitRunning(before)
	}
	if c.running > 0 {
		res.Stats.Complete, res.Stats.Recovers = false, false
	}
	violated := res.Verdict == search.Violation || k != nil && k.died
	if c.Search.Calls.Settles() && !c.Search.Calls.HasSkipped() && !violated {
		return nil, isolate.ErrLost
	}
	if c.Search.Calls.HasSkipped() {
		states := c.Search.Strategy.Can(strategy.VisitsStates)
		if !violated && (res.Verdict != search.OK || !states) || c.KeepGoing && !states && !k.died {
			return nil, isolate.ErrLost
		}
	}
	if k == nil {
		c.recur(ctx, res)
	}
	c.assumed = c.assumptions(ctx)
	if k == nil {
		return c.conclude(ctx, res)
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
func (c *checker) awaitRunning(before int) {
	const tries, every = 40, 5 * time.Millisecond
	for range tries {
		if c.running = max(0, contain.Running()-before); c.running == 0 {
			return
		}
		time.Sleep(every)
	}
	if declared.CarriesAny(&c.sys) {
		c.running = 0
	}
}

// limitStates gives a search that stores states a memory limit if it has none: on Linux, half of the available memory.
func (c *checker) limitStates() {
	if c.Search.MaxBytes == 0 && c.Search.Strategy.Can(strategy.KeepsStates) {
		c.Search.MaxBytes = isolate.DefaultMemory()
	}
}

// conclude shrinks the finding, makes the report and writes it. After a panic of the checker, the report has the
// known facts.
func (c *checker) conclude(ctx context.Context, res *search.Result) (r *report.Report, err error) {
	fault := defect.Guard(func() error {
		if res.Finding == nil {
			r = c.report(res)
			err = c.suspect(r, res)
			return nil
		}
		var f files
		var notShrunk error
		switch r, f, notShrunk, err = c.complete(ctx, res); {
		case err != nil && c.unshrunkDir != "":
			c.leave(r) // with a report, as it was found
		case f.error != nil:
			err = errors.Join(c.write(r, f), notShrunk, err)
		}
		return nil
	})
	if fault != nil {
		r, err = c.report(res), fault
		if f := res.Finding; f != nil {
			r.SetFinding(&f.Finding, f.Steps)
			c.leave(r)
		}
	}
	return r, errors.Join(err, c.problem)
}

// complete shrinks the finding and makes the report. A finding that cannot be shrunk is reported, too.
func (c *checker) complete(ctx context.Context, res *search.Result) (r *report.Report, f files, notShrunk, err error) {
	r = c.report(res)
	if res.Detail == nil && tooLate(c) {
		if r, f, ok := notExecutedAgain(c, r, res.Finding); ok {
			return r, f, nil, nil
		}
	}
	if c.shrinks(res) {
		announce(c, res)
	}
	var before *original
	fault := defect.Guard(func() error {
		before, notShrunk = c.shrink(ctx, res)
		return nil
	})
	if fault != nil {
		notShrunk = fault
	}
	c.tell("describing the finding")
	described := c.asFound.report != nil && (before == nil || before.refused != "" || !before.smaller && res.Detail == nil)
	if described { // after shrinking this process may describe another run
		r, f = c.asFound.report, c.asFound.files
	}
	switch {
	case before == nil:
	case before.refused != "":
		r.NotShrunk = before.refused
	default:
		r.Shrunk = &before.facts
	}
	if c.tooLong(res.Finding) {
		r.NotShrunk = "runs of more than 10,000 steps are shrunk only by macemc shrink"
	}
	if d, ok := res.Detail.(*isolate.Death); ok && d.Running > 0 {
		r.NotShrunk = "executing the run may end this process, too"
	}
	if described {
		return r, f, notShrunk, nil
	}
	if f, err = c.describe(r, res); err != nil {
		return r, f, notShrunk, err
	}
	if before != nil && before.smaller {
		h := f.error.Header
		h.Note = "before it was shrunk: " + h.Note
		f.original, err = before.file(&c.sys, h, c.asFound.files.error)
	}
	return r, f, notShrunk, err
}
