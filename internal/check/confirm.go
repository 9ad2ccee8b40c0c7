package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/budget"
	"github.com/macemc/macemc/internal/check/defect"
	"github.com/macemc/macemc/internal/check/isolate"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// confirm examines a suspect of the search and keeps its file meanwhile. For a run that seems dead it looks for the
// critical step. A handler that seems not to return is executed in a fresh process with a longer time limit.
func (o *Options) confirm(ctx context.Context, s search.Suspect) (search.Confirmed, error) {
	o.suspected(&s)
	var c search.Confirmed
	var err error
	fault := defect.Guard(func() error {
		switch {
		case s.Kind == sim.Liveness, s.Kind == sim.Deadlock:
			c, err = o.confirmDead(ctx, s)
		case s.Kind == sim.Divergence, s.Overdue:
			c, err = o.confirmDivergence(ctx, s)
		default:
			c.Violation = true
		}
		if _, mismatch := errors.AsType[*critical.MismatchError](err); mismatch {
			c, err = o.confirmDifference(ctx, s)
		}
		return nil
	})
	if fault != nil {
		o.problem = errors.Join(o.problem, fault) // the suspect stays undecided
	}
	d, dies := c.Detail.(*isolate.Death)
	switch {
	case err != nil || !c.Violation && !c.Refuted:
		o.suspectFile.release(&s, false)
	case !c.Violation:
		o.suspectFile.release(&s, true)
	case dies && d.Endless && !o.endedProcess(&s): // shrinking it takes time, and this process may be ended meanwhile
		o.suspectFile.put(cmp.Or(c.Instead, &s), report.Confirmed)
	case c.Instead != nil:
		o.suspectFile.put(c.Instead, report.Suspected)
	}
	return c, err
}

// confirmDead decides whether a run is dead by criticalConfirm, which is [critical.Confirm]. If a walk from the run
// seems not to return, it confirms that suspect (Instead) in place of the run. If the machine was only slow, the walks
// are repeated with ten times the handler limit.
func (o *Options) confirmDead(ctx context.Context, s search.Suspect) (search.Confirmed, error) {
	c, err := o.criticalConfirm(ctx, s)
	if err != nil || c.Violation || c.Instead == nil {
		return c, err
	}
	d, err := o.confirmDivergence(ctx, *c.Instead)
	if err != nil || d.Violation {
		d.Instead = cmp.Or(d.Instead, c.Instead)
		return d, err
	}
	if !d.Refuted {
		return search.Confirmed{}, nil
	}
	sys, err := o.System()
	if err != nil {
		return d, err
	}
	cfg := o.criticalConfig(sys)
	cfg.HandlerLimit *= 10
	if c, err = critical.Confirm(cfg)(ctx, s); c.Instead != nil && !c.Violation {
		return search.Confirmed{}, err
	}
	return c, err
}

// confirmDifference decides on a suspect with a path that does not replay. If another execution confirms the
// difference, the finding is nondeterminism. Otherwise the suspect stays undecided.
func (o *Options) confirmDifference(ctx context.Context, s search.Suspect) (search.Confirmed, error) {
	r := &recurrence{o: o, found: &s, path: s.Path}
	decided, err := r.decide(ctx)
	if !decided || err != nil || r.recurs() {
		return search.Confirmed{}, err
	}
	return search.Confirmed{Violation: true, Instead: r.nondeterminism()}, nil
}

// confirmDivergence decides whether the last step of a suspect does not return, by executing the run in a fresh process,
// which Options.Respawn starts:
//
//	the step does not return there, or ends the process     violation
//	it returns                                              refuted
//	it returns, but an earlier search process ended in it   nondeterminism if checked code ended that one, else undecided
//	no Respawn, or the process fails outside checked code   undecided
//	there is no time for ConfirmLimit                       undecided
func (o *Options) confirmDivergence(ctx context.Context, s search.Suspect) (search.Confirmed, error) {
	if o.Respawn == nil {
		return search.Confirmed{}, nil
	}
	if left := o.confirming(0); left != nil { // code that depends on its process may end this one while the run is described
		_ = append(left, s.Path...)
	}
	d, last, err := isolate.Fresh{Respawn: o.Respawn, Limit: o.confirmTime(ctx)}.Examine(ctx, s.Path)
	switch {
	case errors.Is(err, context.Canceled):
		return search.Confirmed{}, nil
	case errors.Is(err, isolate.ErrOutside):
		o.problem = errors.Join(o.problem, err)
		return search.Confirmed{}, nil
	case err != nil:
		return search.Confirmed{}, err
	case d == nil && o.endedProcess(&s): // another process that it does not end does not refute it
		o.suspectFile.putExecuted(&s, last.Run())
		if calls := o.Search.Calls; calls.DiedInCheckedCode {
			last.BecomeNondeterminism(calls.HowDied, calls.DiedInCall)
			s.Finding, s.Steps, s.Overdue = last.Finding, last.Steps, false
			return search.Confirmed{Violation: true, Instead: &s, Detail: last}, nil
		}
		return search.Confirmed{}, nil
	case d == nil:
		return search.Confirmed{Refuted: true}, nil
	}
	return search.Confirmed{Violation: o.diesForSure(d), Detail: d}, nil
}

// endedProcess reports whether the last step of a suspect has ended an earlier process, and was not executed in this one.
func (o *Options) endedProcess(s *search.Suspect) bool {
	return o.Search.Calls.HasSkipped() && s.Overdue
}

// diesForSure reports whether a step ended its process, or was blocked, or did not return within ConfirmLimit.
func (o *Options) diesForSure(d *isolate.Death) bool {
	return !d.Endless || d.Waited == 0 || d.Waited >= o.fresh().Limit
}

// confirmTime returns the time limit of a step in a fresh process: ConfirmLimit, or the remaining time if that is shorter.
func (o *Options) confirmTime(ctx context.Context) time.Duration {
	limit := o.fresh().Limit
	if at, ok := budget.Deadline(ctx); ok {
		limit = max(min(limit, at-budget.Now()), limit/leastPart)
	}
	return limit
}

// leastPart is the divisor of ConfirmLimit that yields the least confirmTime.
const leastPart = 5

// criticalConfig returns the settings of the search that concern walks.
func (o *Options) criticalConfig(sys sim.System) critical.Config {
	c := &o.Search
	cfg := critical.Config{
		System: sys, Walks: c.Walks, WalkSteps: c.WalkSteps, Weights: c.Weights, Seed: c.Seed, Workers: c.Workers,
		Engine: c.Engine, RequireProof: o.RequireProof, HandlerLimit: cmp.Or(c.HandlerLimit, time.Second), Calls: c.Calls,
	}
	if c.PathBuffer != nil {
		cfg.PathBuffer = o.confirming
	}
	var shown time.Time
	cfg.Progress = func(p critical.Progress) {
		how := fmt.Sprintf("walk %d of %d", p.Walks, p.Of)
		if p.Of == 0 {
			how = "exhaustive search"
		}
		if now := time.Now(); p.Of == 0 || now.Sub(shown) > progressEvery {
			shown = now
			o.tell(fmt.Sprintf("examining a run of %d steps: from step %d, %s", p.Steps, p.Step, how))
		}
	}
	return cfg
}

// confirming returns the path buffer of a worker that confirms, or nil. Buffers of search
// workers are not reused, because their last runs must not be lost.
func (o *Options) confirming(worker int) choose.Path {
	if o.Search.PathBuffer == nil {
		return nil
	}
	return o.Search.PathBuffer(o.Search.Workers + worker)
}
