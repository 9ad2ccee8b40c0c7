package isolate

import (
	"runtime"
	"runtime/metrics"
	"testing"
)

// After some garbage collections, the next one is at a heap of more than 100 MB.
func TestCollectSeldom(t *testing.T) {
	t.Setenv("GOGC", "")
	t.Cleanup(func() { ballast = nil })
	CollectSeldom()
	goal := []metrics.Sample{{Name: "/gc/heap/goal:bytes"}}
	for range 1000 {
		runtime.GC()
		metrics.Read(goal)
		if goal[0].Value.Uint64() > 100<<20 {
			return
		}
	}
	t.Errorf("the next garbage collection is at %d bytes", goal[0].Value.Uint64())
}
