//go:build !linux

package memory

// Arena is memory that grows. The zero value is empty. Nobody else may keep what Words refers to.
type Arena struct {
	Words []uint64
}

// Grow makes the region at least so many words long, what is new being zero.
func (r *Arena) Grow(words int) {
	if words > len(r.Words) {
		grown := make([]uint64, words)
		copy(grown, r.Words)
		r.Words = grown
	}
}

// Free gives the memory back. The region is empty then.
func (r *Arena) Free() { *r = Arena{} }
