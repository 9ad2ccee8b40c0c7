package delays

import (
	"slices"
	"testing"
	"time"

	"github.com/macemc/macemc/sim"
)

// A late node stops the timers of all others, unless it may pause. Even then no second node may be late.
func TestDelays_Pausing(t *testing.T) {
	const bound = 100 * time.Millisecond
	for _, c := range []struct {
		pausing bool
		left    []time.Duration // until the next timer of each node
		waits   int             // a node that a message waits for; -1 means none
		want    []bool
	}{
		{false, []time.Duration{time.Second, 50 * time.Millisecond, 0}, -1, []bool{false, true, true}},
		{true, []time.Duration{time.Second, 50 * time.Millisecond, 0}, -1, []bool{false, true, true}},
		{false, []time.Duration{time.Second, time.Second, 0}, -1, []bool{false, false, true}},
		{true, []time.Duration{time.Second, time.Second, 0}, -1, []bool{true, true, true}},
		{false, []time.Duration{time.Second, time.Second, time.Second}, 2, []bool{false, false, false}},
		{true, []time.Duration{time.Second, time.Second, time.Second}, 2, []bool{true, true, true}},
		{true, []time.Duration{time.Second, 0, time.Second}, 2, []bool{false, true, false}},
	} {
		d := Delays{Pausing: c.pausing}
		d.Start(bound, len(c.left))
		if c.waits >= 0 {
			d.Row(c.waits)[0] = true
		}
		d.Update(-1, func(i int) (time.Duration, bool) { return c.left[i], true })
		var fires []bool
		for i := range c.left {
			fires = append(fires, d.Fires(sim.NodeID(i)))
		}
		if !slices.Equal(fires, c.want) {
			t.Errorf("pausing %v, timers %v, a message waits for n%d: %v, want %v", c.pausing, c.left, c.waits, fires, c.want)
		}
		other := d.Clone()
		other.Pausing = !c.pausing
		if slices.Equal(d.Append(nil), other.Append(nil)) {
			t.Error("the encoding does not distinguish runs with pauses")
		}
	}
}
