package explorer

import (
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/testsched"
)

// warmUp is the run that precedes a run with Warm set.
var warmUp = testsched.Schedule{Seed: 1}

// aside is warmUp before a run that is shown.
var aside = testsched.Schedule{Seed: warmUp.Seed, Manner: testsched.Manner{Showing: testsched.Aside}}

// draw returns schedule number n of an exploration: two orders without preemptions, then random ones. points is the number of points of a
// run.
func (c *Config) draw(n int, points uint64) *testsched.Schedule {
	s := &testsched.Schedule{Seed: testsched.Mix(c.Seed), Memory: c.Race && n%3 != 1, Delay: c.Delay}
	if n == 0 {
		return s
	}
	s.Seed = testsched.Mix(c.Seed ^ uint64(n)<<20)
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

// sameStored reports whether two files hold the same schedule. The critical step is sampled and does not count, nor does the first clock
// reading, which differs between commands.
func sameStored(a, b string) bool {
	lines := func(text string) []string {
		return slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool {
			return line == comment || strings.HasPrefix(line, "critical ") || strings.HasPrefix(line, "instant ")
		})
	}
	return slices.Equal(lines(a), lines(b))
}

// Stored is a schedule file. It is written when a run fails, and again when a new process has the SameFinding (found of settings.go),
// or, if that one passes, three of up to 200 (processes of process.go). So has a minimized schedule. Later replays with the file
// compare the kind of finding alone (changed of cmd/macemc/internal/gotest), because the code may have changed.
type Stored struct {
	testsched.Unit          // Shared is not stored
	Begins         bool     // its run begins with the initialization of packages and TestMain
	Finding        string   // one line
	Shows          []string // identifies the finding, see Outcome.Identify
	Race           bool     // found in a build with the race detector
	Flags          string   // other flags of go test with which it was found, see program.Flags
	Known          string   // the user's reason for accepting the finding; empty means that it is not accepted
	File           string   // that Load has read
	// CriticalWho and CriticalPlace are the goroutine of the critical step and its point; 0 means unknown. The number of the step may
	// differ between processes.
	CriticalWho, CriticalPlace uint64
	Hash                       uint64 // see Outcome, of the run with the critical step
	Schedule                   testsched.Schedule
}
