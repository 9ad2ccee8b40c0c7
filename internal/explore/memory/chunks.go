package memory

import (
	"unsafe"

	"github.com/macemc/macemc/internal/explore/spill"
)

// Chunks is a list that grows at its end without being copied. With a store, all but the last elements are on disk.
type Chunks[T any] struct {
	parts  []*[chunkLen]T // nil if on disk
	N      int
	Store  *spill.Store // nil if all are in memory
	spans  []spill.Span // of the parts on disk
	loaded *[chunkLen]T // the part read last
	part   int          // its index
}

const chunkLen = 1 << 12

func (c *Chunks[T]) At(i uint32) T {
	p := c.parts[i/chunkLen]
	if p == nil {
		p = c.load(int(i / chunkLen))
	}
	return p[i%chunkLen]
}

func (c *Chunks[T]) Append(v T) {
	if c.N == len(c.parts)*chunkLen {
		c.parts = append(c.parts, c.next())
	}
	c.parts[c.N/chunkLen][c.N%chunkLen] = v
	c.N++
}

// Last returns the element appended last.
func (c *Chunks[T]) Last() *T { return &c.parts[(c.N-1)/chunkLen][(c.N-1)%chunkLen] }

// next makes a new part.
func (c *Chunks[T]) next() *[chunkLen]T {
	k := len(c.parts) - 1
	if c.Store == nil || k < 0 {
		return new([chunkLen]T)
	}
	full := c.parts[k]
	c.spans, c.parts[k] = append(c.spans, c.Store.Append(raw(full))), nil
	clear(full[:])
	return full
}

// load reads a part.
func (c *Chunks[T]) load(k int) *[chunkLen]T {
	if c.loaded == nil {
		c.loaded, c.part = new([chunkLen]T), -1
	}
	if c.part != k {
		c.Store.Read(c.spans[k], raw(c.loaded))
		c.part = k
	}
	return c.loaded
}

// raw returns the memory of a part, which consists of numbers.
func raw[T any](part *[chunkLen]T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(part)), unsafe.Sizeof(*part))
}

func (c *Chunks[T]) Bytes() int {
	inMemory := len(c.parts) - len(c.spans)
	if c.loaded != nil {
		inMemory++
	}
	return 8*cap(c.parts) + spill.SpanBytes*cap(c.spans) + inMemory*int(unsafe.Sizeof([chunkLen]T{}))
}

// Ref returns a pointer to an element, which must be in memory.
func (c *Chunks[T]) Ref(i uint32) *T { return &c.parts[i/chunkLen][i%chunkLen] }
