package zerolog

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/zerolog/diode"
)

// repeat executes attempt by eight goroutines, until it returns false, or for a minute.
func repeat(t *testing.T, text string, attempt func(n int) bool) {
	runtime.GOMAXPROCS(16) // More threads than processors: the system pauses them at any operation.
	start := time.Now()
	var wg sync.WaitGroup
	wrong := make(chan int, 8)
	for range 8 {
		wg.Go(func() {
			for n := 1; time.Since(start) < time.Minute && len(wrong) == 0; n++ {
				if !attempt(n) {
					wrong <- n
					return
				}
			}
		})
	}
	wg.Wait()
	if len(wrong) > 0 {
		t.Errorf("attempt %d of a goroutine: %s", <-wrong, text)
	}
}

// counter counts lines.
type counter struct{ lines atomic.Int32 }

func (c *counter) Write(p []byte) (int, error) {
	c.lines.Add(1)
	return len(p), nil
}

// Close ends the goroutine that writes, although a line has been given to it before. About one of 10,000 attempts of a goroutine shows it;
// ten of ten tests failed.
func TestClose(t *testing.T) {
	repeat(t, "the line that was written before Close is lost", func(n int) bool {
		var out counter
		w := diode.NewWriter(&out, 100, 0, nil)
		w.Write([]byte("first line\n"))
		for start := time.Now(); out.lines.Load() == 0; runtime.Gosched() {
			if time.Since(start) > time.Second { // as in TestWrite
				w.Close()
				return true
			}
		}
		for range n % 200 {
			out.lines.Load()
		}
		w.Write([]byte("second line\n"))
		w.Close()
		return out.lines.Load() == 2
	})
}

type signal chan struct{}

func (s signal) Write(p []byte) (int, error) {
	s <- struct{}{}
	return len(p), nil
}

// Write wakes a goroutine that does not sleep yet, but has found no line. About one of 10,000 lines shows it; ten of ten tests failed.
func TestWrite(t *testing.T) {
	repeat(t, "a line was not written for 5s, until the next line", func(n int) bool {
		out := make(signal, 1)
		w := diode.NewWriter(out, 100, 0, nil)
		defer w.Close()
		for range 1000 {
			w.Write([]byte("line\n"))
			select {
			case <-out:
			case <-time.After(5 * time.Second):
				w.Write([]byte("next line\n"))
				<-out
				<-out
				return false
			}
		}
		return true
	})
}
