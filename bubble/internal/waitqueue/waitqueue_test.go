package waitqueue_test

import (
	"errors"
	"net"
	"os"
	"slices"
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

// Each error of FailOnce fails one call, after a deadline that is over and before the items, which stay.
func TestFailOnce(t *testing.T) {
	first, second := errors.New("first"), errors.New("second")
	var q waitqueue.Queue[int]
	q.Put(7)
	q.FailOnce(first)
	q.FailOnce(second)
	q.SetDeadline(time.Unix(1, 0))
	var errs []error
	for range 3 {
		_, err := q.Get()
		errs = append(errs, err)
		q.SetDeadline(time.Time{})
	}
	if want := []error{os.ErrDeadlineExceeded, first, second}; !slices.Equal(errs, want) {
		t.Errorf("%v, want %v", errs, want)
	}
	if v, err := q.Get(); v != 7 || err != nil {
		t.Errorf("%d, %v, want the item", v, err)
	}
	q.FailOnce(first)
	q.Close()
	if _, err := q.Get(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}
