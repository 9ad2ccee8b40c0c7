// Package waitqueue makes goroutines of a node wait: for a change, for an item, or until a deadline.
//
// Goroutines of a node switch only where they block, lock or use channels. The code needs no locks between such operations.
package waitqueue

import (
	"net"
	"os"
	"time"
)

// List wakes waiting goroutines when something changes or a deadline passes.
type List struct {
	waiting  []chan struct{} // one per goroutine, with a buffer of one
	unused   []chan struct{}
	deadline time.Time
	timer    *time.Timer
}

// Wait returns when Wake is called, or at the deadline.
func (w *List) Wait() {
	var c chan struct{}
	if n := len(w.unused); n > 0 {
		c, w.unused = w.unused[n-1], w.unused[:n-1]
	} else {
		c = make(chan struct{}, 1)
	}
	w.waiting = append(w.waiting, c)
	<-c
	w.unused = append(w.unused, c)
}

// Wake makes all waiting goroutines continue.
func (w *List) Wake() {
	for _, c := range w.waiting {
		select { // a non-blocking send is not a switch point
		case c <- struct{}{}:
		default:
		}
	}
	w.waiting = w.waiting[:0]
}

// Over reports whether the deadline has passed.
func (w *List) Over() bool { return !w.deadline.IsZero() && !time.Now().Before(w.deadline) }

// SetDeadline wakes the waiting goroutines at that time. The zero time means never.
func (w *List) SetDeadline(t time.Time) {
	if !t.IsZero() { // a jump of the wall clock does not move it
		t = time.Now().Add(time.Until(t))
	}
	w.deadline = t
	if w.timer != nil {
		w.timer.Stop()
		w.timer = nil
	}
	if !t.IsZero() {
		if d := time.Until(t); d > 0 {
			w.timer = time.AfterFunc(d, w.Wake)
			return
		}
	}
	w.Wake()
}

// Queue is an unbounded FIFO of received items.
type Queue[T any] struct {
	List
	Items  []T
	Err    error   // returned once Items is empty
	closed bool    // Err takes precedence over a deadline
	once   []error // each is returned by a single reader, before Items
}

// Put appends an item, unless readers receive an error.
func (q *Queue[T]) Put(v T) {
	if q.Err == nil {
		q.Items = append(q.Items, v)
		q.Wake()
	}
}

// Finish makes readers receive err once the queue is empty.
func (q *Queue[T]) Finish(err error) {
	if q.Err == nil {
		q.Err = err
	}
	q.Wake()
}

// Close makes readers receive net.ErrClosed at once, even if the deadline has passed.
func (q *Queue[T]) Close() {
	q.closed = true
	q.Abort(net.ErrClosed)
}

// Abort discards the items and makes readers receive err at once.
func (q *Queue[T]) Abort(err error) {
	q.Items, q.Err = nil, err
	q.Wake()
}

// FailOnce makes a single reader, the next or one that waits, receive err. The items stay.
func (q *Queue[T]) FailOnce(err error) {
	q.once = append(q.once, err)
	q.Wake()
}

// Get removes the first item. It waits until there is one, an error, or a deadline.
func (q *Queue[T]) Get() (v T, err error) {
	for {
		switch {
		case q.closed:
			return v, q.Err
		case q.Over():
			return v, os.ErrDeadlineExceeded
		case len(q.once) > 0:
			err = q.once[0]
			q.once = q.once[1:]
			return v, err
		case len(q.Items) > 0:
			v = q.Items[0]
			q.Items = q.Items[1:]
			return v, nil
		case q.Err != nil:
			return v, q.Err
		}
		q.Wait()
	}
}

// Ready reports whether Get would return at once.
func (q *Queue[T]) Ready() bool {
	return q.closed || q.Over() || len(q.once) > 0 || len(q.Items) > 0 || q.Err != nil
}

// Await waits until Get would return at once. It fails after Close, and at the deadline.
func (q *Queue[T]) Await() error {
	for !q.Ready() {
		q.Wait()
	}
	switch {
	case q.closed:
		return q.Err
	case q.Over():
		return os.ErrDeadlineExceeded
	}
	return nil
}

// Unget puts an item before the others.
func (q *Queue[T]) Unget(v T) { q.Items = append([]T{v}, q.Items...) }
