package bubble

import (
	"net"
	"os"
	"time"
)

// Goroutines of a node switch only where they block, lock or use channels. The code below needs no locks between such operations.

// waitlist wakes waiting goroutines when something changes or a deadline passes.
type waitlist struct {
	waiting  []chan struct{} // one per goroutine, with a buffer of one
	unused   []chan struct{}
	deadline time.Time
	timer    *time.Timer
}

// wait returns when wake is called, or at the deadline.
func (w *waitlist) wait() {
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

func (w *waitlist) wake() {
	for _, c := range w.waiting {
		select { // a non-blocking send is not a switch point
		case c <- struct{}{}:
		default:
		}
	}
	w.waiting = w.waiting[:0]
}

// over reports whether the deadline has passed.
func (w *waitlist) over() bool { return !w.deadline.IsZero() && !time.Now().Before(w.deadline) }

func (w *waitlist) setDeadline(t time.Time) {
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
			w.timer = time.AfterFunc(d, w.wake)
			return
		}
	}
	w.wake()
}

// queue is an unbounded FIFO of received items.
type queue[T any] struct {
	waitlist
	items  []T
	err    error // returned once items is empty
	closed bool  // err takes precedence over a deadline
}

func (q *queue[T]) put(v T) {
	if q.err == nil {
		q.items = append(q.items, v)
		q.wake()
	}
}

// finish makes readers receive err once the queue is empty.
func (q *queue[T]) finish(err error) {
	if q.err == nil {
		q.err = err
	}
	q.wake()
}

// close makes readers receive net.ErrClosed at once, even if the deadline has passed.
func (q *queue[T]) close() {
	q.closed = true
	q.abort(net.ErrClosed)
}

// abort discards the items and makes readers receive err at once.
func (q *queue[T]) abort(err error) {
	q.items, q.err = nil, err
	q.wake()
}

func (q *queue[T]) get() (v T, err error) {
	for {
		switch {
		case q.closed:
			return v, q.err
		case q.over():
			return v, os.ErrDeadlineExceeded
		case len(q.items) > 0:
			v = q.items[0]
			q.items = q.items[1:]
			return v, nil
		case q.err != nil:
			return v, q.err
		}
		q.wait()
	}
}

func (q *queue[T]) unget(v T) { q.items = append([]T{v}, q.items...) }
