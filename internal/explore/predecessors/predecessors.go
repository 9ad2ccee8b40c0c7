// Package predecessors stores the edge by which each state was found.
package predecessors

import (
	"math/bits"
	"slices"

	"github.com/macemc/macemc/internal/explore/memory"
	"github.com/macemc/macemc/internal/explore/spill"
)

// List stores for each state its predecessor, plus one, or 0 for a root, and the index of the edge from there. States
// are mostly expanded in the order of their numbers, so that predecessors do not decrease, and take about three bits
// each. In a row of bits, number n is bit n + origin(n): as many clear bits precede it as the number of the
// predecessor.
type List struct {
	n       uint32
	last    uint32
	row     memory.Chunks[uint64]
	samples memory.Chunks[uint32] // every sampledOrigins-th origin
	earlier map[uint32]uint32     // origins smaller than an earlier one; nil if there are none
	edges   edgeIndexes
}

const sampledOrigins = 64

// SpillTo holds all but the last elements in a store.
func (l *List) SpillTo(s *spill.Store) {
	l.row.Store, l.samples.Store, l.edges.row.Store, l.edges.blocks.Store = s, s, s, s
}

// Append adds the next state by its predecessor, plus one, or 0 for a root, and the index of the edge from there.
func (l *List) Append(from, edge uint32) {
	if from < l.last {
		if l.earlier == nil {
			l.earlier = map[uint32]uint32{}
		}
		l.earlier[l.n], from = from, l.last
	}
	l.last = from
	if l.n%sampledOrigins == 0 {
		l.samples.Append(from)
	}
	at := uint64(l.n) + uint64(from)
	for uint64(l.row.N) <= at/64 {
		l.row.Append(0)
	}
	*l.row.Last() |= 1 << (at % 64)
	l.n++
	l.edges.append(edge)
}

// Origin returns the predecessor of a state, plus one, or 0 for a root, and the index of the edge from there.
func (l *List) Origin(n uint32) (from, edge uint32) {
	edge = l.edges.at(n)
	if from, ok := l.earlier[n]; ok {
		return from, edge
	}
	k := n / sampledOrigins
	from = l.samples.At(k)
	at := uint64(k)*sampledOrigins + uint64(from)
	skip := int(n % sampledOrigins) // bits to skip
	w := uint32(at / 64)
	word := l.row.At(w) >> (at % 64) << (at % 64)
	for {
		c := bits.OnesCount64(word)
		if skip < c {
			break
		}
		skip -= c
		w++
		word = l.row.At(w)
	}
	for ; skip > 0; skip-- {
		word &= word - 1
	}
	return uint32(uint64(w)*64 + uint64(bits.TrailingZeros64(word)) - uint64(n)), edge
}

// Path returns the edge indexes to a state.
func (l *List) Path(id uint32) (trail []uint32) {
	for at := id + 1; at != 0; {
		from, edge := l.Origin(at - 1)
		trail = append(trail, edge)
		at = from
	}
	slices.Reverse(trail)
	return trail
}

// Monotone reports whether origins never decrease.
func (l *List) Monotone() bool { return l.earlier == nil }

// Bytes returns the memory of the list.
func (l *List) Bytes() int {
	return l.row.Bytes() + l.samples.Bytes() + l.edges.bytes() + 48*len(l.earlier)
}

// edgeIndexes is a list of numbers in blocks. The width of the numbers in a block is that of its greatest one.
type edgeIndexes struct {
	n      uint32
	block  [edgeIndexBlock]uint32 // the last block, which is not full
	all    uint32                 // bitwise or of its numbers
	row    memory.Chunks[uint64]
	blocks memory.Chunks[uint64] // start of each block in row, and the width of its numbers in the last bits
}

const edgeIndexBlock = 64

func (l *edgeIndexes) append(edge uint32) {
	l.block[l.n%edgeIndexBlock] = edge
	l.all |= edge
	if l.n++; l.n%edgeIndexBlock > 0 {
		return
	}
	width := bits.Len32(l.all)
	l.all = 0
	l.blocks.Append(uint64(l.row.N)<<6 | uint64(width))
	word, used := uint64(0), 0
	for _, edge := range l.block {
		word |= uint64(edge) << used
		if used += width; used >= 64 {
			l.row.Append(word)
			used -= 64
			word = uint64(edge) >> (width - used)
		}
	}
}

func (l *edgeIndexes) at(n uint32) uint32 {
	if n/edgeIndexBlock == l.n/edgeIndexBlock {
		return l.block[n%edgeIndexBlock]
	}
	block := l.blocks.At(n / edgeIndexBlock)
	width := uint32(block & 63)
	bit := n % edgeIndexBlock * width
	w, shift := uint32(block>>6)+bit/64, bit%64
	if width == 0 {
		return 0
	}
	word := l.row.At(w) >> shift
	if shift+width > 64 {
		word |= l.row.At(w+1) << (64 - shift)
	}
	return uint32(word & (1<<width - 1))
}

func (l *edgeIndexes) bytes() int { return l.row.Bytes() + l.blocks.Bytes() }
