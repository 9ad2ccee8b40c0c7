package testsched

import (
	"slices"
	"time"

	"github.com/macemc/macemc/internal/predict"
)

func (p Policy) String() string {
	return [...]string{"the default order", "random", "PCT", "POS", "SURW", "local order", "exhaustive"}[p]
}

// Strategy names the policy as the origin of a schedule.
func (p Policy) Strategy() string {
	if p == Default {
		return p.String()
	}
	return "strategy " + p.String()
}

// Schedule describes a run: the default order with Switches for the first Until operations, and the order of Policy after them.
type Schedule struct {
	Seed     uint64 // seed of the test's random numbers, of select, and of the order of maps
	Instant  uint64 // first clock reading, in nanoseconds since 1970; 0 means that of the command
	Policy   Policy
	Walk     uint64        // seed of the policy's own random numbers
	Every    uint32        // Random and SURW: one in Every points switches
	Drops    []uint64      // PCT: points at which the priority of the running goroutine drops, ascending; at most 8
	Ops      uint32        // SURW: operations that count, as bits
	Passes   uint32        // one in Passes points without a switch advances time to the next timer; 0 means none
	Delay    time.Duration // maximum time that passes while a goroutine can run, but does not; 0 means [UsualDelay]
	Memory   bool          // plain memory accesses are points (only in a build with -race)
	Switches []Switch      // Default: differences from the default order
	Plan     *Plan         // Systematic
	Unfair   bool          // a goroutine may run for any number of points without waiting
	Limit    uint64        // maximum number of points; 0 means the default
	Until    uint64        // Switches apply until this number of operations is executed, and Policy after that
	// Warm means that its process executes warmUp first, so that once-per-process initialization has happened.
	Warm bool
	Leaving
	Manner
}

// Manner selects how a run is executed. Files do not contain it.
type Manner struct {
	Showing Showing
	Brief   bool   // only the kind of the outcome is needed
	Hurried bool   // time passes quickly after many points, also while goroutines can run
	Hasty   bool   // a run with a finding is not repeated patiently, because the finding is that of an Outcome with Patient set
	States  bool   // the events include the states of goroutines
	Record  string // file for the switches that the run records, which remain if the process dies; empty means none
	// Recorded means that the outcome has the record of the run.
	Recorded bool
	// Prediction directs the run: goroutines pause at its holds, and the default order follows the first pause. nil means none. Only the holds
	// pass to the process.
	Prediction *predict.Prediction
}

// Leaving describes the goroutines that the run may leave behind.
type Leaving struct {
	// Ends has the places of go statements and calls of WaitGroup.Go whose goroutines end under another schedule. If the run leaves
	// such a goroutine behind, besides all of Remain, that is a leak.
	Ends []string
	// Remain has the places of the statements whose goroutines remain under that other schedule, one entry for each goroutine.
	Remain []string
}

// Replayed returns a schedule that replays run number n of an exploration, which used schedule s.
func (s *Schedule) Replayed(o *Outcome, n int) *Schedule {
	f := &Schedule{Seed: s.Seed, Memory: s.Memory, Switches: slices.Clone(o.Switches), Warm: n > 1,
		Limit: s.Limit, Unfair: s.Unfair, Delay: s.Delay, Instant: s.Instant}
	if s.Policy == Default && s.Prediction == nil {
		f.Switches = s.Switches
	}
	return f
}

// Showing selects the output of a run that is shown.
type Showing int

const (
	First Showing = iota // if it is the first run of the test, its output is shown live and its log after it
	Muted                // only its log is shown, if it is the first run
	Aside                // nothing is shown, and the run does not count as the first one
)

// UsualDelay is the maximum delay of a goroutine that can run, if no other one is given.
const UsualDelay = time.Millisecond

// MaxDelay is the longest delay of a schedule. The clock of a run does not overflow unless the run has more than 200 such delays.
const MaxDelay = 10_000 * time.Hour

// Mix is a step of the generator SplitMix64.
func Mix(z uint64) uint64 { return predict.Mix(z) }
