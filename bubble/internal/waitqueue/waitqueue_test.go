package waitqueue_test

import (
	"errors"
	"net"
	"testing"
	"time"

	"github.com/macemc/macemc/bubble/internal/waitqueue"
)

// A closed connection reports net.ErrClosed even after its deadline. A deadline takes precedence over other errors.
func TestClosedBeforeDeadline(t *testing.T) {
	reset := errors.New("reset")
	var q waitqueue.Queue[int]
	q.SetDeadline(time.Unix(1, 0))
	q.Abort(reset)
	if _, err := q.Get(); err == nil || errors.Is(err, reset) {
		t.Errorf("after a reset: %v, want that the deadline is over", err)
	}
	q.Close()
	if _, err := q.Get(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}
