// Sets of heap objects, such as those that package variables reference.

package runtime

import (
	"internal/goarch"
	"unsafe"
)

// macemcOld holds the heap objects that package variables referenced when the first step of the process began. All nodes share them in all
// runs. Locks in them take no part in schedules, because a cache may initialize an entry once per process.
var macemcOld macemcObjects

func macemc_oldObjects() unsafe.Pointer { return unsafe.Pointer(&macemcOld) }

// macemcObjects is a set of heap objects.
type macemcObjects struct {
	kept  []unsafe.Pointer // keeps their addresses from being reused
	table []uintptr        // hash table of the same objects; 0 means empty
}

// find fills the set with the objects reachable from package variables.
func (o *macemcObjects) find() {
	stw := stopTheWorldGC(stwUnknown)
	for sweepone() != ^uintptr(0) { // complete the sweep: objects that the last collection found unused would not look free otherwise
	}
	o.table = make([]uintptr, 1<<12)
	for m := &firstmoduledata; m != nil; m = m.next {
		o.scan(m.data, m.edata)
		o.scan(m.bss, m.ebss)
	}
	o.complete(0)
	startTheWorldGC(stw)
}

// complete adds the objects reachable from those at or after an index. Later allocations do not share an object with them.
func (o *macemcObjects) complete(first int) {
	for i := first; i < len(o.kept); i++ {
		o.pointers(uintptr(o.kept[i]))
	}
	for _, pp := range allp {
		if pp.mcache != nil {
			macemcFreshBlock(pp)
		}
	}
}

// scan adds the objects that package variables in a range of memory reference.
func (o *macemcObjects) scan(from, to uintptr) {
	macemcReferences(from, to, func(p uintptr) { o.add(p) })
}

// pointers adds the objects that an object references.
func (o *macemcObjects) pointers(at uintptr) {
	if s := spanOfHeap(at); s != nil {
		macemcReferences(at, at+s.elemsize, func(p uintptr) { o.add(p) })
	}
}

// macemcReferences calls f with the pointers in package variables, or in one heap object. Words that are not pointers by their type do not
// count: the padding of a struct may look like one.
func macemcReferences(from, to uintptr, f func(p uintptr)) {
	if s := spanOfHeap(from); s != nil {
		if s.spanclass.noscan() {
			return
		}
		for tp := s.typePointersOfUnchecked(from); ; {
			var at uintptr
			if tp, at = tp.next(to); at == 0 {
				return
			}
			f(*(*uintptr)(unsafe.Pointer(at)))
		}
	}
	for m := &firstmoduledata; m != nil; m = m.next {
		macemcMasked(max(from, m.data), min(to, m.edata), m.data, m.gcdatamask.bytedata, f)
		macemcMasked(max(from, m.bss), min(to, m.ebss), m.bss, m.gcbssmask.bytedata, f)
	}
}

// macemcMasked calls f with the pointers from one address to another. The mask has a bit for each word from start on: 1 means a pointer.
func macemcMasked(from, to, start uintptr, mask *uint8, f func(p uintptr)) {
	for at := alignUp(from, goarch.PtrSize); at+goarch.PtrSize <= to; at += goarch.PtrSize {
		if word := (at - start) / goarch.PtrSize; *addb(mask, word/8)>>(word%8)&1 != 0 {
			f(*(*uintptr)(unsafe.Pointer(at)))
		}
	}
}

// add adds the object that p points into, if there is one.
func (o *macemcObjects) add(p uintptr) {
	at, ok := macemcObject(p)
	if !ok || *o.place(at) == at {
		return
	}
	o.kept = append(o.kept, unsafe.Pointer(at))
	*o.place(at) = at
	if 2*len(o.kept) >= len(o.table) {
		o.grow()
	}
}

func (o *macemcObjects) grow() {
	o.table = make([]uintptr, 2*len(o.table))
	for _, at := range o.kept {
		*o.place(uintptr(at)) = uintptr(at)
	}
}

// macemcObject returns the start of the heap object that p points into. ok is false if there is none.
func macemcObject(p uintptr) (at uintptr, ok bool) {
	s := spanOfHeap(p)
	if s == nil {
		return 0, false
	}
	i := s.objIndex(p)
	return s.base() + i*s.elemsize, !s.isFree(i)
}

// place returns the slot of an object in the table.
func (o *macemcObjects) place(at uintptr) *uintptr {
	mask := uintptr(len(o.table) - 1)
	for i := uintptr(macemcMix(uint64(at))) & mask; ; i = (i + 1) & mask {
		if o.table[i] == at || o.table[i] == 0 {
			return &o.table[i]
		}
	}
}

// has reports whether p is the address of a package variable or points into an object of the set.
func (o *macemcObjects) has(p uintptr) bool {
	if macemcGlobal(p) {
		return true
	}
	at, ok := macemcObject(p)
	return ok && *o.place(at) == at
}

// macemcGlobal reports whether a package variable is at an address. The system's linker, which programs with cgo need, orders the parts of
// the data in another way.
func macemcGlobal(at uintptr) bool {
	for m := &firstmoduledata; m != nil; m = m.next {
		if m.noptrdata <= at && at < m.enoptrdata || m.data <= at && at < m.edata || m.bss <= at && at < m.ebss ||
			m.noptrbss <= at && at < m.enoptrbss {
			return true
		}
	}
	return false
}

// macemcFirst is sort.Search.
func macemcFirst(n int, f func(int) bool) int {
	low, high := 0, n
	for low < high {
		if mid := (low + high) / 2; f(mid) {
			high = mid
		} else {
			low = mid + 1
		}
	}
	return low
}
