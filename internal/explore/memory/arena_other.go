//go:build !linux

package memory

// Arena is memory that grows. The zero value is empty. No other reference to Words may be kept. The methods depend on
// the operating system and have a file for each.
type Arena struct {
	Words []uint64
}

// Grow makes the region at least so many words long. New words are zero.
func (r *Arena) Grow(words int) {
	if words > len(r.Words) {
		grown := make([]uint64, words)
		copy(grown, r.Words)
		r.Words = grown
	}
}

// Free releases the memory. The region is empty afterwards.
func (r *Arena) Free() { *r = Arena{} }
