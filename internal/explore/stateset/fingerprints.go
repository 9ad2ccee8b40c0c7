package stateset

import (
	"math"
	"math/bits"
	"slices"

	"github.com/macemc/macemc/internal/explore/memory"
	"github.com/macemc/macemc/internal/explore/spill"
)

// Fingerprints is a set of fingerprints of one or two words: a hash table of cache lines. A fingerprint that does not
// fit into its line goes to the next one that is not full. Line numbers are proportional to fingerprints, so that a
// table can be spread over a longer one in place, from its end on. This is done in small steps, since other work would
// have to wait for a complete one.
type Fingerprints struct {
	words   int // of a fingerprint
	n       int
	limit   int    // maximum number of fingerprints
	homes   uint64 // number of lines that fingerprints map to
	before  uint64 // number of such lines before the table grew
	end     uint64 // slots before this index are still in their old place
	most    uint64 // number of lines that it grows to at first; 0 means no such limit
	slots   []uint64
	memory  memory.Arena
	scratch []uint64
	lines   [ahead]uint64 // scratch: where lines start
	sink    uint64
}

const (
	lineWords  = 8
	minLines   = 1 << 7
	linesSlack = 1 << 4 // lines at the end that no fingerprint maps to, at first
)

// line holds fingerprints, one after the other. 0 is free.
type line [lineWords]uint64

func NewFingerprints(words int) *Fingerprints {
	p := &Fingerprints{words: words}
	p.resize(minLines)
	return p
}

// resize sets the number of lines. The table is filled up to 5/6 of its capacity, because more would seldom fit into
// their own lines.
func (p *Fingerprints) resize(lines int) {
	p.memory.Grow((lines + linesSlack) * lineWords)
	p.homes, p.limit = uint64(lines), lines*lineWords/p.words/6*5
	p.slots = p.memory.Words
}

func (p *Fingerprints) line(i uint64) *line { return (*line)(p.slots[i : i+lineWords]) }

// home returns the start of the line of a fingerprint.
func (p *Fingerprints) home(f uint64) uint64 {
	home, _ := bits.Mul64(f, p.homes)
	home *= lineWords
	if p.end > 0 {
		before, _ := bits.Mul64(f, p.before)
		before *= lineWords
		home ^= (home ^ before) & uint64(int64(before-p.end)>>63) // before if that is less than end; branch-free, since it is unpredictable
	}
	return home
}

// ahead is the number of fingerprints whose lines are read before they are looked up. The lines fit into the cache.
const ahead = 256

// prefetch reads the lines that insert will read for at most ahead fingerprints, given by their first words. Memory is
// slow to answer but takes many requests at a time. Unlike the reads of insert, these are independent: all home lines,
// then the lines behind those that are full, and so on.
func (p *Fingerprints) prefetch(first []uint64) {
	slots, sink := p.slots, uint64(0)
	for i, f := range first {
		home := p.home(f)
		p.lines[i] = home
		sink ^= slots[home]
	}
	for n := len(first); n > 0; {
		full := 0
		for _, i := range p.lines[:n] {
			p.lines[full] = i + lineWords
			full += int(1 - zeros(slots[i+lineWords-uint64(p.words)])>>63)
		}
		n = 0
		for _, i := range p.lines[:full] {
			if i < uint64(len(slots)) {
				sink ^= slots[i]
				p.lines[n] = i
				n++
			}
		}
	}
	p.sink ^= sink
}

// reserve makes room for some more fingerprints.
func (p *Fingerprints) reserve(more int) {
	for p.n+more > p.limit {
		p.grow()
	}
}

// zeros has the highest bit set if and only if x is 0. Unlike a comparison it is branch-free.
func zeros(x uint64) uint64 { return (x - 1) &^ x }

func (p *Fingerprints) Width() int { return p.words }

