package search

import (
	"context"
	"errors"
	"time"

	"github.com/macemc/macemc/internal/budget"
)

const (
	// LeastConfirming is how long a suspect is examined at least, if that takes so long, be it beyond the time limit of the search.
	LeastConfirming = 5 * time.Second
	// leastFollowing is how long a finding is followed up at least, be it in a search with a short time limit.
	leastFollowing = 3 * time.Second
)

// suspect tells the caller of a suspect.
func (c *Config) suspect(s *Suspect) {
	if c.Suspected != nil {
		c.Suspected(s)
	}
}

// FollowLimit returns how long a search with a time limit and all that follows a finding may take together, without writing the report.
func FollowLimit(limit time.Duration) time.Duration { return limit + limit/2 + leastFollowing }

// Patience says until when a suspect of liveness is examined, on the clock of package budget.
type Patience struct {
	Decide time.Duration // when it is given up, unless it is a violation by what is known then
	Locate time.Duration // when no more is found out about a violation
}

type patienceKey struct{}

// PatienceOf returns the patience that a context for [Config.Confirm] has; it is false without a time limit.
func PatienceOf(ctx context.Context) (Patience, bool) {
	p, ok := ctx.Value(patienceKey{}).(Patience)
	return p, ok
}

// confirming returns the context of a confirmation that begins now. In a search with a time limit its deadline is that of [FollowLimit], and that
// of the search for a search that has a finding.
func (c *Config) confirming(ctx context.Context, sus *Suspect, found bool) (context.Context, context.CancelFunc) {
	switch {
	case c.Time <= 0:
		return ctx, func() {}
	case found:
		return budget.WithDeadline(ctx, c.start+c.Time)
	case !sus.Overdue:
		ctx = context.WithValue(ctx, patienceKey{}, c.patienceAt(budget.Now()))
	}
	return budget.WithDeadline(ctx, c.start+FollowLimit(c.Time))
}

// undecided reports whether the error of a confirmation is that its context ended, or the patience that came with it.
func undecided(limited context.Context, err error) bool {
	return err != nil && (limited.Err() != nil || errors.Is(err, context.DeadlineExceeded))
}

// patienceAt returns the patience with a suspect that comes up at a time: it is decided on in as much time as the search took until then, or
// LeastConfirming if that is more, and by LeastConfirming after the time of the search. Of the time that is left, a quarter is
// for shrinking.
func (c *Config) patienceAt(now time.Duration) Patience {
	end := c.start + FollowLimit(c.Time)
	return Patience{
		Decide: min(now+max(now-c.start, LeastConfirming), c.start+c.Time+LeastConfirming, end),
		Locate: now + max(0, end-now)/4*3,
	}
}
