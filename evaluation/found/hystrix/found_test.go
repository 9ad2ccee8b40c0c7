package hystrix

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/afex/hystrix-go/hystrix"
)

// Flush forgets circuits without an end of their two goroutines.
func TestFlush(t *testing.T) {
	before := runtime.NumGoroutine()
	for i := range 100 {
		if err := hystrix.Do(fmt.Sprint("command ", i), func() error { return nil }, nil); err != nil {
			t.Fatal(err)
		}
	}
	hystrix.Flush()
	time.Sleep(2 * time.Second)
	if n := runtime.NumGoroutine() - before; n > 0 {
		t.Errorf("%d goroutines are left of 100 circuits after Flush", n)
	}
}
