package search

import (
	"context"
	"errors"
	"time"

	"github.com/macemc/macemc/internal/budget"
)

// A search with the time limit T, and what follows it:
//
//	until T                   the search; once it has a finding, also the confirmation of other suspects
//	until Decide (T + 5 s)    whether a suspect is a violation; then it is undecided
//	until Locate              the critical step: three quarters of what is left until FollowLimit
//	until FollowLimit         shrinking (internal/check/shrink.go, internal/shrink/dead.go: divide)
//	until LastLimit           the report; after it, the first process ends the search (internal/check/isolate/overrun.go)

const (
	// LeastConfirming is the minimum time limit for examining a suspect, even beyond the time limit of the search.
	LeastConfirming = 5 * time.Second
	// leastFollowing is the minimum time limit for following up a finding, even in a search with a short time limit.
	leastFollowing = 3 * time.Second
	// reportingTime is the time for describing a finding and writing the report.
	reportingTime = 2 * time.Second
)

// suspect passes a suspect to the caller.
func (c *Config) suspect(s *Suspect) {
	if c.Suspected != nil {
		c.Suspected(s)
	}
}

// FollowLimit returns the time limit of a search and the follow-up of a finding together, without writing the report.
func FollowLimit(limit time.Duration) time.Duration { return limit + limit/2 + leastFollowing }

// LastLimit returns the time limit of a search with all that follows it.
func LastLimit(limit time.Duration) time.Duration { return FollowLimit(limit) + reportingTime }

// Deadlines limit the examination of a liveness suspect, on the clock of package budget.
type Deadlines struct {
	Decide time.Duration // the examination ends, unless the suspect is known to be a violation by then
	Locate time.Duration // the analysis of a violation ends
}

type deadlinesKey struct{}

// DeadlinesOf returns the deadlines in a context for [Config.Confirm], and false without a time limit.
func DeadlinesOf(ctx context.Context) (Deadlines, bool) {
	p, ok := ctx.Value(deadlinesKey{}).(Deadlines)
	return p, ok
}

// confirming returns the context of a confirmation that begins at the time of the call. In a search with a time limit
// its deadline is that of [FollowLimit], or that of the search if the search already has a finding.
func (c *Config) confirming(ctx context.Context, sus *Suspect, found bool) (context.Context, context.CancelFunc) {
	switch {
	case c.Time <= 0:
		return ctx, func() {}
	case found:
		return budget.WithDeadline(ctx, c.start+c.Time)
	case !sus.Overdue:
		ctx = context.WithValue(ctx, deadlinesKey{}, c.deadlinesAt(budget.Now()))
	}
	return budget.WithDeadline(ctx, c.start+FollowLimit(c.Time))
}

// undecided reports whether a confirmation failed because its context ended, or at its [Deadlines].
func undecided(limited context.Context, err error) bool {
	return err != nil && (limited.Err() != nil || errors.Is(err, context.DeadlineExceeded))
}

// deadlinesAt returns the deadlines for a suspect found at a time. The time to decide equals the elapsed time of the
// search, but is at least LeastConfirming, and ends at most LeastConfirming after the time of the search. A quarter of
// the remaining time is for shrinking.
func (c *Config) deadlinesAt(now time.Duration) Deadlines {
	end := c.start + FollowLimit(c.Time)
	return Deadlines{
		Decide: min(now+max(now-c.start, LeastConfirming), c.start+c.Time+LeastConfirming, end),
		Locate: now + max(0, end-now)/4*3,
	}
}
