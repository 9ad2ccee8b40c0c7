package stateset

import (
	"math/bits"
	"unsafe"

	"github.com/macemc/macemc/internal/explore/memory"
)

// pairs interns pairs of numbers.
type pairs struct {
	list memory.AppendVec
	// index is an open-addressing table. The low bits of an entry, as many as are needed to count the entries, hold a
	// number in list, plus one. The bits above them hold part of the hash, so that other pairs are seldom compared. 0
	// is free.
	index  []uint32
	memory memory.Arena // of index
	bits   uint         // log2 of the number of entries
	limit  int          // maximum number of pairs for index
	sink   uint64
}

const (
	minPairs  = 1 << 10
	nearPairs = 1 << 15 // number of pairs that fit into the cache
)

func Hash(pair uint64) uint64 { return (pair ^ pair>>29) * 0x9E3779B97F4A7C15 }

// slot returns the start of the search for a pair, and the part of its hash in index.
func (p *pairs) slot(pair uint64) (at int, tag uint32) {
	h := uint32(Hash(pair) >> 32)
	return int(h >> (32 - p.bits)), h << p.bits
}

func (p *pairs) intern(pair uint64) (id uint32, added bool) {
	if p.list.N >= p.limit {
		p.grow()
	}
	mask := len(p.index) - 1
	i, tag := p.slot(pair)
	for ; p.index[i] != 0; i = (i + 1) & mask {
		if n := p.index[i] ^ tag; n < uint32(len(p.index)) && p.list.At(n-1) == pair {
			return n - 1, false
		}
	}
	p.list.Append(pair)
	p.index[i] = tag | uint32(p.list.N)
	return uint32(p.list.N - 1), true
}

// find returns the number of a pair, or NoPlace if it is absent.
func (p *pairs) find(pair uint64) uint32 {
	mask := len(p.index) - 1
	i, tag := p.slot(pair)
	for ; p.index[i] != 0; i = (i + 1) & mask {
		if n := p.index[i] ^ tag; n < uint32(len(p.index)) && p.list.At(n-1) == pair {
			return n - 1
		}
	}
	return NoPlace
}

// prefetch reads the memory that intern will read for some pairs. Memory is slow to answer but takes many requests at a
// time. Unlike the reads of intern, these are independent.
func (p *pairs) prefetch(pairs []uint64) {
	if p.list.N < nearPairs {
		return
	}
	sink := uint64(0)
	for _, pair := range pairs {
		i, _ := p.slot(pair)
		sink ^= uint64(p.index[i])
	}
	mask := len(p.index) - 1
	for _, pair := range pairs {
		i, tag := p.slot(pair)
		for ; p.index[i] != 0; i = (i + 1) & mask {
			if n := p.index[i] ^ tag; n < uint32(len(p.index)) {
				sink ^= p.list.At(n - 1)
				break
			}
		}
	}
	p.sink = sink
}

func (p *pairs) grow() {
	size := max(minPairs, 2*len(p.index))
	clear(p.index)
	p.memory.Grow(size / 2)
	p.index = unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(p.memory.Words))), size)
	p.bits = uint(bits.TrailingZeros(uint(size)))
	p.limit = size / 4 * 3
	mask := size - 1
	for n := range uint32(p.list.N) {
		i, tag := p.slot(p.list.At(n))
		for p.index[i] != 0 {
			i = (i + 1) & mask
		}
		p.index[i] = tag | (n + 1)
	}
}

// growth returns the additional memory while the index grows, if that is due soon.
func (p *pairs) growth() int {
	if p.list.N+p.limit/64 < p.limit {
		return 0
	}
	return 4 * len(p.index)
}

func (p *pairs) bytes() int { return p.list.Bytes() + 4*len(p.index) }

func (p *pairs) free() {
	p.list.Memory.Free()
	p.memory.Free()
	*p = pairs{}
}
