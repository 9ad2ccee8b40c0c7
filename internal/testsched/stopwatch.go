package testsched

import "time"

// stopwatch measures the processor time of this process: on a busy machine the same work is done, later.
type stopwatch struct {
	wall time.Time
	cpu  time.Duration
}

func startWatch() stopwatch { return stopwatch{time.Now(), processorTime()} }

// over reports whether a limit is used up: of processor time, or of elapsed time if the process gets little of the processor.
func (w stopwatch) over(limit time.Duration) bool {
	return processorTime()-w.cpu >= limit || time.Since(w.wall) >= limit+limit/2+5*time.Second
}
