package macetime

import (
	"fmt"
	"math"
	"sync"
	"time"
)

// RealClock is the clock of a node outside the checker: the machine's, and a counter that survives
// crashes. It is safe for concurrent use. Times of different machines compare as well as their
// clocks agree.
type RealClock struct {
	node    int32
	start   time.Time
	persist func(uint64) error

	mu       sync.Mutex
	count    uint64
	reserved uint64 // Tick may go up to here without persisting
}

// tickBlock is how many ticks are reserved at once: few enough that crashes do not use up the
// counter, many enough that persisting does not show.
const tickBlock = 1024

// NewRealClock returns a clock of the node. Its counter goes on above last, which is the number that
// persist was called with last before the node stopped, 0 at the node's first start. persist must
// make the number durable before it returns; it is called here, and then once in a while by Tick. A
// nil persist is for nodes that never start again.
func NewRealClock(node int, last uint64, persist func(upTo uint64) error) (*RealClock, error) {
	if node < 0 || node > math.MaxInt32 {
		return nil, fmt.Errorf("macetime: node %d is out of range", node)
	}
	if persist == nil {
		persist = func(uint64) error { return nil }
	}
	c := &RealClock{node: int32(node), start: time.Now(), persist: persist, count: last, reserved: last}
	if err := c.reserve(); err != nil {
		return nil, err
	}
	return c, nil
}

func (c *RealClock) reserve() error {
	if err := c.persist(c.reserved + tickBlock); err != nil {
		return fmt.Errorf("macetime: the monotone counter of node %d cannot be made durable: %w", c.node, err)
	}
	c.reserved += tickBlock
	return nil
}

// Now reads the clock. While the node runs, later readings are not earlier, even when the machine's
// clock is set back.
func (c *RealClock) Now() Time {
	now := c.start.UnixNano() + int64(time.Since(c.start))
	return Time{base: uint64(max(now, 1)), owner: c.node}
}

// Before reports whether a is earlier than b; the weights are for the checker.
func (c *RealClock) Before(a, b Time, weights ...int) bool {
	if a.IsZero() || b.IsZero() {
		return a.IsZero() && !b.IsZero()
	}
	return a.real() < b.real()
}

func (t Time) real() int64 { return saturate(int64(t.base), int64(t.offset)) }

// Tick advances the monotone counter and returns it. It panics when the counter cannot be made
// durable: to hand out a number that may come again after a crash is worse than to stop.
func (c *RealClock) Tick() MonotoneTime {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.count == c.reserved {
		if err := c.reserve(); err != nil {
			panic(err)
		}
	}
	c.count++
	return MonotoneTime{Node: int(c.node), Count: c.count}
}
