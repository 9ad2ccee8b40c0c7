package agents

import (
	"time"

	"github.com/macemc/macemc/internal/testsched/program"
)

// Stopwatch measures processor time of this process and of those that it has started, so that the amount of work does not depend on the load
// of the machine.
type Stopwatch struct {
	Start time.Time
	CPU   time.Duration // at the start
	end   time.Time     // all limits are used up; the zero time means never
}

// StartWatch starts a stopwatch whose limits are all used up at end; the zero time means never.
func StartWatch(end time.Time) Stopwatch { return Stopwatch{time.Now(), processorTime(), end} }

func processorTime() time.Duration { return program.ProcessorTime() + time.Duration(live.Load()) }

// Spent returns the processor time since the start.
func (w Stopwatch) Spent() time.Duration { return processorTime() - w.CPU }

// Over reports whether a limit of processor time is used up, or a larger limit of elapsed time if the machine is busy.
func (w Stopwatch) Over(limit time.Duration) bool {
	return w.Spent() >= limit || time.Since(w.Start) >= limit+limit/2+5*time.Second || !w.end.IsZero() && !time.Now().Before(w.end)
}
