// The pages of the snapshot, so that a restore costs what runs write, and not what is imported.

package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// macemcPages are the pages of the blocks of a snapshot, from its addition on. A restore compares those that were written since the last
// one. Of pages that runs often write, the writes are not tracked: each restore compares them.
type macemcPages struct {
	areas    []macemcArea // ascending by address
	writes   []uint32     // by page: the number of restores that found it written, or macemcPageOften
	restores uint32
	on       bool
	tracker  macemcTracker
}

// macemcArea is a range of pages. page is the index of the first one in writes.
type macemcArea struct {
	from, to uintptr
	page     int
	tracked  bool
}

const (
	macemcTrackedMin = 512 << 10  // size in bytes from which on a snapshot is tracked: comparing less is faster
	macemcPageGap    = 32         // maximum number of pages between blocks of one area
	macemcPageOften  = ^uint32(0) // as a number of writes: the page is always compared
	macemcPageSeldom = 8          // a page is tracked while at most one in so many restores finds it written
)

// begin tracks the pages of the blocks of a snapshot if that is faster. Mapped memory outside the heap is not tracked, as its mappings may
// be replaced.
func (p *macemcPages) begin(st *macemcStateType) {
	if st.size < macemcTrackedMin {
		return
	}
	for i := range st.blocks {
		p.add(&st.blocks[i])
	}
	for i := range st.regions {
		if r := &st.regions[i]; !macemcTrackable(r.from) {
			p.compareAlways(r.from, r.size)
		}
	}
	p.on = p.tracker.open()
	for i := range p.areas {
		if a := &p.areas[i]; a.tracked {
			p.on = p.on && p.tracker.register(a.from, a.to) && p.protect(a, a.from, a.to)
		}
	}
}

// add adds the pages of a block, which follows those that were added.
func (p *macemcPages) add(b *macemcBlock) {
	from, to := alignDown(b.from, physPageSize), alignUp(b.from+b.size, physPageSize)
	tracked, k := macemcTrackable(from), len(p.areas)-1
	if k < 0 || from > p.areas[k].to+macemcPageGap*physPageSize || tracked != p.areas[k].tracked {
		p.areas = append(p.areas, macemcArea{from, from, len(p.writes), tracked})
		k++
	}
	a := &p.areas[k]
	for ; a.to < to; a.to += physPageSize {
		writes := uint32(0)
		if a.to < from { // between the blocks
			writes = macemcPageOften
		}
		p.writes = append(p.writes, writes)
	}
}

// macemcTrackable reports whether pages at an address may be tracked.
func macemcTrackable(at uintptr) bool { return spanOfHeap(at) != nil || macemcGlobal(at) }

// compareAlways makes the next restores compare the pages of a region.
func (p *macemcPages) compareAlways(from, size uintptr) {
	for at := alignDown(from, physPageSize); at < from+size; at += physPageSize {
		i := macemcFirst(len(p.areas), func(i int) bool { return p.areas[i].to > at })
		if i == len(p.areas) || p.areas[i].from > at {
			continue
		}
		if n := &p.writes[p.areas[i].index(at)]; *n != macemcPageOften {
			*n = macemcPageOften
			atomic.Or8((*uint8)(unsafe.Pointer(max(at, from))), 0) // a write ends the protection
		}
	}
}

// index returns the index in writes of the page at an address.
func (a *macemcArea) index(at uintptr) int { return a.page + int((at-a.from)/physPageSize) }

// protect makes the system track pages that were written, without those that runs often write. It reports whether the system does.
func (p *macemcPages) protect(a *macemcArea, from, to uintptr) bool {
	ok, at := true, from
	for i := a.index(from); at < to; i++ {
		n := &p.writes[i]
		if *n < macemcPageOften {
			*n++
		}
		if *n > 2+p.restores/macemcPageSeldom {
			*n = macemcPageOften
			if from < at {
				ok = ok && p.tracker.protect(from, at)
			}
			from = at + physPageSize
		}
		at += physPageSize
	}
	return ok && (from == at || p.tracker.protect(from, at))
}

// restore restores what differs from the snapshot.
func (p *macemcPages) restore(st *macemcStateType) {
	p.restores++
	next := 0
	for i := range p.areas {
		a := &p.areas[i]
		if !a.tracked {
			next = st.compare(next, a.from, a.to)
			continue
		}
		p.on = p.on && p.tracker.written(a.from, a.to, func(from, to uintptr) bool {
			ok := p.protect(a, from, to) // before the comparison, which writes that do not wait for the world may follow
			next = st.compare(next, from, to)
			return ok
		})
	}
	if !p.on {
		st.compare(0, 0, ^uintptr(0))
	}
}
