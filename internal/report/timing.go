package report

import (
	"fmt"

	"github.com/macemc/macemc/sim"
)

// assumption returns what a liveness violation assumes about time. The empty string means that it is not
// about liveness.
func (r *Report) assumption() string {
	switch r.Kind {
	case sim.Liveness, sim.Deadlock, sim.Starvation:
	default:
		return ""
	}
	timing, err := sim.ParseTiming(r.Timing)
	if err != nil {
		return ""
	}
	if delay, ok := timing.MaxDelay(); ok {
		return fmt.Sprintf("timers fire at most %v late, and a link between nodes that are up delivers one of its messages within %[1]v", delay)
	}
	return map[sim.Timing]string{
		sim.ByDeadline: "a message may take longer than any timer, and node clocks may run at any speed",
		sim.AnyOrder:   "a message may take longer than any timer, and timers fire in any order",
		sim.Prompt:     "timers wait while a message is on its way, and node clocks may run at any speed",
	}[timing]
}

// assumes shows the assumption.
func (r *Report) assumes() []fact {
	text := r.assumption()
	if text == "" {
		return nil
	}
	aside := ""
	if timing, err := sim.ParseTiming(r.Timing); err == nil && timing.LivenessOnly() {
		aside = "timing Bounded:DURATION sets another bound"
	}
	if r.Timing == sim.ByDeadline.String() {
		aside = "timing Bounded limits both"
	}
	return []fact{{"assumes:", text, aside}}
}
