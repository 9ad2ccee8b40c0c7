package search

import (
	"context"
	"errors"
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/budget"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/sim"
)

// suspect passes a suspect to the caller.
func (c *Config) suspect(s *Suspect) {
	if c.Suspected != nil {
		c.Suspected(s)
	}
}

// divergence returns the suspect of a run whose last step seems not to return.
func (c *Config) divergence(path choose.Path, strategy Name) *Suspect {
	f := sim.Finding{Kind: sim.Divergence, Node: -1, Message: "the handler " + runloop.DidNotReturn(c.HandlerLimit)}
	return &Suspect{Finding: f, Path: path, Strategy: strategy, Overdue: true}
}

// confirming returns the context of a confirmation that begins at the time of the call. In a search with a time limit
// its deadline is that of [budget.FollowLimit], or, for a step that does not return, [budget.WaitLimit]. It is that of
// the search if the search already has a finding.
func (c *Config) confirming(ctx context.Context, sus *Suspect, found bool) (context.Context, context.CancelFunc) {
	switch {
	case c.Time <= 0:
		return ctx, func() {}
	case found:
		return budget.WithDeadline(ctx, c.start+c.Time)
	case sus.Overdue:
		return budget.WithDeadline(ctx, c.start+budget.WaitLimit(c.Time))
	}
	ctx = budget.WithDeadlines(ctx, c.deadlinesAt(budget.Now()))
	return budget.WithDeadline(ctx, c.start+budget.FollowLimit(c.Time))
}

// undecided reports whether a confirmation failed because its context ended, or at its [budget.Deadlines].
func undecided(limited context.Context, err error) bool {
	return err != nil && (limited.Err() != nil || errors.Is(err, context.DeadlineExceeded))
}

// deadlinesAt returns the deadlines for a suspect found at a time. The time to decide equals the elapsed time of the
// search, but is at least [budget.LeastConfirming], and ends at most that long after the time of the search. A quarter of
// the remaining time is for shrinking.
func (c *Config) deadlinesAt(now time.Duration) budget.Deadlines {
	end := c.start + budget.FollowLimit(c.Time)
	return budget.Deadlines{
		Decide: min(now+max(now-c.start, budget.LeastConfirming), c.start+c.Time+budget.LeastConfirming, end),
		Locate: now + max(0, end-now)/4*3,
	}
}
