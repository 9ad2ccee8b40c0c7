package memory

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Arena is memory that grows in place. Addresses are reserved, and pages are allocated when used. Pages are huge if
// available, because tables that are read at random would otherwise spend their time on address translation. The
// garbage collector does not manage the memory, but it is released when nothing refers to the region any more. The zero
// value is empty. No other reference to Words may be kept. The methods depend on the operating system and have a file
// for each.
type Arena struct {
	Words    []uint64
	reserved *mapping // nil if words are on the heap
}

type mapping struct {
	bytes []byte
	undo  runtime.Cleanup
}

const (
	onHeap      = 1 << 12  // number of words up to which a reservation is not worthwhile
	smallPages  = 64 << 10 // bytes; growth step of a region shorter than a huge page
	hugePage    = 2 << 20
	mostReserve = 1 << 39
)

// Grow makes the region at least so many words long. New words are zero.
func (r *Arena) Grow(words int) {
	if words <= len(r.Words) {
		return
	}
	if words <= onHeap || !r.growReserved(words) {
		grown := make([]uint64, words)
		copy(grown, r.Words)
		*r = Arena{Words: grown} // concurrent readers keep the old memory
	}
}

func (r *Arena) growReserved(words int) bool {
	step := hugePage
	if 8*words <= hugePage-smallPages {
		step = smallPages
	}
	size := (8*words + step - 1) &^ (step - 1)
	old := 0
	if r.reserved != nil {
		old = 8 * len(r.Words)
	} else if r.reserved = reserve(size); r.reserved == nil {
		return false
	}
	all := r.reserved.bytes
	if size > len(all) || unix.Mprotect(all[old:size], unix.PROT_READ|unix.PROT_WRITE) != nil {
		return false
	}
	if step == hugePage {
		_ = unix.Madvise(all[old:size], unix.MADV_HUGEPAGE) // optional: works without huge pages
	}
	grown := unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(all))), size/8)
	if old == 0 {
		copy(grown, r.Words)
	}
	r.Words = grown
	return true
}

// reserve reserves addresses for at least so many bytes, and for as many more as possible. It returns nil on failure.
func reserve(least int) *mapping {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_AS, &limit) == nil && limit.Cur != unix.RLIM_INFINITY {
		return nil // addresses are scarce
	}
	for size := mostReserve; size >= least; size /= 2 {
		bytes, err := unix.Mmap(-1, 0, size, unix.PROT_NONE, unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_NORESERVE)
		if err == nil {
			m := &mapping{bytes: bytes}
			m.undo = runtime.AddCleanup(m, unmap, bytes)
			return m
		}
	}
	return nil
}

func unmap(bytes []byte) { _ = unix.Munmap(bytes) }

// Free releases the memory. The region is empty afterwards.
func (r *Arena) Free() {
	if m := r.reserved; m != nil {
		m.undo.Stop()
		unmap(m.bytes)
	}
	*r = Arena{}
}
