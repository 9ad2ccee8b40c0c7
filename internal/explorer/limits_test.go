package explorer

import (
	"testing"
	"time"

	"github.com/macemc/macemc/internal/agents"
)

// Explorations get the part of the rest that they have used so far.
func TestLimits_Left(t *testing.T) {
	now := time.Now()
	for _, c := range []struct {
		elapsed, used, want time.Duration
	}{{0, 0, 100}, {100, 25, 25}, {100, 100, 100}, {100, 200, 100}, {100, 0, 0}} {
		l := &limits{begun: now.Add(-c.elapsed * time.Second), used: c.used * time.Second, test: agents.StartWatch(time.Time{})}
		if got := l.left(now.Add(100 * time.Second)); got <= 0 || (got-c.want*time.Second).Abs() > 2*time.Second {
			t.Errorf("%+v: got %v", c, got)
		}
		if got := l.left(time.Time{}); got != 0 {
			t.Errorf("%+v: got %v of unlimited time", c, got)
		}
	}
}
