package explore

import (
	"math/bits"

	"github.com/macemc/macemc/internal/explore/spill"
)

// predecessors keeps for each state the one that it was found from, plus one, 0: it is a root; and which edge from there led to it.
// States are mostly expanded in the order of their numbers, so that origins do not decrease, and take about three bits each: in a
// row of bits, number n is bit n + origin(n), with as many bits before it that are not set as the origin's number says.
type predecessors struct {
	n       uint32
	last    uint32
	row     chunks[uint64]
	samples chunks[uint32]    // every so many origins
	earlier map[uint32]uint32 // origins that are less than one before them; nil: there are none
	turns   edgeIndexes
}

const sampledOrigins = 64

// spillTo has all but what comes last held in a store.
func (l *predecessors) spillTo(s *spill.Store) {
	l.row.store, l.samples.store, l.turns.row.store, l.turns.blocks.store = s, s, s, s
}

func (l *predecessors) append(from, turn uint32) {
	if from < l.last {
		if l.earlier == nil {
			l.earlier = map[uint32]uint32{}
		}
		l.earlier[l.n], from = from, l.last
	}
	l.last = from
	if l.n%sampledOrigins == 0 {
		l.samples.append(from)
	}
	at := uint64(l.n) + uint64(from)
	for uint64(l.row.n) <= at/64 {
		l.row.append(0)
	}
	*l.row.last() |= 1 << (at % 64)
	l.n++
	l.turns.append(turn)
}

func (l *predecessors) at(n uint32) (from, turn uint32) {
	turn = l.turns.at(n)
	if from, ok := l.earlier[n]; ok {
		return from, turn
	}
	k := n / sampledOrigins
	from = l.samples.at(k)
	at := uint64(k)*sampledOrigins + uint64(from)
	skip := int(n % sampledOrigins) // bits to be passed
	w := uint32(at / 64)
	word := l.row.at(w) >> (at % 64) << (at % 64)
	for {
		c := bits.OnesCount64(word)
		if skip < c {
			break
		}
		skip -= c
		w++
		word = l.row.at(w)
	}
	for ; skip > 0; skip-- {
		word &= word - 1
	}
	return uint32(uint64(w)*64 + uint64(bits.TrailingZeros64(word)) - uint64(n)), turn
}

// path is the edge indexes to a state.
func (l *predecessors) trail(id uint32) (trail []uint32) {
	for at := id + 1; at != 0; {
		from, turn := l.at(at - 1)
		trail = append(trail, turn)
		at = from
	}
	for i, j := 0, len(trail)-1; i < j; i, j = i+1, j-1 {
		trail[i], trail[j] = trail[j], trail[i]
	}
	return trail
}

func (l *predecessors) bytes() int {
	return l.row.bytes() + l.samples.bytes() + l.turns.bytes() + 48*len(l.earlier)
}

// edgeIndexes is a list of numbers in blocks, each of which takes as many bits for a number as its greatest one needs.
type edgeIndexes struct {
	n      uint32
	block  [edgeIndexBlock]uint32 // the last one, which is not full
	all    uint32                 // its numbers, or'ed
	row    chunks[uint64]
	blocks chunks[uint64] // where in row each begins, and how wide its numbers are in the last bits
}

const edgeIndexBlock = 64

func (l *edgeIndexes) append(turn uint32) {
	l.block[l.n%edgeIndexBlock] = turn
	l.all |= turn
	if l.n++; l.n%edgeIndexBlock > 0 {
		return
	}
	width := bits.Len32(l.all)
	l.all = 0
	l.blocks.append(uint64(l.row.n)<<6 | uint64(width))
	word, used := uint64(0), 0
	for _, turn := range l.block {
		word |= uint64(turn) << used
		if used += width; used >= 64 {
			l.row.append(word)
			used -= 64
			word = uint64(turn) >> (width - used)
		}
	}
}

func (l *edgeIndexes) at(n uint32) uint32 {
	if n/edgeIndexBlock == l.n/edgeIndexBlock {
		return l.block[n%edgeIndexBlock]
	}
	block := l.blocks.at(n / edgeIndexBlock)
	width := uint32(block & 63)
	bit := n % edgeIndexBlock * width
	w, shift := uint32(block>>6)+bit/64, bit%64
	if width == 0 {
		return 0
	}
	word := l.row.at(w) >> shift
	if shift+width > 64 {
		word |= l.row.at(w+1) << (64 - shift)
	}
	return uint32(word & (1<<width - 1))
}

func (l *edgeIndexes) bytes() int { return l.row.bytes() + l.blocks.bytes() }
