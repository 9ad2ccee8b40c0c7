package explorer

import (
	"os"

	"github.com/macemc/macemc/internal/testsched"
)

// NearestFile returns the file for the outcome of the nearest passing schedule. The file exists if there is a finding and such a schedule
// was found. file is the value of Passing.
func NearestFile(file string) string { return file + "-nearest" }

// nearest writes the outcome of the nearest passing schedule to NearestFile. It tries the finding's schedule without one switch, then the
// default order, then random schedules, from which it removes switches.
func (s *Settings) nearest(sch *testsched.Schedule, o *testsched.Outcome, runner testsched.Runner) {
	if o.Kind == testsched.Passed || o.Spins {
		return
	}
	start := startWatch(s.limits.latest)
	var near *testsched.Outcome
	seed, left := sch.Seed, func() bool { return !start.over(minimizeMost) }
	try := func(list []testsched.Switch) bool {
		if !left() {
			return false
		}
		less := *sch
		less.Seed = seed
		less.Switches = list
		o := runner.Run(&less, true)
		if o.Passes() {
			near, o.Switches = o, list
		}
		return o.Passes()
	}
	if without(sch.Switches, try) < 0 && (len(sch.Switches) == 0 || !try(nil)) {
		for n := range continuations {
			c := *sch
			c.Policy, c.Every, c.Walk, c.Switches = testsched.Random, 1+uint32(n%5)*3, testsched.Mix(uint64(n)), nil
			if n%2 == 1 { // selects take other cases
				c.Seed = c.Walk
			}
			seed = c.Seed
			if r := runner.Run(&c, true); r.Passes() && !r.Incomplete && try(r.Switches) {
				remove(r.Switches, left, try)
				break
			}
			if !left() {
				break
			}
		}
	}
	if near != nil {
		os.WriteFile(NearestFile(s.Outcome), testsched.Encode(near), 0o600)
	}
}