// AddAll implements [Visited].
func (p *Fingerprints) AddAll(k *Keys, fresh []uint32) []uint32 {
	p.reserve(len(k.Lo))
	if p.end > 0 {
		p.spreadFor(len(k.Lo))
	}
	n := len(fresh)
	fresh = slices.Grow(fresh, len(k.Lo)+1)[:n+len(k.Lo)+1]
	for from := 0; from < len(k.Lo); from += ahead {
		to := min(from+ahead, len(k.Lo))
		p.prefetch(k.Lo[from:to])
		if p.words == 1 {
			for i := from; i < to; i++ {
				fresh[n] = k.Edges[i]
				n += int(p.insert1(k.Lo[i]))
			}
		} else {
			for i := from; i < to; i++ {
				fresh[n] = k.Edges[i]
				n += int(p.insert2(k.Lo[i], k.Hi[i]))
			}
		}
	}
	return fresh[:n]
}

// Places implements [Finder].
func (p *Fingerprints) Places() int {
	p.spread(0)
	return len(p.slots) / p.words
}

// FindAll implements [Finder].
func (p *Fingerprints) FindAll(k *Keys, places []uint32) []uint32 {
	for i, f := range k.Lo {
		if i%ahead == 0 {
			p.prefetch(k.Lo[i:min(i+ahead, len(k.Lo))])
		}
		g := uint64(0)
		if p.words == 2 {
			g = k.Hi[i]
		}
		places = append(places, p.place(f, g))
	}
	return places
}

// place returns the place of a fingerprint.
func (p *Fingerprints) place(f, g uint64) uint32 {
	if f == 0 {
		f = 1
	}
	for i := p.home(f); i < uint64(len(p.slots)); i += uint64(p.words) {
		switch {
		case p.slots[i] == 0:
			return NoPlace
		case p.slots[i] == f && (p.words == 1 || p.slots[i+1] == g):
			return uint32(i / uint64(p.words))
		}
	}
	return NoPlace
}

// insert1 adds a fingerprint of one word, and returns 1, or 0 if it is present. There should be room for it. Within the
// line it is branch-free, since the presence is unpredictable.
func (p *Fingerprints) insert1(f uint64) (added uint64) {
	if f == 0 {
		f = 1
	}
	for i := p.home(f); ; i += lineWords {
		if i+lineWords > uint64(len(p.slots)) {
			p.lengthen()
		}
		l := p.line(i)
		same := (zeros(l[0]^f) | zeros(l[1]^f) | zeros(l[2]^f) | zeros(l[3]^f) |
			zeros(l[4]^f) | zeros(l[5]^f) | zeros(l[6]^f) | zeros(l[7]^f)) >> 63
		if same == 0 && l[lineWords-1] != 0 {
			continue
		}
		at := &l[l.used1()]
		*at ^= (*at ^ f) & (same - 1)
		p.n += int(1 - same)
		return 1 - same
	}
}

// insert2 is insert1 for a fingerprint of two words.
func (p *Fingerprints) insert2(f, g uint64) (added uint64) {
	if f == 0 {
		f = 1
	}
	for i := p.home(f); ; i += lineWords {
		if i+lineWords > uint64(len(p.slots)) {
			p.lengthen()
		}
		l := p.line(i)
		same := (zeros((l[0]^f)|(l[1]^g)) | zeros((l[2]^f)|(l[3]^g)) | zeros((l[4]^f)|(l[5]^g)) | zeros((l[6]^f)|(l[7]^g))) >> 63
		if same == 0 && l[lineWords-2] != 0 {
			continue
		}
		at := l.used2()
		a, b := &l[at], &l[at|1]
		*a ^= (*a ^ f) & (same - 1)
		*b ^= (*b ^ g) & (same - 1)
		p.n += int(1 - same)
		return 1 - same
	}
}

// lengthen makes room after the last line.
func (p *Fingerprints) lengthen() {
	p.memory.Grow(len(p.slots) + linesSlack*lineWords)
	p.slots = p.memory.Words
}

// grow makes the table longer.
func (p *Fingerprints) grow() {
	p.spread(0)
	end, before := uint64(len(p.slots)/lineWords*lineWords), p.homes
	homes := before + before/2
	if p.most > before {
		homes = min(homes, p.most)
	}
	p.resize(int(homes))
	p.end, p.before = end, before
}

