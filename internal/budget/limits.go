package budget

import (
	"context"
	"time"
)

// A search with the time limit T, and what follows it:
//
//	until T                   the search; once it has a finding, also the confirmation of other suspects
//	until Decide              whether a suspect is a violation; then it is undecided. The suspect gets as much time as the
//	                          search took to find it, but at least 5 s, and no longer than until T + 5 s
//	until Locate              the critical step: three quarters of what is left until FollowLimit
//	until WaitLimit           whether a step never returns
//	until FollowLimit         1.5 T + 3 s: shrinking, the last quarter (internal/check/shrink.go; internal/shrink/dead.go: divide)
//	until LastLimit           FollowLimit + 2 s: the report; then the supervising process ends the search
//	                          (internal/check/isolate/overrun.go)
//
// Decide and Locate are computed by deadlinesAt of package search.

const (
	// DefaultHandlerLimit is the default of the time after which a running handler is suspected to diverge.
	DefaultHandlerLimit = 500 * time.Millisecond
	// LeastConfirming is the minimum time limit for examining a suspect, even beyond the time limit of the search.
	LeastConfirming = 5 * time.Second
	// leastFollowing is the minimum time limit for following up a finding, even in a search with a short time limit.
	leastFollowing = 3 * time.Second
	// reportingTime is the time for describing a finding and writing the report.
	reportingTime = 2 * time.Second
)

// FollowLimit returns the time limit of a search and the follow-up of a finding together, without writing the report.
func FollowLimit(limit time.Duration) time.Duration { return limit + limit/2 + leastFollowing }

// WaitLimit returns the time limit of a search together with the decision whether a step never returns, for which a
// search of a second has enough time, too, if the step uses the processor. The rest until LastLimit suffices to report.
func WaitLimit(limit time.Duration) time.Duration {
	return max(FollowLimit(limit), LastLimit(limit)-max(limit/4, 800*time.Millisecond))
}

// LastLimit returns the time limit of a search with all that follows it.
func LastLimit(limit time.Duration) time.Duration { return FollowLimit(limit) + reportingTime }

// Deadlines limit the examination of a liveness suspect, on the clock of this package.
type Deadlines struct {
	Decide time.Duration // the examination ends, unless the suspect is known to be a violation by then
	Locate time.Duration // the analysis of a violation ends
}

type deadlinesKey struct{}

// WithDeadlines returns a context for [search.Config.Confirm].
func WithDeadlines(ctx context.Context, d Deadlines) context.Context {
	return context.WithValue(ctx, deadlinesKey{}, d)
}

// DeadlinesOf returns the deadlines in a context for [search.Config.Confirm], and false without a time limit.
func DeadlinesOf(ctx context.Context) (Deadlines, bool) {
	d, ok := ctx.Value(deadlinesKey{}).(Deadlines)
	return d, ok
}
