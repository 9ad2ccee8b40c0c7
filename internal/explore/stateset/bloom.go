package stateset

import (
	"math/bits"

	"github.com/macemc/macemc/internal/explore/memory"
)

// bloom is a filter of fingerprints: it reports that a fingerprint may have been added, or that it was not. All bits of
// a fingerprint are in one cache line. The zero value reports that any fingerprint may have been added.
type bloom struct {
	memory memory.Arena
	lines  uint64
}

const bloomBits = 6 // bits set for each fingerprint

func NewBloom(bytes int) (f bloom) {
	f.lines = uint64(max(1, bytes/(8*lineWords)))
	f.memory.Grow(int(f.lines) * lineWords)
	return f
}

// line returns the line of a fingerprint, and the indexes of its bits, nine bits each.
func (f *bloom) line(lo uint64) (l *line, at uint64) {
	k, _ := bits.Mul64(lo, f.lines)
	return (*line)(f.memory.Words[k*lineWords:]), lo * 0x9E3779B97F4A7C15
}

func (f *bloom) add(lo uint64) {
	l, at := f.line(lo)
	for range bloomBits {
		l[at>>6&7] |= 1 << (at & 63)
		at = bits.RotateLeft64(at, 9)
	}
}

func (f *bloom) has(lo uint64) bool {
	if f.lines == 0 {
		return true
	}
	l, at := f.line(lo)
	for range bloomBits {
		if l[at>>6&7]>>(at&63)&1 == 0 {
			return false
		}
		at = bits.RotateLeft64(at, 9)
	}
	return true
}
