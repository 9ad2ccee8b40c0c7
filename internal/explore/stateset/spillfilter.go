package stateset

import (
	"math/bits"

	"github.com/macemc/macemc/internal/explore/memory"
)

// SpillFilter is a Bloom filter of the fingerprints that a [Spilled] has on disk: it reports that a fingerprint may have
// been added, or that it was not. All bits of a fingerprint are in one cache line. The zero value reports that any
// fingerprint may have been added.
type SpillFilter struct {
	memory memory.Arena
	lines  uint64
}

const filterBits = 6 // bits set for each fingerprint

// NewSpillFilter makes a filter of about the given number of bytes.
func NewSpillFilter(bytes int) (f SpillFilter) {
	f.lines = uint64(max(1, bytes/(8*lineWords)))
	f.memory.Grow(int(f.lines) * lineWords)
	return f
}

// line returns the line of a fingerprint, and the indexes of its bits, nine bits each.
func (f *SpillFilter) line(lo uint64) (l *line, at uint64) {
	k, _ := bits.Mul64(lo, f.lines)
	return (*line)(f.memory.Words[k*lineWords:]), lo * 0x9E3779B97F4A7C15
}

func (f *SpillFilter) add(lo uint64) {
	l, at := f.line(lo)
	for range filterBits {
		l[at>>6&7] |= 1 << (at & 63)
		at = bits.RotateLeft64(at, 9)
	}
}

func (f *SpillFilter) has(lo uint64) bool {
	if f.lines == 0 {
		return true
	}
	l, at := f.line(lo)
	for range filterBits {
		if l[at>>6&7]>>(at&63)&1 == 0 {
			return false
		}
		at = bits.RotateLeft64(at, 9)
	}
	return true
}
