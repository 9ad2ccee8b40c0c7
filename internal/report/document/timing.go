package document

import (
	"fmt"

	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/sim"
)

// TimingAssumption describes the assumption about time behind a liveness violation. An empty string means that the
// finding does not concern liveness.
func TimingAssumption(r *report.Report) string {
	switch r.Kind {
	case sim.Liveness, sim.Deadlock, sim.Starvation:
	default:
		return ""
	}
	timing, err := simext.ParseTiming(r.Timing)
	if err != nil {
		return ""
	}
	if delay, ok := timing.MaxDelay(); ok {
		return fmt.Sprintf("timers fire at most %v late, and a link between nodes that are up delivers one of its messages within %[1]v", delay)
	}
	clocks := "node clocks may run at any speed"
	if r.Clocks != "" {
		clocks = "node clocks: " + r.Clocks
	}
	return map[sim.Timing]string{
		sim.ByDeadline: "a message may take longer than any timer, and " + clocks,
		sim.AnyOrder:   "a message may take longer than any timer, and timers fire in any order",
		sim.Prompt:     "timers wait while a message is on its way, and " + clocks,
	}[timing]
}

// timingFacts shows the assumption about time.
func timingFacts(r *report.Report) []Fact {
	text := TimingAssumption(r)
	if text == "" {
		return nil
	}
	aside := ""
	if timing, err := simext.ParseTiming(r.Timing); err == nil && timing.LivenessOnly() {
		aside = "timing BoundedLiveness:DURATION sets another bound"
	}
	if r.Timing == sim.ByDeadline.String() {
		aside = "timing Bounded:DURATION limits both"
	}
	return []Fact{{"assumes:", text, aside}}
}
