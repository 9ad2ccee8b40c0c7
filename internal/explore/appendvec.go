package explore

import "sync/atomic"

// appendVec is a list of words that grows at its end without being copied.
type appendVec struct {
	words  []uint64
	n      int
	memory arena
	shown  atomic.Pointer[arena] // memory, for those who read while others append
}

const minColumn = 1 << 9

func (c *appendVec) at(i uint32) uint64 { return c.words[i] }

func (c *appendVec) append(v uint64) {
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
func (c *appendVec) published() []uint64 {
	if shown := c.shown.Load(); shown != nil {
		return shown.words
	}
	return nil
}

func (c *appendVec) bytes() int { return 8 * c.n }