// spreadFor spreads part of a table that has grown, before some fingerprints are added. New fingerprints that do not
// fit before end go into lines after it, which must be empty. Enough are, because the old content has its new home
// farther on.
func (p *Fingerprints) spreadFor(added int) {
	lines, left := uint64(4*p.words*added+minLines), p.end/lineWords
	if empty := left * (p.homes - p.before) / p.before; empty < 2*lines {
		lines = left
	}
	p.spread(p.end - lines*lineWords)
}

// spread moves the content from some index on to its new home. Full lines and the one after them are moved together,
// since a line may hold fingerprints of an earlier one. They go after all earlier content, because new homes are never
// before old ones.
func (p *Fingerprints) spread(from uint64) {
	w := uint64(p.words)
	for p.end > from {
		begin, end := p.end-lineWords, p.end
		for begin > 0 && p.slots[begin-w] != 0 {
			begin -= lineWords
		}
		for p.slots[end-w] != 0 {
			end += lineWords
		}
		p.scratch = append(p.scratch[:0], p.slots[begin:end]...)
		clear(p.slots[begin:end])
		p.end = begin
		for i := uint64(0); i < uint64(len(p.scratch)); i += w {
			f := p.scratch[i]
			switch {
			case f == 0:
				i = i/lineWords*lineWords + lineWords - w
			case w == 1:
				l := p.notFull(f)
				l[l.used1()] = f
			default:
				l := p.notFull(f)
				at := l.used2()
				l[at], l[at|1] = f, p.scratch[i+1]
			}
		}
	}
}

// notFull returns the line for a fingerprint that is not in the table.
func (p *Fingerprints) notFull(f uint64) *line {
	i := p.home(f)
	for ; i+lineWords <= uint64(len(p.slots)); i += lineWords {
		if l := p.line(i); l[lineWords-p.words] == 0 {
			return l
		}
	}
	p.lengthen()
	return p.line(i)
}

// each yields all fingerprints, ascending.
func (p *Fingerprints) each(yield func(spill.Key) bool) {
	p.spread(0)
	var keys []spill.Key // of full lines and the one after them: all others come before or after
	for at := 0; at < len(p.slots); at += lineWords {
		l := p.line(uint64(at))
		for i := 0; i < lineWords && l[i] != 0; i += p.words {
			k := spill.Key{Lo: l[i]}
			if p.words == 2 {
				k.Hi = l[i+1]
			}
			keys = append(keys, k)
		}
		if l[lineWords-p.words] != 0 && at+lineWords < len(p.slots) {
			continue
		}
		slices.SortFunc(keys, spill.Key.Compare)
		for _, k := range keys {
			if !yield(k) {
				return
			}
		}
		keys = keys[:0]
	}
}

// empty removes all fingerprints.
func (p *Fingerprints) empty() {
	clear(p.slots)
	p.n, p.end = 0, 0
}

// used1 returns the number of occupied places of a line that is not full, with fingerprints of one word. used2 is the
// same for two words.
func (l *line) used1() uint64 {
	free := zeros(l[0])>>63 + zeros(l[1])>>63 + zeros(l[2])>>63 + zeros(l[3])>>63 +
		zeros(l[4])>>63 + zeros(l[5])>>63 + zeros(l[6])>>63
	return (lineWords - 1 - free) % lineWords
}

func (l *line) used2() uint64 {
	free := zeros(l[0])>>63 + zeros(l[2])>>63 + zeros(l[4])>>63
	return (lineWords - 2 - 2*free) % lineWords
}

// Omission implements [Visited]: n(n-1)/2 pairs of states, each with equal fingerprints of b bits with probability 2^-b.
func (p *Fingerprints) Omission(n int) float64 { return omission(n, p.words) }

func omission(states, words int) float64 {
	n := float64(states)
	return min(1, n*(n-1)/2*math.Pow(2, -64*float64(words)))
}

// Bytes implements [Visited]. The table grows in place.
func (p *Fingerprints) Bytes() (now, growth int) { return 8 * len(p.slots), 0 }

// Close implements [Visited].
func (p *Fingerprints) Close() { p.memory.Free() }
