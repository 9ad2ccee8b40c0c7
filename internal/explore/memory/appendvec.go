package memory

import "sync/atomic"

// AppendVec is a list of words that grows at its end without being copied.
type AppendVec struct {
	Words  []uint64
	N      int
	Memory Arena
	shown  atomic.Pointer[Arena] // memory, for concurrent readers
}

const minColumn = 1 << 9

func (c *AppendVec) At(i uint32) uint64 { return c.Words[i] }

func (c *AppendVec) Append(v uint64) {
	if c.N == len(c.Words) {
		c.Memory.Grow(max(minColumn, c.N+c.N/4))
		c.Words = c.Memory.Words
		shown := c.Memory
		c.shown.Store(&shown)
	}
	c.Words[c.N] = v
	c.N++
}

// Published returns all words appended before an event that happened before the call. Concurrent appends are allowed.
func (c *AppendVec) Published() []uint64 {
	if shown := c.shown.Load(); shown != nil {
		return shown.Words
	}
	return nil
}

func (c *AppendVec) Bytes() int { return 8 * c.N }
