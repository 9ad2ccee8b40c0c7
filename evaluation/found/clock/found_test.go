package clock

import (
	"runtime"
	"testing"
	"time"

	"github.com/benbjohnson/clock"
)

// A goroutine waits for no time while another one advances the clock. Both select the same timer. About one of
// 1,000 attempts shows it; ten of ten tests failed.
func TestAfter(t *testing.T) {
	runtime.GOMAXPROCS(16) // More threads than processors: the system pauses them at any operation.
	start := time.Now()
	for attempt := 1; time.Since(start) < time.Minute; attempt++ {
		mock := clock.NewMock()
		done := make(chan struct{}, 21)
		for range 20 {
			go func() { <-mock.After(0); done <- struct{}{} }()
		}
		go func() { mock.Add(time.Second); done <- struct{}{} }()
		timeout := time.After(3 * time.Second)
		for range 21 {
			select {
			case <-done:
			case <-timeout:
				t.Fatalf("attempt %d: Add and After have not returned for 3s", attempt)
			}
		}
	}
}
