package stateset

import (
	"math/bits"

	"github.com/macemc/macemc/internal/explore/memory"
)

// bloom is a filter of fingerprints: it says of one that it may have been added, or that it was not. What belongs to a fingerprint is in
// one line of the processor's memory. The zero value says of none that it was not added.
type bloom struct {
	memory memory.Arena
	lines  uint64
}

const bloomBits = 6 // that are set for a fingerprint

func NewBloom(bytes int) (f bloom) {
	f.lines = uint64(max(1, bytes/(8*lineWords)))
	f.memory.Grow(int(f.lines) * lineWords)
	return f
}

// line is that of a fingerprint, and the bits in it, nine for each.
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
