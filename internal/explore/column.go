package explore

import "sync/atomic"

// column is a list of words that grows at its end without being copied.
type column struct {
	words  []uint64
	n      int
	memory region
	shown  atomic.Pointer[region] // memory, for those who read while others append
}

const minColumn = 1 << 9

func (c *column) at(i uint32) uint64 { return c.words[i] }

func (c *column) append(v uint64) {
	if c.n == len(c.words) {
		c.memory.grow(max(minColumn, c.n+c.n/4))
		c.words = c.memory.words
		shown := c.memory
		c.shown.Store(&shown)
	}
	c.words[c.n] = v
	c.n++
}

// published is all that was appended before something that happened before the call. Others may append meanwhile.
func (c *column) published() []uint64 {
	if shown := c.shown.Load(); shown != nil {
		return shown.words
	}
	return nil
}

func (c *column) bytes() int { return 8 * c.n }
