package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/budget"
	"github.com/macemc/macemc/internal/check/defect"
	"github.com/macemc/macemc/internal/check/isolate"
	"github.com/macemc/macemc/internal/kernel/contain"
	"github.com/macemc/macemc/internal/pathfile"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/report/document"
	"github.com/macemc/macemc/internal/shrink"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// original is a finding before it is shrunk.
type original struct {
	path    choose.Path
	death   *isolate.Death // how the last step of path kills its process; nil means that it does not
	smaller bool           // the run is replaced by a smaller one
	refused string         // why a smaller run does not replace it; an empty string means that none was refused
	facts   report.Shrunk
}

func (b *original) tell(r *shrink.Result, began time.Time) {
	b.facts.FromSteps, b.facts.Candidates, b.facts.Executed = r.From, r.Tried, r.Executed
	b.facts.Minimal, b.facts.Pairs, b.facts.Choices, b.facts.Over, b.facts.Left = r.Minimal, r.Pairs, r.Choices, r.Over, r.Left
	b.facts.Seconds = time.Since(began).Seconds()
}

// file returns the run as a path file. asFound is the file that it had before, or nil.
func (b *original) file(sys *sim.System, h pathfile.Header, asFound *pathfile.File) (*pathfile.File, error) {
	switch {
	case b.death != nil:
		return b.death.File(sys, h)
	case asFound != nil:
		f := *asFound
		f.Header = replay.HeaderOf(sys, h)
		return &f, nil
	}
	return replay.WriteFile(sys, h, b.path)
}

// executedAgain is the number of executions of a smaller run for which time is left: the last one of shrinking, one in a fresh process,
// and one to describe it.
const executedAgain = 3

// mostShrunk is the maximum length of a run that is shrunk without a request. Each candidate is executed, so for
// longer runs, such as recordings, too few candidates would be tried.
const mostShrunk = shrink.DefaultMaxSteps / 200

// tooLong reports whether a run is not shrunk because it is too long and there was no request.
func (c *checker) tooLong(found *search.Suspect) bool {
	return !c.NoShrink && c.ShrinkSteps == 0 && found.Steps > mostShrunk
}

const (
	// leastShrinkTime is the minimum processor time for all that shrinking a run without a request adds to a check.
	leastShrinkTime = 5 * time.Second
	// reservedShare divides that time. The quotient is for executing the result in a fresh process and describing it, or the time
	// that it took to describe the original run, if that is more.
	reservedShare = 10
)

// shrinkTime returns the limit of processor time for shrinking a finding. Together with what follows it takes no longer than the
// check has taken, or than leastShrinkTime. 0 means no limit.
func (c *checker) shrinkTime() time.Duration {
	if c.ShrinkSteps > 0 {
		return 0
	}
	limit := max(leastShrinkTime, budget.ProcessTime()-c.used)
	return limit - min(max(limit/reservedShare, c.asFound.took), limit/2)
}

// slowdown is the factor by which a step of shrinking takes longer than a step of a confirming walk. Those walks
// begin at common states and are executed by tables.
const slowdown = 4

// searchedSteps returns the counted steps of the search and of confirming. They limit those of shrinking. Unlike the time
// limit, that does not make the result depend on the machine.
func searchedSteps(res *search.Result) int {
	steps := res.Stats.Events
	if c, ok := res.Detail.(*critical.Result); ok {
		for _, p := range c.Probes {
			steps += (p.Walks - p.Recovered) * p.Limit / slowdown
		}
	}
	return steps
}

// shrinks reports whether the run of a finding will be shrunk.
func (c *checker) shrinks(res *search.Result) bool {
	if d, ok := res.Detail.(*isolate.Death); ok && (c.Respawn == nil || d.Steps == 0 || d.Running > 0 || d.Kind == sim.Nondeterminism) {
		return false
	}
	return !c.NoShrink && res.Finding != nil && res.Finding.Starved == nil && !c.tooLong(res.Finding)
}

// described is the report of a finding and its path files.
type described struct {
	report *report.Report
	files  files
	took   time.Duration // processor time
	// executing is the time to execute the run once in a fresh process; 0 means unknown.
	executing time.Duration
}

// tooLate reports whether the search would end before the run of its finding had been executed once more.
func tooLate(c *checker) bool {
	return c.Search.Time > 0 && c.start+budget.LastLimit(c.Search.Time)-budget.Now() < c.asFound.executing
}

// describeAsFound describes a finding before its run is shrunk. Without an error, it records the result in asFound.
func (c *checker) describeAsFound(res *search.Result) (*report.Report, files, error) {
	began := budget.ProcessTime()
	r := c.report(res)
	f, err := c.describe(r, res)
	if err == nil {
		c.asFound.report, c.asFound.files, c.asFound.took = r, f, budget.ProcessTime()-began
	}
	return r, f, err
}

