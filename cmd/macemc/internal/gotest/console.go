package gotest

import (
	"errors"
	"io"
	"sync"
	"syscall"
	"time"

	"github.com/macemc/macemc/internal/task"
)

// console serializes writers that may write to the same terminal as the progress.
type console struct {
	mu     sync.Mutex
	status *task.Status
	shown  time.Duration // how long there was progress to show
}

// progressInterval is the time between calls of show.
const progressInterval = 500 * time.Millisecond

type lockedWriter struct {
	*console
	to io.Writer
}

func (w *lockedWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.status.Clear()
	n, err := w.to.Write(p)
	if errors.Is(err, syscall.EPIPE) { // SIGPIPE ends the tests
		n, err = len(p), nil
	}
	return n, err
}

// show replaces the progress. An empty text removes it.
func (c *console) show(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if text == "" {
		c.status.Clear()
		return
	}
	c.shown += progressInterval
	c.status.Tell(c.shown, text)
}
