package table

import "math/bits"

// ancestry keeps for each state the one that it was found from, plus one; 0: it is a first state. States
// are expanded in the order of their numbers, so these never decrease, and take about three bits each: in a
// row of bits, number n is bit n + parent(n), with as many bits before it that are not set as its parent's
// number says.
type ancestry struct {
	n       uint32
	row     chunks[uint64]
	samples chunks[uint32] // every so many parents
}

const sampledParents = 64

func (a *ancestry) append(parent uint32) {
	if a.n%sampledParents == 0 {
		a.samples.append(parent)
	}
	at := uint64(a.n) + uint64(parent)
	for uint64(a.row.n) <= at/64 {
		a.row.append(0)
	}
	w := uint32(at / 64)
	a.row.parts[w/chunkLen][w%chunkLen] |= 1 << (at % 64)
	a.n++
}

func (a *ancestry) at(n uint32) uint32 {
	k := n / sampledParents
	parent := a.samples.at(k)
	at := uint64(k)*sampledParents + uint64(parent)
	skip := int(n % sampledParents) // bits to be passed
	w := uint32(at / 64)
	word := a.row.at(w) >> (at % 64) << (at % 64)
	for {
		c := bits.OnesCount64(word)
		if skip < c {
			break
		}
		skip -= c
		w++
		word = a.row.at(w)
	}
	for ; skip > 0; skip-- {
		word &= word - 1
	}
	return uint32(uint64(w)*64 + uint64(bits.TrailingZeros64(word)) - uint64(n))
}

func (a *ancestry) bytes() int { return a.row.bytes() + a.samples.bytes() }
