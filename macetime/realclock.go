package macetime

import (
	"fmt"
	"math"
	"sync"
	"time"
)

// RealClock is the clock of a node outside the checker: the machine's clock, and a counter that survives crashes. It is
// safe for concurrent use. Times of different machines compare as well as their clocks agree.
type RealClock struct {
	node    int32
	start   time.Time
	persist func(uint64) error

	mu       sync.Mutex
	count    uint64
	reserved uint64 // Tick may count up to this number without persisting
}

// tickBlock is the number of ticks reserved at once: few enough that crashes do not exhaust the counter, many enough
// that the cost of persisting is negligible.
const tickBlock = 1024

// NewRealClock returns a clock of the node. Its counter continues above last, which must be the argument of the last
// call of persist before the node stopped, or 0 at the node's first start. persist must make the number durable before
// it returns. It is called here, and then occasionally by Tick. It may be nil for nodes that never start again.
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

// Now reads the clock. While the node runs, later readings are not earlier, even if the machine's clock is set back.
func (c *RealClock) Now() Time {
	now := c.start.UnixNano() + int64(time.Since(c.start))
	return Time{base: uint64(max(now, 1)), owner: c.node}
}

// Before reports whether a is earlier than b. Only the checker uses the weights.
func (c *RealClock) Before(a, b Time, weights ...int) bool {
	if a.IsZero() || b.IsZero() {
		return a.IsZero() && !b.IsZero()
	}
	return a.real() < b.real()
}

func (t Time) real() int64 { return saturate(int64(t.base), int64(t.offset)) }

// Tick advances the monotone counter and returns it. It panics if the counter cannot be made durable, because a number
// that is issued again after a crash is worse than a stop.
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
