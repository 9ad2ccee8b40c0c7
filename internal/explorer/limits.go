package explorer

import (
	"time"

	"github.com/macemc/macemc/internal/agents"
	"github.com/macemc/macemc/internal/explorer/summary"
	"github.com/macemc/macemc/internal/testbudget"
)

// limits are the limits of time of the tests of a package.
type limits struct {
	reserve time.Duration // reserved before the deadline for examining a finding
	latest  time.Time     // when the examination of a finding must have ended; the zero time means no limit
	ledger  *testbudget.Ledger
	share   testbudget.Share // of the test in progress
	cut     bool             // the time of the command was not enough for a test
	begun   time.Time        // when the first test began
	used    time.Duration    // by explorations of tests that have ended
	test    agents.Stopwatch // of the test in progress
}

// maxWaiting bounds the time of a command whose tests wait, or whose machine is busy: a test uses at least this part of its real time.
const maxWaiting = 4

// end returns the time after which no schedule begins, given the deadline of package testing, and sets l.latest. The zero time means no
// limit.
func (l *limits) end(deadline time.Time) time.Time {
	if deadline.IsZero() {
		return deadline
	}
	if l.reserve == 0 {
		l.reserve = min(10*time.Second, time.Until(deadline)/4)
	}
	l.latest = deadline.Add(-l.reserve / 4)
	return deadline.Add(-l.reserve)
}

// begin sets the time of a test to its share of the time of the command. end records what the test has used.
func (l *limits) begin(c *Config) (end func()) {
	l.share = testbudget.Share{}
	if l.ledger == nil {
		return func() {}
	}
	l.test = agents.StartWatch(time.Time{})
	if l.begun.IsZero() {
		l.begun = l.test.Start
	}
	l.set(c, l.ledger.Begin(c.Package, c.Test, l.left(c.End)))
	return func() {
		used := l.spent()
		l.used += used
		l.ledger.End(used)
	}
}

// spent returns what the test in progress has used.
func (l *limits) spent() time.Duration {
	return max(l.test.Spent(), time.Since(l.test.Start)/maxWaiting)
}

// left returns the time for explorations until end, or 0 if it is unlimited. Other parts of tests, and a busy machine, take as much of the
// rest as so far.
func (l *limits) left(end time.Time) time.Duration {
	left := until(end)
	if elapsed, used := time.Since(l.begun), l.used+l.spent(); left > 0 && used < elapsed && elapsed > time.Second {
		left = max(1, time.Duration(float64(left)*float64(used)/float64(elapsed)))
	}
	return left
}

// divide sets the time of each of some parts of a test.
func (l *limits) divide(c *Config, parts int) {
	if l.ledger != nil {
		l.set(c, l.ledger.Divide(parts, l.left(c.End)))
	}
}

func (l *limits) set(c *Config, s testbudget.Share) {
	l.share = s
	if s.By != "" {
		c.Time = s.Time
	}
}

// until returns the time left, or 0 if it is unlimited.
func until(end time.Time) time.Duration {
	if end.IsZero() {
		return 0
	}
	return max(1, time.Until(end))
}

// short returns what has ended an exploration before its full time. An empty string means that nothing has.
func (l *limits) short(r *Result) string {
	if r.Finding != nil || r.Stop != nil || r.Saturated || r.Complete != nil && r.Missing == "" || r.First == nil || r.Ended || !r.spent {
		return ""
	}
	return l.share.By
}

// cutShort describes an exploration that was ended before its full time, or returns nil.
func (l *limits) cutShort(r *Result) *summary.Short {
	by := l.short(r)
	if by == "" {
		return nil
	}
	l.cut = l.cut || by == testbudget.ByTotal
	drawn := r.sampled
	if r.Exhaustive {
		drawn = r.Schedules
	}
	return &summary.Short{By: by, Unvaried: drawn <= 1, Full: l.share.Full}
}
