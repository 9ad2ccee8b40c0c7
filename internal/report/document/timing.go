package document

import (
	"fmt"
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/sim"
)

// TimingAssumption describes the assumption about time that a liveness violation needs. An empty string means that the
// finding does not concern liveness.
func TimingAssumption(r *report.Report) string {
	text := delayAssumption(r)
	if text != "" && r.Dead != nil && faultsIn(r.Dead)[sim.HalfOpens] > 0 {
		text += "; no keep-alive ends a half-open connection, as it does on a real network unless disabled"
	}
	return text
}

func delayAssumption(r *report.Report) string {
	switch r.Kind {
	case sim.Liveness, sim.Deadlock, sim.Starvation:
	default:
		return ""
	}
	timing, err := simext.ParseTiming(r.Timing)
	if err != nil {
		return ""
	}
	if delay, ok := timing.MaxDelay(); ok && !unbounded(r) {
		text := fmt.Sprintf("timers fire at most %v late, and a link between nodes that are up delivers one of its messages within %[1]v", delay)
		c := r.Critical
		switch {
		case c == nil || c.Unbound.Walks == 0:
			return text
		case c.Unbound.Recovered == 0:
			return fmt.Sprintf("nothing about delays: with longer ones than %v, 0 of %d random continuations recovered, either", delay, c.Unbound.Walks)
		}
		return fmt.Sprintf("%s; with longer delays, %d of %d random continuations recovered", text, c.Unbound.Recovered, c.Unbound.Walks)
	}
	clocks := "node clocks may run at any speed"
	if r.Clocks != "" {
		clocks = "node clocks: " + r.Clocks
	}
	switch timing {
	case sim.AnyOrder:
		return "a message may take longer than any timer, and timers fire in any order"
	case sim.Prompt:
		return "timers wait while a message is on its way, and " + clocks
	}
	return "a message may take longer than any timer, and " + clocks
}

// unbounded reports whether the delays of a run were chosen to be unbounded.
func unbounded(r *report.Report) bool {
	return r.Dead != nil && slices.ContainsFunc(r.Dead.Boot.Choices, func(a stepinfo.Answer) bool {
		return kernel.IsUnbounded(a.Label, a.Pick)
	})
}

// timingFacts shows the assumption about time.
func timingFacts(r *report.Report) []Fact {
	text := TimingAssumption(r)
	if text == "" {
		return nil
	}
	aside := ""
	if timing, err := simext.ParseTiming(r.Timing); err == nil && timing.Sometimes() {
		aside = strings.TrimSuffix(r.Timing, timingDelay(timing)) + "DURATION sets another bound"
		if unbounded(r) {
			aside = "Bounded:DURATION limits both"
		}
		aside = "timing " + aside
	}
	if r.Timing == sim.ByDeadline.String() {
		aside = "timing Bounded:DURATION limits both"
	}
	return []Fact{{"assumes:", text, aside}}
}

// timingText names the timing. One that limits delays only where recovery is judged is not to be taken for a limit in the shown run.
func timingText(r *report.Report) string {
	if t, err := simext.ParseTiming(r.Timing); err == nil && t.LivenessOnly() && delayAssumption(r) == "" {
		return "recovery judged with delays up to " + timingDelay(t)
	}
	return "timing " + r.Timing
}

func timingDelay(t sim.Timing) string {
	delay, _ := t.MaxDelay()
	return delay.String()
}

// judgedRecovery describes the timing under which recovery was judged.
func judgedRecovery(r *report.Report) string {
	t, err := simext.ParseTiming(r.Timing)
	if err != nil {
		return ""
	}
	delay, bounded := t.MaxDelay()
	switch {
	case bounded && t.Sometimes() && !t.LivenessOnly():
		return fmt.Sprintf("with delays of at most %v, and with unbounded ones", delay)
	case bounded:
		return fmt.Sprintf("with delays of at most %v", delay)
	case t == sim.Prompt:
		return "with timers that wait while a message is on its way"
	}
	return "with unbounded delays, so that time-outs of healthy nodes may have helped"
}
