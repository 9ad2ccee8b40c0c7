//go:build !linux

package explore

// region is memory that grows. The zero value is empty. Nobody else may keep what words refers to.
type region struct {
	words []uint64
}

// grow makes the region at least so many words long, what is new being zero.
func (r *region) grow(words int) {
	if words > len(r.words) {
		grown := make([]uint64, words)
		copy(grown, r.words)
		r.words = grown
	}
}

// free gives the memory back. The region is empty then.
func (r *region) free() { *r = region{} }
