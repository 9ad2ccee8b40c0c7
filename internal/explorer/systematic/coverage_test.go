package systematic

import (
	"testing"
	"time"

	"github.com/macemc/macemc/internal/testsched"
)

// The text of a coverage states its bounds.
func TestCoverage_Bounds(t *testing.T) {
	for _, c := range []struct {
		coverage Coverage
		want     string
	}{
		{Coverage{Schedules: 1, Preemptions: Unbounded}, "complete: the only schedule"},
		{Coverage{Schedules: 1, Preemptions: Unbounded, Delays: time.Millisecond},
			"complete: the only schedule, if delays add up to at most 1ms"},
		{Coverage{Schedules: 2, Preemptions: Unbounded, Race: true, Drawn: testsched.SampledNumbers | testsched.SampledMaps},
			"complete for the drawn random numbers and orders of maps: all 2 schedules"},
		{Coverage{Schedules: 9, Preemptions: 2, Race: true}, "complete: all 9 schedules with at most 2 preemptions"},
		{Coverage{Schedules: 9, Preemptions: 2, Timers: true},
			"complete: all 9 schedules with at most 2 preemptions, early timers included, if there is no data race"},
		{Coverage{Schedules: 9, Preemptions: 2, Delays: time.Millisecond},
			"complete: all 9 schedules with at most 2 preemptions, if there is no data race and delays add up to at most 1ms"},
		{Coverage{Schedules: 4, Preemptions: Unbounded, Reduced: true},
			"complete: all orders, by 4 schedules with sleep sets, if there is no data race"},
	} {
		if got := c.coverage.String(); got != c.want {
			t.Errorf("%+v: got %s, want %s", c.coverage, got, c.want)
		}
	}
}
