package ants

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/panjf2000/ants/v2"
)

// The only worker of a pool is busy. Tune allows another one while a goroutine calls Submit. About one of 100,000 attempts shows it;
// ten of ten tests failed.
func TestTune(t *testing.T) {
	runtime.GOMAXPROCS(8) // More threads than processors: the system pauses them at any operation.
	start := time.Now()
	var wg sync.WaitGroup
	var found atomic.Bool
	for range 4 {
		wg.Go(func() {
			for n := 1; time.Since(start) < time.Minute && !found.Load(); n++ {
				if !tune(t, n%500) && found.CompareAndSwap(false, true) {
					t.Errorf("attempt %d of a goroutine: Submit has waited for 3s, and 1 of 2 workers runs", n)
				}
			}
		})
	}
	wg.Wait()
}

// tune reports whether Submit returns. It calls Tune after a number of operations.
func tune(t *testing.T, delay int) bool {
	pool, err := ants.NewPool(1, ants.WithDisablePurge(true))
	if err != nil {
		t.Error(err)
		return true
	}
	busy := make(chan struct{})
	task := func() { <-busy }
	pool.Submit(task)
	var started atomic.Bool
	submitted := make(chan struct{})
	go func() {
		started.Store(true)
		pool.Submit(task)
		close(submitted)
	}()
	for !started.Load() {
		runtime.Gosched()
	}
	for range delay {
		_ = pool.Cap()
	}
	pool.Tune(2)
	select {
	case <-submitted:
	case <-time.After(3 * time.Second):
		if pool.Waiting() == 1 && pool.Running() == 1 {
			return false
		}
		<-submitted
	}
	close(busy)
	pool.Release()
	return true
}
