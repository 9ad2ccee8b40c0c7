package table

import "math/bits"

// pairs interns pairs of numbers.
type pairs struct {
	list  chunks[uint64]
	index []uint32 // open addressing: number in list, plus one; 0: free
	shift uint
	limit int // so many fit into index
	hints []uint32
	sink  uint64
}

const minPairs = 1 << 10

func (p *pairs) slot(pair uint64) int {
	return int((pair ^ pair>>29) * 0x9E3779B97F4A7C15 >> p.shift)
}

func (p *pairs) intern(pair uint64) (id uint32, added bool) {
	if p.list.n >= p.limit {
		p.grow()
	}
	mask := len(p.index) - 1
	i := p.slot(pair)
	for ; p.index[i] != 0; i = (i + 1) & mask {
		if n := p.index[i] - 1; p.list.at(n) == pair {
			return n, false
		}
	}
	id = uint32(p.list.n)
	p.list.append(pair)
	p.index[i] = id + 1
	return id, true
}

// prefetch reads what intern will read for each of some pairs. Memory is slow to answer but takes many
// requests at a time, and these, unlike those of intern, do not wait for one another.
func (p *pairs) prefetch(pairs []uint64) {
	if p.list.n == 0 {
		return
	}
	p.hints = p.hints[:0]
	for _, pair := range pairs {
		p.hints = append(p.hints, p.index[p.slot(pair)])
	}
	for _, n := range p.hints {
		if n != 0 {
			p.sink ^= p.list.at(n - 1)
		}
	}
}

func (p *pairs) grow() {
	size := max(minPairs, 2*len(p.index))
	p.index = nil // so that it need not stay beside the new one
	p.index = make([]uint32, size)
	p.shift = uint(64 - bits.TrailingZeros(uint(size)))
	p.limit = size / 4 * 3
	mask := size - 1
	for n := range uint32(p.list.n) {
		i := p.slot(p.list.at(n))
		for p.index[i] != 0 {
			i = (i + 1) & mask
		}
		p.index[i] = n + 1
	}
}

func (p *pairs) bytes() int { return p.list.bytes() + 4*cap(p.index) }
