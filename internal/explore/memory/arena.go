package memory

import "unsafe"

// Halves makes the region at least n times four bytes long.
func (r *Arena) Halves(n int) []uint32 {
	r.Grow((n + 1) / 2)
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(r.Words))), 2*len(r.Words))
}
