package explorer

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/macemc/macemc/internal/testsched"
)

// firstFailure executes schedules in processes of their own until one fails, and reports the failure; nil means that none did. points is
// the number of points of a run, and limit the maximum number; 0 means unknown. It also returns the number of schedules that passed.
func firstFailure(s *Settings, c *Config, points, limit uint64, known func(*testsched.Outcome) bool) (report *Report, passed int) {
	most := 200
	if c.Schedules > 0 {
		most = min(most, c.Schedules)
	}
	deadline := s.within(max(10*time.Second, 2*c.Time))
	for n := 0; n < most && s.unstarted == nil && time.Now().Before(deadline); n++ {
		drawn := c.draw(n, points)
		drawn.Limit = limit
		run := func() *testsched.Outcome {
			again := *drawn
			return s.fresh(c, execution{drawn: &again})
		}
		o := run()
		if o != nil && o.Kind == testsched.Passed {
			passed++
			if points == 0 {
				points = o.Points
			}
		}
		if o.Lengthy() {
			limit = cmp.Or(limit, longer*o.Points)
			continue
		}
		if o.Fails() && !known(o) {
			found := &testsched.Schedule{Seed: drawn.Seed, Memory: drawn.Memory, Delay: c.Delay, Switches: o.Switches, Limit: limit}
			return s.confirm(c, found, o, fmt.Sprintf("found by schedule %d in a new process", n+1), run), passed
		}
	}
	return nil, passed
}

// separately explores a test in whose exploration a process has died, with a state.
func separately(s *Settings, c *Config, state string) *Report {
	begun, r := time.Now(), &Result{}
	report, passed := firstFailure(s, c, 0, 0, func(*testsched.Outcome) bool { return false })
	switch r.Schedules = passed; {
	case report == nil && (passed == 0 || s.unstarted != nil):
		if s.unstarted == nil {
			s.unstarted = errors.New("no new process executed the test in time")
		}
		report = noteReport(fmt.Sprintf("macemc: a process ended during the exploration (%s), for a reason that was not examined: %v",
			state, s.unstarted))
	case report == nil:
		report = noteReport(fmt.Sprintf("macemc: a process ended during the exploration (%s), for a reason that does not recur: "+
			"%d schedules in new processes passed", state, passed))
	default:
		r.Schedules, r.Finding = passed+1, &testsched.Outcome{}
	}
	r.Elapsed = time.Since(begun)
	return s.conclude(c.Unit, r, report, strings.TrimPrefix(report.Note, "macemc: "))
}

// dying returns the text for a panic of a goroutine outside the test, which ends the process.
func dying(u testsched.Unit) testsched.Dying {
	return testsched.Dying{Before: "macemc: a goroutine that a package has started ends the process during or after a run of " + u.String()}
}
