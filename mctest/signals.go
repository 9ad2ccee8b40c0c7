package mctest

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"time"

	"github.com/macemc/macemc/internal/check/exitcode"
)

// repeatTime is the time within which a second signal counts as the same one.
const repeatTime = 200 * time.Millisecond

// interruptible returns a context that the first signal ends, and a channel that the second one closes. Signals are
// caught until stop is called.
func interruptible(parent context.Context) (ctx context.Context, kill <-chan struct{}, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals, second := make(chan os.Signal, 2), make(chan struct{})
	exitcode.NotifyStops(signals)
	go func() {
		select {
		case first := <-signals:
			cancel(&exitcode.Interruption{Signal: first})
		case <-ctx.Done():
			return
		}
		for first := time.Now(); time.Since(first) < repeatTime; {
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

// leaveSignals makes this process ignore signals: a terminal sends them to the parent process, too, which handles them.
func leaveSignals() { exitcode.NotifyStops(make(chan os.Signal, 1)) }

// end prints the text of a check that a signal ended, in the form of a failed test, and ends the process with the
// status of the signal.
func (c *checking) end(text string, status int) {
	fmt.Printf("--- FAIL: %s (%v)\n%s\n", c.Name(), c.interrupted, text)
	os.Exit(max(1, status))
}
