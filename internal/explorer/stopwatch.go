package explorer

import (
	"time"

	"github.com/macemc/macemc/internal/agents"
	"github.com/macemc/macemc/internal/testsched/program"
)

// stopwatch measures processor time, so that the amount of work does not depend on the load of the machine.
type stopwatch struct {
	wall time.Time
	cpu  time.Duration
	end  time.Time // all limits are used up; the zero time means never
}

// processorTime returns the processor time of the exploration.
func processorTime() time.Duration { return program.ProcessorTime() + agents.ProcessorTime() }

func startWatch(end time.Time) stopwatch { return stopwatch{time.Now(), processorTime(), end} }

// over reports whether a limit of processor time is used up, or a larger limit of elapsed time if the machine is busy.
func (w stopwatch) over(limit time.Duration) bool {
	return processorTime()-w.cpu >= limit || time.Since(w.wall) >= limit+limit/2+5*time.Second ||
		!w.end.IsZero() && !time.Now().Before(w.end)
}
