package minimize

import (
	"time"

	"github.com/macemc/macemc/internal/agents"
	"github.com/macemc/macemc/internal/testsched"
)

// Nearest returns the outcome of the nearest passing schedule; nil means that none was found before end. It tries the finding's schedule
// without one switch, then the default order, then random schedules, from which it removes switches.
func Nearest(sch *testsched.Schedule, end time.Time, run Execute) (near *testsched.Outcome) {
	start := agents.StartWatch(end)
	seed, left := sch.Seed, func() bool { return !start.Over(Longest) }
	try := func(list []testsched.Switch) bool {
		if !left() {
			return false
		}
		less := *sch
		less.Seed = seed
		less.Switches = list
		o := run(&less, true)
		if o.Passes() {
			near, o.Switches = o, list
		}
		return o.Passes()
	}
	if Without(sch.Switches, try) >= 0 || len(sch.Switches) > 0 && try(nil) {
		return near
	}
	for n := range Continuations {
		c := *sch
		c.Policy, c.Every, c.Walk, c.Switches = testsched.Random, 1+uint32(n%5)*3, testsched.Mix(uint64(n)), nil
		if n%2 == 1 { // selects take other cases
			c.Seed = c.Walk
		}
		seed = c.Seed
		if r := run(&c, true); r.Passes() && !r.Incomplete && try(r.Switches) {
			Remove(r.Switches, left, try)
			break
		}
		if !left() {
			break
		}
	}
	return near
}
