// The pages of the snapshot, so that a restore costs what runs write, and not what is imported.

package runtime

import (
	"internal/goarch"
	"internal/runtime/atomic"
	"unsafe"
)

// macemcPages are the pages of the blocks of a snapshot, from its addition on. A restore compares those that were written since the last
// one. Of pages that runs often write, the writes are not tracked: each restore compares them.
type macemcPages struct {
	areas    []macemcArea // ascending by address
	all      []macemcPage
	restores uint32
	on       bool
	anew     bool // the next restore compares all, and forgets which pages runs often write
	tracker  macemcTracker

	collections uint32           // memstats.numgc when the snapshot was taken
	fillers     []unsafe.Pointer // see fill
}

// macemcPage is a page of an area.
type macemcPage struct {
	writes uint32 // number of restores that found it written, or macemcPageOften
	block  int32  // index of the first block that ends behind the beginning of the page
}

// macemcArea is a range of pages. page is the index of the first one among all.
type macemcArea struct {
	from, to uintptr
	page     int
	tracked  bool
}

const (
	macemcTrackedMin = 512 << 10  // size in bytes from which on a snapshot is tracked: comparing less is faster
	macemcPageGap    = 128        // maximum number of pages between blocks of one area
	macemcPageAlways = ^uint32(0) // as a number of writes: the page is always compared
	macemcPageOften  = ^uint32(1) // likewise, because runs often write it
	macemcPageSeldom = 64         // a page is tracked while at most one in so many restores finds it written
)

// begin tracks the pages of the blocks of a snapshot if that is faster. Mapped memory outside the heap is not tracked, as its mappings may
// be replaced.
func (p *macemcPages) begin(st *macemcStateType) {
	if st.size < macemcTrackedMin {
		return
	}
	for i := range st.blocks {
		p.add(&st.blocks[i], int32(i))
	}
	for i := range st.regions {
		if r := &st.regions[i]; !macemcTrackable(r.from) {
			p.compareAlways(r.from, r.size)
		}
	}
	p.on, p.collections = p.tracker.open(), memstats.numgc
	for i := range p.areas {
		if a := &p.areas[i]; a.tracked {
			p.on = p.on && p.tracker.register(a.from, a.to)
		}
	}
	p.track()
}

// track begins to track all pages.
func (p *macemcPages) track() {
	p.restores = 0
	for i := range p.all {
		if n := &p.all[i].writes; *n != macemcPageAlways {
			*n = 0
		}
	}
	for i := range p.areas {
		if a := &p.areas[i]; a.tracked {
			p.on = p.on && p.protect(a, a.from, a.to)
		}
	}
}

// add adds the pages of a block, and those between the block before and it, if they belong to the same area.
func (p *macemcPages) add(b *macemcBlock, index int32) {
	from, to := alignDown(b.from, physPageSize), alignUp(b.from+b.size, physPageSize)
	tracked, k := macemcTrackable(from), len(p.areas)-1
	if k < 0 || from > p.areas[k].to+macemcPageGap*physPageSize || tracked != p.areas[k].tracked {
		p.areas = append(p.areas, macemcArea{from, from, len(p.all), tracked})
		k++
	}
	a := &p.areas[k]
	for ; a.to < to; a.to += physPageSize {
		p.all = append(p.all, macemcPage{0, index})
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
		if n := &p.all[p.areas[i].index(at)].writes; *n != macemcPageAlways {
			*n = macemcPageAlways
			atomic.Or8((*uint8)(unsafe.Pointer(max(at, from))), 0) // a write ends the protection
		}
	}
}

// index returns the index of the page at an address.
func (a *macemcArea) index(at uintptr) int { return a.page + int((at-a.from)/physPageSize) }

// protect makes the system track pages that were written, without those that runs often write. It reports whether the system does.
func (p *macemcPages) protect(a *macemcArea, from, to uintptr) bool {
	ok, at := true, from
	for i := a.index(from); at < to; i++ {
		n := &p.all[i].writes
		if *n < macemcPageOften {
			*n++
		}
		if *n > 2+p.restores/macemcPageSeldom {
			*n = max(*n, macemcPageOften)
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
	if p.anew {
		p.anew = false
		p.track()
		st.compare(0, 0, ^uintptr(0))
		return
	}
	p.restores++
	for i := range p.areas {
		a := &p.areas[i]
		if !a.tracked {
			st.compare(p.all[a.page].block, a.from, a.to)
			continue
		}
		p.on = p.on && p.tracker.written(a.from, a.to, func(from, to uintptr) bool {
			ok := p.protect(a, from, to) // before the comparison, which writes that do not wait for the world may follow
			st.compare(p.all[a.index(from)].block, from, to)
			return ok
		})
	}
	if !p.on {
		st.compare(0, 0, ^uintptr(0))
	}
}

// fill allocates the free memory of spans with objects of the snapshot, so that runs do not write to their pages. It waits until a
// collection has freed what was garbage when the snapshot was taken. The size of the snapshot bounds what it allocates.
func (p *macemcPages) fill(st *macemcStateType) {
	if !p.on || p.fillers != nil || memstats.numgc < p.collections+2 {
		return
	}
	var pointer any = unsafe.Pointer(p)
	p.fillers = make([]unsafe.Pointer, 0, 1<<10)
	left := st.size
	for i := range st.regions {
		s := spanOfHeap(st.regions[i].from)
		for s != nil && s.allocCount < s.nelems && left > s.elemsize {
			left -= s.elemsize
			at := unsafe.Pointer(nil)
			switch size := s.elemsize; {
			case s.spanclass.noscan():
				at = mallocgc(size, nil, true)
			case heapBitsInSpan(size):
				at = newarray(efaceOf(&pointer)._type, int(size/goarch.PtrSize))
			default:
				at = newarray(efaceOf(&pointer)._type, int((size-mallocHeaderSize)/goarch.PtrSize))
			}
			if spanOfHeap(uintptr(at)).spanclass != s.spanclass {
				break
			}
			p.fillers = append(p.fillers, at)
		}
	}
	p.anew = true
}
