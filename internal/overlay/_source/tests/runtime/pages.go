// The pages of the snapshot, so that a restore costs what runs write, and not what is imported.

package runtime

// macemcPages are the pages of the blocks of a snapshot, from its addition on. A restore compares the pages that runs often write, and of the
// others, which are tracked, those that were written since the last restore.
type macemcPages struct {
	areas    []macemcPageRange // all pages, ascending by address
	ranges   []macemcPageRange // the same, divided
	writes   []uint8           // by page: the restores since the last division that found it written
	restores int
	divided  int // number of restores before the last division
	on       bool
	again    bool // divide at the next restore
	tracker  macemcTracker
}

// macemcPageRange is a range of pages. page is the index of the first one in writes.
type macemcPageRange struct {
	from, to uintptr
	page     int
	tracked  bool
}

const (
	macemcTrackedMin  = 512 << 10 // size in bytes from which on a snapshot is tracked: comparing less is faster
	macemcTrackedRun  = 8         // minimum number of neighboring pages that are tracked
	macemcPageGap     = 4         // maximum number of pages between blocks of one area
	macemcPageOften   = 255       // as a number of writes: the page is always compared
	macemcPageSeldom  = 8         // a page is tracked while at most one in so many restores finds it written
	macemcFirstDivide = 16        // number of restores before the first division; each later one comes after four times as many
)

// begin tracks the pages of the blocks of a snapshot if that is faster. Mapped memory outside the heap is not tracked, as its mappings may
// be replaced.
func (p *macemcPages) begin(st *macemcStateType) {
	if st.size < macemcTrackedMin {
		return
	}
	n := 0
	for i := range st.blocks {
		b := &st.blocks[i]
		from, to := alignDown(b.from, physPageSize), alignUp(b.from+b.size, physPageSize)
		if k := len(p.areas); k > 0 && from <= p.areas[k-1].to+macemcPageGap*physPageSize && macemcTrackable(from) == macemcTrackable(p.areas[k-1].from) {
			a := &p.areas[k-1]
			a.to = max(a.to, to)
			n = a.page + int((a.to-a.from)/physPageSize)
			continue
		}
		p.areas = append(p.areas, macemcPageRange{from, to, n, false})
		n += int((to - from) / physPageSize)
	}
	p.writes = make([]uint8, n)
	p.ranges = make([]macemcPageRange, 0, len(p.areas)+2*n/macemcTrackedRun)
	for i := range st.regions {
		if r := &st.regions[i]; !macemcTrackable(r.from) {
			p.compareAlways(r.from, r.size)
		}
	}
	p.divide(0)
	p.on = p.tracker.begin(p.ranges)
}

// macemcTrackable reports whether pages at an address may be tracked.
func macemcTrackable(at uintptr) bool { return spanOfHeap(at) != nil || macemcGlobal(at) }

// compareAlways makes the next restores compare the pages of a region.
func (p *macemcPages) compareAlways(from, size uintptr) {
	for at := alignDown(from, physPageSize); at < from+size; at += physPageSize {
		if a := macemcPagesAt(p.areas, at); a != nil && p.writes[a.index(at)] != macemcPageOften {
			p.writes[a.index(at)], p.again = macemcPageOften, true
		}
	}
}

// macemcPagesAt returns the range that contains an address; nil means none.
func macemcPagesAt(list []macemcPageRange, at uintptr) *macemcPageRange {
	if i := macemcFirst(len(list), func(i int) bool { return list[i].to > at }); i < len(list) && list[i].from <= at {
		return &list[i]
	}
	return nil
}

// index returns the index in writes of the page at an address.
func (r *macemcPageRange) index(at uintptr) int { return r.page + int((at-r.from)/physPageSize) }

// divide makes ranges of the areas. Pages with more than the given number of writes are not tracked any more, nor are few between them.
func (p *macemcPages) divide(most uint8) {
	p.divided, p.again, p.ranges = p.restores, false, p.ranges[:0]
	for i := range p.areas {
		a := &p.areas[i]
		for from := a.from; from < a.to; {
			seldom := p.writes[a.index(from)] <= most
			to := from + physPageSize
			for to < a.to && p.writes[a.index(to)] <= most == seldom {
				to += physPageSize
			}
			r := macemcPageRange{from, to, a.index(from), seldom && to-from >= macemcTrackedRun*physPageSize}
			writes := uint8(macemcPageOften)
			if r.tracked {
				writes = 0
			}
			for at := from; at < to; at += physPageSize {
				p.writes[a.index(at)] = writes
			}
			if n := len(p.ranges); n > 0 && p.ranges[n-1].to == from && !p.ranges[n-1].tracked && !r.tracked {
				p.ranges[n-1].to = to
			} else {
				p.ranges = append(p.ranges, r)
			}
			from = to
		}
	}
}

// restore restores what differs from the snapshot.
func (p *macemcPages) restore(st *macemcStateType) {
	if p.on && (p.again || p.restores == max(macemcFirstDivide, 4*p.divided)) {
		p.divide(uint8(min(2+(p.restores-p.divided)/macemcPageSeldom, macemcPageOften-1)))
	}
	p.restores++
	for i := 0; p.on && i < len(p.ranges); i++ {
		r := &p.ranges[i]
		if !r.tracked {
			st.compare(r.from, r.to)
			continue
		}
		p.on = p.tracker.written(r.from, r.to, func(from, to uintptr) {
			for at := from; at < to; at += physPageSize {
				if n := &p.writes[r.index(at)]; *n < macemcPageOften-1 {
					*n++
				}
			}
			st.compare(from, to)
		})
	}
	if !p.on {
		st.compare(0, ^uintptr(0))
	}
}
