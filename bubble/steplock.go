package bubble

import (
	"time"
	"unsafe"

	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/simext"
)

// stepLock is a lock that serializes the steps of all nodes in the process.
type stepLock struct {
	free chan struct{} // holds a value while the lock is free
	now  *node         // the node that executes a step, or nil
	seen *encoding.Set // copies what programs show
	buf  []byte        // scratch space

	suspected uint32 // [simext.Suspected] at the beginning of the step in progress

	variables unsafe.Pointer // values of the checker's package variables while a process of a node runs
}

var stepping = func() *stepLock {
	t := &stepLock{free: make(chan struct{}, 1)}
	t.seen, _ = encoding.NewSet() // without rules, NewSet cannot fail
	t.free <- struct{}{}
	return t
}()

// patience is how long Lock waits for a step in progress before it aborts that step. It far exceeds the time after which a search suspects
// that the step does not terminate. In a process that was started to confirm the suspicion, no other goroutine waits for the lock.
const patience = 5 * time.Second

// suspectedPatience replaces patience if the search has suspected a handler during the step: it needs the lock to describe the run.
const suspectedPatience = time.Second

// begin records that a node begins a step.
func (t *stepLock) begin(n *node) { t.now, t.suspected = n, simext.Suspected.Load() }

// Lock acquires the lock. If a single step holds it for longer than patience, Lock aborts that step.
func (t *stepLock) Lock() {
	unexplored("it executes the program of a node")
	select {
	case <-t.free:
		return
	default:
	}
	for {
		stuck, number := t.now, uint32(0)
		wait := patience
		if stuck != nil {
			number = stuck.ctl.number
			if simext.Suspected.Load() != t.suspected {
				wait = suspectedPatience
			}
		}
		timer := time.NewTimer(wait)
		select {
		case <-t.free:
			timer.Stop()
			return
		case <-timer.C:
		}
		if n := t.now; n != nil && n == stuck && n.ctl.number == number {
			t.now = nil
			n.aborted = true
			abort(n.bubble)
		}
	}
}

// Unlock releases the lock.
func (t *stepLock) Unlock() { t.free <- struct{}{} }
