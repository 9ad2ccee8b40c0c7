package explore

// column is a list of words that grows at its end without being copied.
type column struct {
	words  []uint64
	n      int
	memory region
}

const minColumn = 1 << 9

func (c *column) at(i uint32) uint64 { return c.words[i] }

func (c *column) append(v uint64) {
	if c.n == len(c.words) {
		c.memory.grow(max(minColumn, c.n+c.n/4))
		c.words = c.memory.words
	}
	c.words[c.n] = v
	c.n++
}

func (c *column) bytes() int { return 8 * c.n }
