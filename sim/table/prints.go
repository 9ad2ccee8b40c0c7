package table

import (
	"math"
	"math/bits"
)

// print is the fingerprint of a vector: the sum of a mix of each word and its place, once or twice.
type print [2]uint64

func mix(place int, word uint32, seed uint64) uint64 {
	h := (uint64(place)<<32 | uint64(word)) + seed
	h = (h ^ h>>30) * 0xBF58476D1CE4E5B9
	h = (h ^ h>>27) * 0x94D049BB133111EB
	return h ^ h>>31
}

const (
	seed0 = 0x9E3779B97F4A7C15
	seed1 = 0xD1B54A32D192ED03
)

// share is the share of a word in a fingerprint of both words.
func share(place int, word uint32) print {
	return print{mix(place, word, seed0), mix(place, word, seed1)}
}

func (p *print) add(q print) { p[0], p[1] = p[0]+q[0], p[1]+q[1] }

func (p *print) sub(q print) { p[0], p[1] = p[0]-q[0], p[1]-q[1] }

// prints is a set of fingerprints of one or two words: an open-addressing table with linear probing. Where
// the search for a fingerprint begins is proportional to it, so that a table can be spread over a longer one in place,
// from its end on.
type prints struct {
	words   int // of a fingerprint
	n       int
	limit   int    // so many fingerprints fit
	homes   uint64 // where searches begin: so many places
	slots   []uint64
	memory  region
	scratch []uint64
	sink    uint64
}

const (
	minPrints   = 1 << 10
	printsSlack = 1 << 9 // places at the end where no search begins, at first
)

func newPrints(words int) *prints {
	p := &prints{words: words}
	p.resize(minPrints)
	return p
}

func (p *prints) resize(homes int) {
	p.memory.grow((homes + printsSlack) * p.words)
	p.homes, p.limit = uint64(homes), homes/20*17
	p.slots = p.memory.words
}

func (p *prints) home(f uint64) uint64 {
	home, _ := bits.Mul64(f, p.homes)
	return home
}

// prefetch reads what insert will read for each of some fingerprints, given by their first words. Memory is slow
// to answer but takes many requests at a time, and these, unlike those of insert, do not wait for one another.
func (p *prints) prefetch(first []uint64) {
	slots, words, sink := p.slots, uint64(p.words), uint64(0)
	for _, f := range first {
		home, _ := bits.Mul64(f, p.homes)
		sink ^= slots[home*words]
	}
	p.sink ^= sink
}

// reserve makes room for some more fingerprints.
func (p *prints) reserve(more int) {
	for p.n+more > p.limit {
		p.grow()
	}
}

// insert1 adds a fingerprint of one word; there must be room.
func (p *prints) insert1(f uint64) (added bool) {
	if f == 0 {
		f = 1
	}
	slots := p.slots
	i := p.home(f)
	for ; i < uint64(len(slots)); i++ {
		switch slots[i] {
		case f:
			return false
		case 0:
			slots[i] = f
			p.n++
			return true
		}
	}
	p.lengthen()
	return p.insert1(f)
}

// insert2 adds a fingerprint of two words; there must be room.
func (p *prints) insert2(f, g uint64) (added bool) {
	if f == 0 {
		f = 1
	}
	slots := p.slots
	i := 2 * p.home(f)
	for ; i+1 < uint64(len(slots)); i += 2 {
		switch {
		case slots[i] == f && slots[i+1] == g:
			return false
		case slots[i] == 0:
			slots[i], slots[i+1] = f, g
			p.n++
			return true
		}
	}
	p.lengthen()
	return p.insert2(f, g)
}

// lengthen makes room behind the last place.
func (p *prints) lengthen() {
	p.memory.grow(len(p.slots) + printsSlack*p.words)
	p.slots = p.memory.words
}

func (p *prints) insert(f print) (added bool) {
	p.reserve(1)
	if p.words == 1 {
		return p.insert1(f[0])
	}
	return p.insert2(f[0], f[1])
}

// grow spreads the table over a longer one. A run of places in use is moved as a whole, behind
// what comes before it: the new homes of its fingerprints are not before the old ones.
func (p *prints) grow() {
	w, homes := p.words, p.homes
	end := len(p.slots) / w * w
	p.resize(int(homes + homes/4))
	p.n = 0
	for end > 0 {
		begin := end
		for begin > 0 && p.slots[begin-w] != 0 {
			begin -= w
		}
		if begin == end {
			end -= w
			continue
		}
		p.scratch = append(p.scratch[:0], p.slots[begin:end]...)
		clear(p.slots[begin:end])
		for i := 0; i < len(p.scratch); i += w {
			if w == 1 {
				p.insert1(p.scratch[i])
			} else {
				p.insert2(p.scratch[i], p.scratch[i+1])
			}
		}
		end = begin
	}
}

// omission bounds the probability that some two of the states that were met have the same fingerprint, so
// that one was taken for known.
func (p *prints) omission(states int) float64 {
	n := float64(states)
	return min(1, n*(n-1)/2*math.Pow(2, -64*float64(p.words)))
}

func (p *prints) bytes() int { return 8 * len(p.slots) }
