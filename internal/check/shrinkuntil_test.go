package check

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// What a search that goes on has found is shrunk until its time is over, or for a little while.
func TestShrinkingEndsWithTheTime(t *testing.T) {
	for _, c := range []struct{ limit, passed, want time.Duration }{
		{time.Minute, 10 * time.Second, 50 * time.Second},
		{time.Minute, 59 * time.Second, leastShrinking},
		{time.Minute, time.Hour, leastShrinking},
	} {
		synctest.Test(t, func(t *testing.T) {
			k := (&Options{Search: search.Config{Time: c.limit}}).keeper(sim.System{})
			time.Sleep(c.passed)
			began := time.Now()
			ctx, cancel := k.whileShrinking(t.Context())
			defer cancel()
			<-ctx.Done()
			if took := time.Since(began); took != c.want {
				t.Errorf("of %v, after %v: %v, want %v", c.limit, c.passed, took, c.want)
			}
		})
	}
	k := (&Options{}).keeper(sim.System{})
	ctx, cancel := k.whileShrinking(t.Context())
	if ctx.Err() != nil {
		t.Error("without a limit nothing ends")
	}
	cancel()
}
