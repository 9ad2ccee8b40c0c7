package bubble

import (
	"errors"
	"net"
	"testing"
	"time"
)

// A closed connection reports net.ErrClosed even after its deadline. A deadline takes precedence over other errors.
func TestClosedBeforeDeadline(t *testing.T) {
	var q queue[int]
	q.setDeadline(time.Unix(1, 0))
	q.abort(errReset)
	if _, err := q.get(); err == nil || errors.Is(err, errReset) {
		t.Errorf("after a reset: %v, want that the deadline is over", err)
	}
	q.close()
	if _, err := q.get(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}
