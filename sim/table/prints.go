package table

import "math"

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

// prints is a set of fingerprints of one or two words: an extendible hash table. Segments that are full
// are split in two, so nothing is ever copied as a whole.
type prints struct {
	words   int // of a fingerprint
	n       int
	depth   uint       // leading bits of a fingerprint that say which segment
	dir     []*segment // by those bits
	many    int        // segments
	scratch []uint64
	sink    uint64
}

// segment is an open-addressing table.
type segment struct {
	slots []uint64 // zero: free
	n     int
	depth uint // leading bits that all of its fingerprints have in common
}

const (
	segmentSlots = 1 << 13
	segmentFull  = segmentSlots / 8 * 7
)

func newPrints(words int) *prints {
	p := &prints{words: words}
	p.dir = []*segment{p.newSegment(0)}
	return p
}

func (p *prints) newSegment(depth uint) *segment {
	p.many++
	return &segment{slots: make([]uint64, segmentSlots*p.words), depth: depth}
}

// of is the fingerprint of a vector.
func (p *prints) of(v []uint32) (f print) {
	for i, word := range v {
		p.add(&f, i, word)
	}
	return f
}

func (p *prints) add(f *print, place int, word uint32) {
	f[0] += mix(place, word, seed0)
	if p.words == 2 {
		f[1] += mix(place, word, seed1)
	}
}

func (p *prints) sub(f *print, place int, word uint32) {
	f[0] -= mix(place, word, seed0)
	if p.words == 2 {
		f[1] -= mix(place, word, seed1)
	}
}

func (p *prints) find(f *print) *segment { return p.dir[f[0]>>(64-p.depth)] }

// prefetch reads what insert will read.
func (p *prints) prefetch(f *print) {
	p.sink ^= p.find(f).slots[int(f[0]%segmentSlots)*p.words]
}

func (p *prints) insert(f *print) (added bool) {
	if f[0] == 0 {
		f[0] = 1
	}
	s := p.find(f)
	for s.n >= segmentFull {
		p.split(s, f)
		s = p.find(f)
	}
	if p.words == 1 {
		added = s.insert1(f[0])
	} else {
		added = s.insert2(f)
	}
	if added {
		p.n++
	}
	return added
}

func (s *segment) insert1(f uint64) (added bool) {
	slots := (*[segmentSlots]uint64)(s.slots)
	i := f % segmentSlots
	for ; slots[i] != 0; i = (i + 1) % segmentSlots {
		if slots[i] == f {
			return false
		}
	}
	slots[i] = f
	s.n++
	return true
}

func (s *segment) insert2(f *print) (added bool) {
	slots := (*[2 * segmentSlots]uint64)(s.slots)
	i := f[0] % segmentSlots * 2
	for ; slots[i] != 0; i = (i + 2) % (2 * segmentSlots) {
		if slots[i] == f[0] && slots[i|1] == f[1] {
			return false
		}
	}
	slots[i], slots[i|1] = f[0], f[1]
	s.n++
	return true
}

// split splits the segment of f.
func (p *prints) split(s *segment, f *print) {
	if s.depth == p.depth {
		dir := make([]*segment, 2*len(p.dir))
		for i, s := range p.dir {
			dir[2*i], dir[2*i+1] = s, s
		}
		p.dir = dir
		p.depth++
	}
	s.depth++
	other := p.newSegment(s.depth)
	half := 1 << (p.depth - s.depth) // entries of each
	begin := int(f[0]>>(64-p.depth)) &^ (2*half - 1)
	for i := range half {
		p.dir[begin+half+i] = other
	}
	p.scratch = append(p.scratch[:0], s.slots...)
	clear(s.slots)
	s.n = 0
	for i := 0; i < len(p.scratch); i += p.words {
		if p.scratch[i] == 0 {
			continue
		}
		to := s
		if p.scratch[i]>>(64-s.depth)&1 == 1 {
			to = other
		}
		if p.words == 1 {
			to.insert1(p.scratch[i])
		} else {
			to.insert2((*print)(p.scratch[i:]))
		}
	}
}

// omission bounds the probability that some two of the states that were met have the same fingerprint, so
// that one was taken for known.
func (p *prints) omission(states int) float64 {
	n := float64(states)
	return min(1, n*(n-1)/2*math.Pow(2, -64*float64(p.words)))
}

func (p *prints) bytes() int { return 8*len(p.dir) + p.many*(8*segmentSlots*p.words+64) }
