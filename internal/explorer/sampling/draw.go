// Package sampling draws the schedules of an exploration: random ones, and among them directed ones that confirm or refute predictions.
package sampling

import (
	"time"

	"github.com/macemc/macemc/internal/testsched"
)

// Options are the options of an exploration that its schedules depend on.
type Options struct {
	Seed  uint64
	Race  bool          // the build has the race detector
	Delay time.Duration // maximum delay of a goroutine that can run; 0 means [testsched.UsualDelay]
}

// Draw returns schedule number n of an exploration: two orders without preemptions, then random ones. points is the number of points of a
// run.
func (o Options) Draw(n int, points uint64) *testsched.Schedule {
	s := &testsched.Schedule{Seed: testsched.Mix(o.Seed), Memory: o.Race && n%3 != 1, Delay: o.Delay}
	if n == 0 {
		return s
	}
	s.Seed = testsched.Mix(o.Seed ^ uint64(n)<<20)
	s.Walk = testsched.Mix(s.Seed)
	if n == 1 {
		s.Policy, s.Unfair = testsched.Local, true
		return s
	}
	round := (n - 2) / 8
	if (n+round)%2 == 0 { // time passes in half of the schedules of each kind
		s.Passes = 16
	}
	switch (n - 2) % 8 {
	case 0:
		s.Policy, s.Every = testsched.Random, 3
	case 1:
		s.Policy, s.Every, s.Ops = testsched.SURW, 8, ^uint32(0)
		if round%4 >= 2 {
			s.Ops = uint32(testsched.Mix(s.Seed + 1))
		}
	case 2, 5:
		s.Policy = testsched.PCT
		for i := range 1 + round%3 {
			s.Drops = append(s.Drops, 1+testsched.Mix(s.Seed+uint64(i))%max(points, 4))
		}
	case 3:
		s.Policy = testsched.POS
	case 4:
		s.Policy, s.Every = testsched.Random, 1+uint32(round%20)
	case 6:
		s.Policy, s.Every = testsched.Random, 4<<(round%5)
		if round%4 == 1 || round%4 == 2 {
			s.Every, s.Unfair = 0, true
		}
	case 7:
		s.Policy = testsched.POS
		if round%4 >= 2 {
			s.Policy, s.Every = testsched.Random, 1
		}
	}
	return s
}