// announce describes a finding before its run is shrunk, unless asFound has it. If Unshrunk is set, it writes the
// finding, and its text to Unshrunk. It drops the error, because a finding that cannot be written here cannot be written
// later either.
func announce(c *checker, res *search.Result) {
	r, f, err := c.asFound.report, c.asFound.files, error(nil)
	if r == nil {
		r, f, err = c.describeAsFound(res)
	}
	if c.Unshrunk == nil || c.Replace || c.KeepGoing {
		return
	}
	if err == nil {
		err = c.write(r, f)
	}
	if err == nil {
		c.unshrunkDir = filepath.Dir(r.PathFile)
		_ = isolate.NoteFound(c.unshrunkDir) // in case this process is killed
	}
	fmt.Fprintln(c.Unshrunk, document.UnshrunkText(r))
}

// shrinking returns the settings for shrinking a finding.
func shrinking(c *checker, res *search.Result) shrink.Config {
	f := res.Finding
	return shrink.Config{
		Walks: c.criticalConfig(), Path: f.Path, MaxSteps: c.ShrinkSteps, Searched: searchedSteps(res), Time: c.shrinkTime(),
		Progress: c.shrinkProgress(f), Repeated: executedAgain,
		Finding: f.Finding,
	}
}

// shrink shrinks the run of a finding in place. It returns nil if that was not requested or is not possible.
func (c *checker) shrink(ctx context.Context, res *search.Result) (*original, error) {
	if !c.shrinks(res) {
		return nil, nil
	}
	ctx, cancel := c.following(ctx)
	defer cancel()
	began := time.Now()
	found := res.Finding
	cfg := shrinking(c, res)
	before := &original{path: found.Path}
	switch detail := res.Detail.(type) {
	case *isolate.Death:
		before.path = detail.Path()
		small, d, err := c.shrinkDeath(ctx, detail, found)
		if err != nil {
			return nil, err
		}
		if small == nil {
			before.refused = "there was no time to wait for the last step of a smaller run"
			return before, nil
		}
		before.death, before.smaller, res.Detail = detail, d != detail, d
		before.tell(small, began)
		return before, nil
	case *critical.Result:
		property, err := c.violated(detail, found.Property)
		if err != nil {
			return nil, err
		}
		cfg.Dead, cfg.Finding.Property = detail, property
		before.path, before.facts.FromCritical = detail.Dead, detail.Step
	}
	small, err := guarded(ctx, cfg)
	switch {
	case errors.Is(err, shrink.ErrUnable):
		return nil, nil
	case errors.Is(err, shrink.ErrEnded):
		return &original{refused: err.Error()}, nil
	case err != nil:
		return nil, err
	}
	before.tell(small, began)
	after := *found
	after.Path, after.Steps, after.Property = small.Path, small.Steps, cfg.Finding.Property
	if small.Finding != nil {
		after.Finding = *small.Finding
	}
	if !slices.Equal(small.Path, before.path) {
		before.refused, err = c.refuses(ctx, &after, small)
		if err != nil || before.refused != "" {
			return before, err
		}
		before.smaller = true
	}
	if small.Dead != nil {
		res.Detail = small.Dead
	}
	res.Finding = &after
	return before, nil
}

// violated returns the property that a dead run violates, see [deadProperty].
func (c *checker) violated(of *critical.Result, suspected string) (string, error) {
	if c.asFound.report != nil { // executing a long run takes seconds
		return c.asFound.report.Property, nil
	}
	dead, err := replay.RecordNear(&c.sys, of.Dead, c.tracing(), replay.Outlined)
	if err != nil {
		return "", err
	}
	return deadProperty(dead, of.Step, suspected), nil
}

// guarded shrinks a run. If a candidate ends its goroutine, guarded shrinks it again with contained worlds, which are slower.
func guarded(ctx context.Context, cfg shrink.Config) (small *shrink.Result, err error) {
	var fault error
	run := func() {
		fault = defect.Guard(func() error {
			small, err = shrink.Run(ctx, cfg)
			return nil
		})
	}
	if contain.Guard(run) != nil {
		cfg.Contain = true
		run()
	}
	if fault != nil {
		return nil, fault
	}
	return small, err
}

// refuses executes a smaller run in a fresh process, if one can be started, and returns why it is not accepted. An
// empty string means that it shows the finding.
func (c *checker) refuses(ctx context.Context, found *search.Suspect, small *shrink.Result) (string, error) {
	c.tell(fmt.Sprintf("executing a smaller run of %d steps in a fresh process", small.Steps))
	ctx, cancel := c.graceful(ctx)
	defer cancel()
	path := small.Path
	if small.Dead != nil {
		path = small.Dead.Dead
	}
	r := &recurrence{c: c, found: found, path: path}
	decided, err := r.decide(ctx)
	switch {
	case err != nil:
		return "", err
	case !decided:
		return "there was no time to execute a smaller run in a fresh process", nil
	case !r.recurs():
		return "a smaller run does not recur in a fresh process", nil
	}
	return "", nil
}

