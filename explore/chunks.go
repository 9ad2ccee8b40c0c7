package explore

import "unsafe"

// chunks is a list that grows at its end without being copied.
type chunks[T any] struct {
	parts []*[chunkLen]T
	n     int
}

const chunkLen = 1 << 12

func (c *chunks[T]) at(i uint32) T { return c.parts[i/chunkLen][i%chunkLen] }

func (c *chunks[T]) append(v T) {
	if c.n == len(c.parts)*chunkLen {
		c.parts = append(c.parts, new([chunkLen]T))
	}
	c.parts[c.n/chunkLen][c.n%chunkLen] = v
	c.n++
}

func (c *chunks[T]) bytes() int {
	return 8*cap(c.parts) + len(c.parts)*int(unsafe.Sizeof([chunkLen]T{}))
}

// ref points to an element.
func (c *chunks[T]) ref(i uint32) *T { return &c.parts[i/chunkLen][i%chunkLen] }
