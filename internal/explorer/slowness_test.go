package explorer

import (
	"testing"
	"time"

	"github.com/macemc/macemc/internal/testsched"
)

// Few schedules for the processor time have a cause: the points of a run, or the function that takes the time between them.
func TestSlowness(t *testing.T) {
	for _, c := range []struct {
		schedules int
		points    uint64
		elapsed   time.Duration
		want      string
	}{
		{200, 10, 2, ""},
		{10, 20, 50, "a run takes 5s, in which it mostly waits for the system"},
		{10, 20_000, 6, "a run takes 200ms because it has 20000 scheduling points"},
		{10, 20, 2, "a run takes 200ms, most of it between its 20 scheduling points (in F)"},
		{150, 20, 2, "a run takes 13ms, most of it between its 20 scheduling points"},
	} {
		r := &Result{Schedules: c.schedules, First: &testsched.Outcome{Points: c.points}}
		r.processor, r.Elapsed = 2*time.Second, c.elapsed*time.Second
		got := slowness(r, func(runs int) string {
			if runs != 2 {
				t.Errorf("%d runs are profiled, want 2", runs)
			}
			return " (in F)"
		})
		if got != c.want {
			t.Errorf("%d schedules with %d points: got %q, want %q", c.schedules, c.points, got, c.want)
		}
	}
}