const (
	// maxProcesses is the maximum number of fresh processes for shrinking a run that kills them or does not return.
	maxProcesses = 250
	// quickShare divides the confirming time limit of a step while shrinking. After a wrong result, longShare divides it.
	quickShare    = 40
	longShare     = 10
	leastPatience = 100 * time.Millisecond
)

// shrinkDeath shrinks a run with a last step that kills its process or does not return. Each candidate is executed in
// a fresh process, with a short time limit for steps. The result is confirmed like any suspect. If that fails,
// shrinking continues from the smallest confirmed run with a longer time limit. All results are nil without the time to confirm.
func (c *checker) shrinkDeath(ctx context.Context, d *isolate.Death, found *search.Suspect) (*shrink.Result, *isolate.Death, error) {
	script := func(d *isolate.Death) (shrink.Script, error) {
		if err := c.describeDeath(d); err != nil {
			return shrink.Script{}, err
		}
		return d.Script()
	}
	start, err := script(d)
	if err != nil {
		return nil, nil, err
	}
	path, last := d.Path(), start.Steps[len(start.Steps)-1].Class
	// dies returns the death of a candidate; nil means that it has none, or one of another kind.
	dies := func(ctx context.Context, s *shrink.Script, limit time.Duration) (*isolate.Death, error) {
		if n := len(s.Steps); n == 0 || s.Steps[n-1].Class != last {
			return nil, nil
		}
		got, err := isolate.Fresh{Respawn: c.Respawn, Limit: limit}.ExamineScript(ctx, path, s)
		if err != nil || got == nil || got.Steps == 0 || got.Cause() != d.Cause() {
			return nil, err
		}
		return got, nil
	}
	limit := c.confirmTime(ctx)
	reducing, confirming := ctx, context.WithoutCancel(ctx)
	if at, ok := budget.Deadline(ctx); ok {
		left := at - budget.Now()
		reserve := left / 10 // for confirming the result
		switch {
		case d.Endless && d.Waited == 0:
			reserve = limit / 2
		case d.Endless:
			if reserve = c.fresh().Limit; left < reserve+leastPatience {
				return nil, nil, nil
			}
			limit = reserve
		}
		var cancel context.CancelFunc
		reducing, cancel = budget.WithDeadline(ctx, at-reserve)
		defer cancel()
		confirming, cancel = budget.WithDeadline(confirming, at)
		defer cancel()
	}
	patience := limit // a step that dies by itself gets the whole limit
	if d.Endless {
		patience = max(limit/quickShare, leastPatience)
	}
	sure, small, err := shrink.Isolated(reducing, shrink.IsolatedConfig[isolate.Death]{
		Start: start, MaxTried: maxProcesses, Progress: c.shrinkProgress(found),
		Judge: func(ctx context.Context, s shrink.Script) (shrink.Script, bool, error) {
			got, err := dies(ctx, &s, patience)
			if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
				return s, false, nil
			}
			if got == nil || err != nil {
				return s, false, err
			}
			run, err := script(got)
			if err != nil || run.Steps[len(run.Steps)-1].Class != last {
				return s, false, err
			}
			return run, true, nil
		},
		Confirm: func(s shrink.Script) (*isolate.Death, error) {
			got, err := dies(confirming, &s, limit)
			switch {
			case confirming.Err() != nil:
				return nil, nil // the run that was found is known to end so
			case got == nil:
				patience = max(patience, limit/longShare)
			case !c.diesForSure(got) || d.Waited == 0 && got.Waited != 0:
				return nil, nil // the run that was found is sure
			}
			return got, err
		},
	})
	return small, cmp.Or(sure, d), err
}

// shrinkProgress reports shrinking as the last phase of the search, together with the finding, which remains if
// shrinking is interrupted.
func (c *checker) shrinkProgress(found *search.Suspect) func(shrink.Progress) {
	if c.Search.Progress == nil {
		return nil
	}
	var shown time.Time
	return func(p shrink.Progress) {
		if now := time.Now(); now.Sub(shown) > progressEvery {
			shown = now
			c.tell(fmt.Sprintf("found %s in %d steps; shrinking, candidate %d, %d steps", found.Kind, found.Steps, p.Tried, p.Steps))
		}
	}
}

// progressEvery is the interval between progress reports of shrinking.
const progressEvery = 200 * time.Millisecond
