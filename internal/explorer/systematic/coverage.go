package systematic

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/macemc/macemc/internal/testsched"
	"github.com/macemc/macemc/internal/testsched/program"
)

// Unbounded means that the number of preemptions is not limited.
const Unbounded = math.MaxInt

// Coverage describes the schedules that an exploration has covered completely.
type Coverage struct {
	Schedules   int
	Preemptions int  // maximum per schedule; Unbounded means any number
	Timers      bool // some of the preemptions are early timers: they fire while a goroutine can run
	Values      bool // some of the preemptions are values of pools other than the usual ones
	Race        bool // whether the race detector was active
	// Delays is the maximum sum of the delays between two instants at which all goroutines wait, if a timer was too far away to fire while
	// a goroutine can run, so that longer delays may lead to other ends; else 0.
	Delays  time.Duration
	Reduced bool // every other schedule leads to the same states as one of these (sleep sets; Godefroid, 1996)
	// Drawn are sources of randomness that the runs used. A goroutine draws the same values in all of these runs, so that schedules with
	// other values are missing.
	Drawn testsched.Sampled
}

func (c *Coverage) String() string {
	text := fmt.Sprintf("all %d schedules", c.Schedules)
	switch {
	case c.Reduced:
		text = fmt.Sprintf("all orders, by %s with sleep sets", program.Plural(c.Schedules, "schedule", "schedules"))
	case c.Schedules == 1:
		text = "the only schedule"
	}
	if c.Drawn != 0 {
		text = fmt.Sprintf("complete for the drawn %v: %s", c.Drawn, text)
	} else {
		text = "complete: " + text
	}
	if c.Preemptions < Unbounded {
		text += " with at most " + program.Plural(c.Preemptions, "preemption", "preemptions")
		switch {
		case c.Timers && c.Values:
			text += ", early timers and values of pools included"
		case c.Timers:
			text += ", early timers included"
		case c.Values:
			text += ", values of pools included"
		}
	}
	var conditions []string
	if !c.Race && (c.Schedules > 1 || c.Preemptions < Unbounded) {
		conditions = append(conditions, "there is no data race")
	}
	if c.Delays > 0 {
		conditions = append(conditions, fmt.Sprintf("delays add up to at most %v", c.Delays))
	}
	if len(conditions) > 0 {
		text += ", if " + strings.Join(conditions, " and ")
	}
	return text
}
