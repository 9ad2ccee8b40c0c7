package mctest

import (
	"context"
	"fmt"
	"os"

	"github.com/macemc/macemc/internal/check/exitcode"
)

// interruptible returns a context that the first signal ends, and a channel that the second one closes. Signals are
// caught until stop is called.
func interruptible(parent context.Context) (ctx context.Context, kill <-chan struct{}, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	kill, end := exitcode.CatchStops(cancel, func(os.Signal) bool { return false })
	return ctx, kill, func() {
		end()
		cancel(nil)
	}
}

// end prints the text of a check that a signal ended, in the form of a failed test, and ends the process with the
// status of the signal.
func (c *checking) end(text string, status int) {
	fmt.Printf("--- FAIL: %s (%v)\n%s\n", c.Name(), c.interrupted, text)
	os.Exit(max(1, status))
}
