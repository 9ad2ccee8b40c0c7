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

// confirm examines a suspect that the search has passed to suspected. For a run that seems dead it looks for the
// critical step. A handler that seems not to return is executed in a fresh process with a longer time limit.
func (c *checker) confirm(ctx context.Context, s search.Suspect) (search.Confirmed, error) {
	var answer search.Confirmed
	var err error
	fault := defect.Guard(func() error {
		switch {
		case s.Kind == sim.Liveness, s.Kind == sim.Deadlock:
			answer, err = c.confirmDead(ctx, s)
		case s.Kind == sim.Divergence, s.Overdue:
			answer, err = c.confirmDivergence(ctx, s)
		default:
			answer.Violation = true
		}
		if _, mismatch := errors.AsType[*critical.MismatchError](err); mismatch {
			answer, err = c.confirmDifference(ctx, s)
		}
		return nil
	})
	if fault != nil {
		c.problem = errors.Join(c.problem, fault) // the suspect stays undecided
	}
	d, dies := answer.Detail.(*isolate.Death)
	switch {
	case err != nil || !answer.Violation && !answer.Refuted:
		c.suspectFile.release(&s, false)
	case !answer.Violation:
		c.suspectFile.release(&s, true)
	case dies && d.Endless && !c.endedProcess(&s): // shrinking it takes time, and this process may be ended meanwhile
		c.suspectFile.put(cmp.Or(answer.Instead, &s), report.Confirmed)
	case answer.Instead != nil:
		c.suspectFile.put(answer.Instead, report.Suspected)
	}
	return answer, err
}

// confirmDead decides whether a run is dead by criticalConfirm, which is [critical.Confirm]. If a walk from the run
// seems not to return, it confirms that suspect (Instead) in place of the run. If the machine was only slow, the walks
// are repeated with ten times the handler limit.
func (c *checker) confirmDead(ctx context.Context, s search.Suspect) (search.Confirmed, error) {
	answer, err := c.criticalConfirm(ctx, s)
	if err != nil || answer.Violation || answer.Instead == nil {
		return answer, err
	}
	d, err := c.confirmDivergence(ctx, *answer.Instead)
	if err != nil || d.Violation {
		d.Instead = cmp.Or(d.Instead, answer.Instead)
		return d, err
	}
	if !d.Refuted {
		return search.Confirmed{}, nil
	}
	cfg := c.criticalConfig()
	cfg.HandlerLimit *= 10
	if answer, err = critical.Confirm(cfg)(ctx, s); answer.Instead != nil && !answer.Violation {
		return search.Confirmed{}, err
	}
	return answer, err
}

// confirmDifference decides on a suspect with a path that does not replay. If another execution confirms the
// difference, the finding is nondeterminism. Otherwise the suspect stays undecided.
func (c *checker) confirmDifference(ctx context.Context, s search.Suspect) (search.Confirmed, error) {
	r := &recurrence{c: c, found: &s, path: s.Path}
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
func (c *checker) confirmDivergence(ctx context.Context, s search.Suspect) (search.Confirmed, error) {
	if c.Respawn == nil {
		return search.Confirmed{}, nil
	}
	if b := c.confirming(); b != nil { // code that depends on its process may end this one while the run is described
		_ = append(b[0], s.Path...)
	}
	d, last, err := isolate.Fresh{Respawn: c.Respawn, Limit: c.confirmTime(ctx)}.Examine(ctx, s.Path)
	switch {
	case errors.Is(err, context.Canceled):
		return search.Confirmed{}, nil
	case errors.Is(err, isolate.ErrOutside):
		c.problem = errors.Join(c.problem, err)
		return search.Confirmed{}, nil
	case err != nil:
		return search.Confirmed{}, err
	case d == nil && c.endedProcess(&s): // another process that it does not end does not refute it
		c.suspectFile.putExecuted(&s, last.Run())
		if calls := c.Search.Calls; calls.DiedInCheckedCode {
			last.BecomeNondeterminism(calls.HowDied, calls.DiedInCall)
			s.Finding, s.Steps, s.Overdue = last.Finding, last.Steps, false
			return search.Confirmed{Violation: true, Instead: &s, Detail: last}, nil
		}
		return search.Confirmed{}, nil
	case d == nil:
		return search.Confirmed{Refuted: true}, nil
	}
	return search.Confirmed{Violation: c.diesForSure(d), Detail: d}, nil
}

// endedProcess reports whether the last step of a suspect has ended an earlier process, and was not executed in this one.
func (c *checker) endedProcess(s *search.Suspect) bool {
	return c.Search.Calls.HasSkipped() && s.Overdue
}

// diesForSure reports whether a step ended its process, or was blocked, or did not return within ConfirmLimit.
func (c *checker) diesForSure(d *isolate.Death) bool {
	return !d.Endless || d.Waited == 0 || d.Waited >= c.fresh().Limit
}

// confirmTime returns the time limit of a step in a fresh process: ConfirmLimit, or the remaining time if that is shorter.
func (c *checker) confirmTime(ctx context.Context) time.Duration {
	limit := c.fresh().Limit
	if at, ok := budget.Deadline(ctx); ok {
		limit = max(min(limit, at-budget.Now()), limit/leastPart)
	}
	return limit
}

// leastPart is the divisor of ConfirmLimit that yields the least confirmTime.
const leastPart = 5

// criticalConfig returns the settings of the search that concern walks.
func (c *checker) criticalConfig() critical.Config {
	s := &c.Search
	cfg := critical.Config{
		System: c.sys, Walks: s.Walks, WalkSteps: s.WalkSteps, Weights: s.Weights, Seed: s.Seed, Workers: s.Workers,
		Engine: s.Engine, RequireProof: c.RequireProof, HandlerLimit: cmp.Or(s.HandlerLimit, time.Second), Calls: s.Calls,
		PathBuffers: c.confirming(),
	}
	var shown time.Time
	cfg.Progress = func(p critical.Progress) {
		how := fmt.Sprintf("walk %d of %d", p.Walks, p.Of)
		if p.Of == 0 {
			how = "exhaustive search"
		}
		if now := time.Now(); p.Of == 0 || now.Sub(shown) > progressEvery {
			shown = now
			c.tell(fmt.Sprintf("examining a run of %d steps: from step %d, %s", p.Steps, p.Step, how))
		}
	}
	return cfg
}

// confirming returns the path buffers of workers that confirm. Buffers of search workers are not reused, because their
// last runs must not be lost.
func (c *checker) confirming() []choose.Path {
	if c.Search.PathBuffers == nil {
		return nil
	}
	return c.Search.PathBuffers[c.Search.Workers:]
}
