package critical

import (
	"testing"
	"time"
)

// Walks become fewer and shorter as steps take longer, down to a minimum.
func TestReduceTo(t *testing.T) {
	full := newEffort(200, 2000)
	for _, c := range []struct {
		left, step time.Duration
		from, want effort
	}{
		{time.Hour, 15 * time.Microsecond, full, full},
		{16 * time.Second, 15 * time.Microsecond, full, effort{limit: 1000, walks: 66, enough: 50, reduced: true}},
		{time.Second, 15 * time.Microsecond, full, effort{limit: 500, walks: 22, enough: 50, reduced: true}},
		{time.Second, time.Second, full, effort{limit: 400, walks: 20, enough: 50, reduced: true}},
		{time.Second, time.Second, newEffort(8, 100), newEffort(8, 100)},
		{time.Second, time.Second, newEffort(8, 2000), effort{limit: 400, walks: 8, enough: 8, reduced: true}},
	} {
		e := c.from
		e.reduceTo(c.left, c.step)
		if e != c.want {
			t.Errorf("%v left, %v a step: the effort is %+v, want %+v", c.left, c.step, e, c.want)
		}
		if short := e.reduced && e.limit < c.from.limit; e.suffice(e.enough, c.from.limit) == short || e.suffice(e.enough-1, c.from.limit) {
			t.Errorf("%+v: %d walks that are short (%v) must not suffice", e, e.enough, short)
		}
	}
}
