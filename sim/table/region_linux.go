package table

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// region is memory that grows in place: addresses are reserved, pages are taken as it grows, huge ones if there
// are any, since tables that are read at random spots would else spend their time on address translation.
// It is not the collector's. The zero value is empty.
type region struct {
	reserved []byte // nil: on the heap
	words    []uint64
}

const (
	onHeap      = 1 << 17 // words, up to which huge pages do not pay
	hugePage    = 2 << 20
	mostReserve = 1 << 40
)

// grow makes the region at least so many words long, what is new being zero.
func (r *region) grow(words int) {
	if words <= len(r.words) {
		return
	}
	if words <= onHeap || !r.growReserved(words) {
		grown := make([]uint64, words)
		copy(grown, r.words)
		r.free()
		r.words = grown
	}
}

func (r *region) growReserved(words int) bool {
	size := (8*words + hugePage - 1) &^ (hugePage - 1)
	old := r.words
	if r.reserved == nil {
		for reserve := mostReserve; r.reserved == nil; reserve /= 2 {
			if reserve < size {
				return false
			}
			r.reserved, _ = unix.Mmap(-1, 0, reserve, unix.PROT_NONE, unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_NORESERVE)
		}
		old = nil
	}
	if size > len(r.reserved) || unix.Mprotect(r.reserved[8*len(old):size], unix.PROT_READ|unix.PROT_WRITE) != nil {
		return false
	}
	_ = unix.Madvise(r.reserved[8*len(old):size], unix.MADV_HUGEPAGE) // does without, if there are none
	grown := unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(r.reserved))), size/8)
	if old == nil {
		copy(grown, r.words)
	}
	r.words = grown
	return true
}

// free gives the memory back. The region is empty then.
func (r *region) free() {
	if r.reserved != nil {
		_ = unix.Munmap(r.reserved)
	}
	*r = region{}
}
