package ants

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/panjf2000/ants/v2"
)

// The only worker of a pool is busy. Tune allows 100 more while 50 goroutines call Submit.
func TestTune(t *testing.T) {
	start := time.Now()
	for attempt := 1; time.Since(start) < 60*time.Second; attempt++ {
		pool, err := ants.NewPool(1, ants.WithDisablePurge(true))
		if err != nil {
			t.Fatal(err)
		}
		const callers = 50
		busy := make(chan struct{})
		var submitted atomic.Int32
		submit := func() {
			if err := pool.Submit(func() { <-busy }); err != nil {
				t.Error(err)
			}
			submitted.Add(1)
		}
		submit()
		for range callers {
			go submit()
		}
		for range attempt % 1000 {
			_ = pool.Cap()
		}
		pool.Tune(101)
		for deadline := time.Now().Add(2 * time.Second); submitted.Load() < callers+1; time.Sleep(10 * time.Microsecond) {
			if time.Now().After(deadline) {
				t.Fatalf("attempt %d: Submit has waited for 2s, and %d of %d workers run", attempt, pool.Running(), pool.Cap())
			}
		}
		close(busy)
		pool.Release()
	}
}
