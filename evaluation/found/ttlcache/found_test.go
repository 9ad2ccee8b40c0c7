package ttlcache

import (
	"runtime"
	"testing"
	"time"

	"github.com/jellydator/ttlcache/v3"
)

// Stop does nothing if the goroutine of Start has not begun to run.
func TestStop(t *testing.T) {
	before := runtime.NumGoroutine()
	for range 100 {
		cache := ttlcache.New[string, string](ttlcache.WithTTL[string, string](time.Minute))
		go cache.Start()
		cache.Stop()
	}
	time.Sleep(time.Second)
	if n := runtime.NumGoroutine() - before; n > 0 {
		t.Errorf("%d goroutines are left of 100 stopped caches", n)
	}
}
