package mctest

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/macemc/macemc/internal/check/exitcode"
)

// together is how long after a signal another one is taken for the same.
const together = 200 * time.Millisecond

// interruptible returns a context that the first signal ends, and a channel that is closed by the second one, until stop is called.
func interruptible(parent context.Context) (ctx context.Context, kill <-chan struct{}, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals, second := make(chan os.Signal, 2), make(chan struct{})
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		select {
		case first := <-signals:
			cancel(&exitcode.Interruption{Signal: first})
		case <-ctx.Done():
			return
		}
		for first := time.Now(); time.Since(first) < together; {
			<-signals
		}
		close(second)
		signal.Stop(signals) // a third one is not caught
	}()
	return ctx, second, func() {
		signal.Stop(signals)
		cancel(nil)
	}
}

// leaveSignals leaves signals to the process that waits for this one, as a terminal sends them to both.
func leaveSignals() { signal.Notify(make(chan os.Signal, 1), os.Interrupt, syscall.SIGTERM) }

// end prints the text of a check that a signal ended, as a test that fails would, and ends the process as the signal would have.
func (c *checking) end(text string, status int) {
	fmt.Printf("--- FAIL: %s (%v)\n%s\n", c.Name(), c.interrupted, text)
	os.Exit(max(1, status))
}
