package critical

import (
	"testing"
	"time"

	"github.com/macemc/macemc/internal/budget"
)

// Walks become fewer and shorter as steps take longer, down to a minimum, and only before a deadline.
func TestReduceTo(t *testing.T) {
	full := newEffort(200, 2000)
	for _, c := range []struct {
		left, step time.Duration
		from, want effort
	}{
		{time.Hour, 15 * time.Microsecond, full, full},
		{16 * time.Second, 15 * time.Microsecond, full, effort{limit: 1000, walks: 66, enough: 20}},
		{time.Second, 15 * time.Microsecond, full, effort{limit: 500, walks: 22, enough: 20}},
		{time.Second, time.Second, full, effort{limit: 400, walks: 20, enough: 20}},
		{time.Second, time.Second, newEffort(8, 100), newEffort(8, 100)},
		{time.Second, time.Second, newEffort(8, 2000), effort{limit: 400, walks: 8, enough: 8}},
	} {
		f := &finder{effort: c.from}
		f.reduceTo(t.Context(), c.step)
		if f.effort != c.from {
			t.Errorf("without a deadline the effort is %+v, want %+v", f.effort, c.from)
		}
		f.reduceTo(&deadlined{t.Context(), budget.Deadlines{Locate: budget.Now() + c.left}, f}, c.step)
		if f.effort != c.want {
			t.Errorf("%v left, %v a step: the effort is %+v, want %+v", c.left, c.step, f.effort, c.want)
		}
	}
}
