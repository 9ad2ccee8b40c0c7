package memory

import (
	"math/bits"
	"unsafe"
)

// bigMap is the beginning of internal/runtime/maps.Map.
type bigMap struct {
	used        uint64
	_           uintptr
	directory   unsafe.Pointer // of pointers to tables; with at most eight entries, a group
	length      int            // of the directory; 0 with at most eight entries
	globalDepth uint8
	globalShift uint8
}

// mapTable is internal/runtime/maps.table.
type mapTable struct {
	used, capacity, _ uint16
	_                 uint8
	_                 int
	groups            unsafe.Pointer
	lengthMask        uint64
}

const (
	mapSize    = 48 // of internal/runtime/maps.Map
	groupSlots = 8
)

// groups returns the addresses of the objects that hold the entries of a map with several groups of entries, if the
// object at p is such a map. The heap does not tell the types of small objects, so that a map is recognized by its
// numbers, which depend on each other.
//
//go:norace
//go:nocheckptr
func (o heapObject) groups(p unsafe.Pointer) (groups []uintptr) {
	if o.base == 0 || o.size != mapSize || o.bare() {
		return nil
	}
	m := (*bigMap)(unsafe.Add(p, -int(uintptr(p)-o.base)))
	d := objectAt(m.directory)
	if m.length < 1 || m.globalDepth > 63 || m.length != 1<<m.globalDepth || m.globalShift&63 != (64-m.globalDepth)&63 ||
		d.base == 0 || d.size/wordSize < uintptr(m.length) {
		return nil
	}
	used, last := uint64(0), unsafe.Pointer(nil)
	for _, at := range unsafe.Slice((*unsafe.Pointer)(m.directory), m.length) {
		if at == last { // several entries of the directory refer to one table
			continue
		}
		last = at
		if x := objectAt(at); x.base == 0 || x.base != uintptr(at) || x.size < unsafe.Sizeof(mapTable{}) {
			return nil
		}
		t := (*mapTable)(at)
		slots := uint64(t.capacity)
		if bits.OnesCount64(slots) != 1 || slots < groupSlots || t.lengthMask+1 != slots/groupSlots || uint64(t.used) > slots {
			return nil
		}
		used += uint64(t.used)
		groups = append(groups, objectAt(t.groups).base)
	}
	if used != m.used {
		return nil
	}
	return groups
}
