package bubble

import (
	"time"
	"unsafe"

	"github.com/macemc/macemc/internal/encoding"
)

// turn is a lock for whoever has a node make a step: one node of a process can do that at a time.
type turn struct {
	free chan struct{} // holds a value when nobody has the lock
	now  *node         // the node that makes a step; nil: none
	seen *encoding.Set // copies what programs show

	variables unsafe.Pointer // what package variables of the checker hold while a process of a node runs
}

var stepping = func() *turn {
	t := &turn{free: make(chan struct{}, 1)}
	t.seen, _ = encoding.NewSet() // no rule, so none is wrong
	t.free <- struct{}{}
	return t
}()

// patience is how long others wait for a step before it is given up. It is far longer than what makes a search suspect that the step
// has no end; a process that was started to find that out has nobody who waits.
const patience = 5 * time.Second

// Lock waits for the turn. When that takes too long, the step in progress is given up.
func (t *turn) Lock() {
	unexplored("it executes the program of a node")
	select {
	case <-t.free:
		return
	default:
	}
	for {
		stuck, number := t.now, uint32(0)
		if stuck != nil {
			number = stuck.ctl.number
		}
		timer := time.NewTimer(patience)
		select {
		case <-t.free:
			timer.Stop()
			return
		case <-timer.C:
		}
		if n := t.now; n != nil && n == stuck && n.ctl.number == number {
			t.now = nil
			abort(n.bubble)
			n.aborted = true
			select {
			case n.done <- struct{}{}:
			default:
			}
		}
	}
}

// Unlock gives the turn back.
func (t *turn) Unlock() { t.free <- struct{}{} }
