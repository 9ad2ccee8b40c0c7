// Memory that the program maps outside the heap through package syscall. Each run finds that of the snapshot as it was, and none of earlier
// runs.

package runtime

import (
	"internal/runtime/syscall/linux"
	"unsafe"
)

// macemcMapping is a range of mapped memory with one protection.
type macemcMapping struct {
	from, to    uintptr
	prot, flags uint32
	owner       uint8
	now         uint32 // protection that a run has set
	gone        bool   // of the snapshot: a run has unmapped it
}

// Owners of mapped memory.
const (
	macemcOfProcess  = iota // goroutines outside tests, after the snapshot
	macemcOfSnapshot        // it was mapped when the snapshot was taken
	macemcOfRun
)

// macemcMappings are the mappings. Its memory is outside the heap. untouched are the unwritten ranges of the snapshot, and
// resident is the result of mincore.
var macemcMappings struct {
	lock            mutex
	list, untouched macemcMappingList
	resident        [256]byte
}

type macemcMappingList struct {
	start   uintptr // array of macemcMapping
	n, room int
}

func (l *macemcMappingList) at(i int) *macemcMapping {
	return (*macemcMapping)(unsafe.Pointer(l.start + uintptr(i)*unsafe.Sizeof(macemcMapping{})))
}

func (l *macemcMappingList) add(m macemcMapping) {
	if l.n == l.room {
		old := *l
		l.room = max(64, 2*l.room)
		l.start = uintptr(persistentalloc(uintptr(l.room)*unsafe.Sizeof(m), 0, &memstats.other_sys))
		for i := range old.n {
			*l.at(i) = *old.at(i)
		}
	}
	*l.at(l.n) = m
	l.n++
}

// each calls f for the mappings in a range, which it separates from their neighbors. It removes those for which f returns false.
func (l *macemcMappingList) each(from, to uintptr, f func(m *macemcMapping) bool) {
	for _, at := range [...]uintptr{from, to} {
		for i := range l.n {
			if m := *l.at(i); m.from < at && at < m.to {
				l.at(i).to, m.from = at, at
				l.add(m)
			}
		}
	}
	n := 0
	for i := range l.n {
		if m := l.at(i); m.from >= to || m.to <= from || f(m) {
			*l.at(n) = *m
			n++
		}
	}
	l.n = n
}

// macemcPageEnd returns the end of the pages that contain a range.
func macemcPageEnd(from, size uintptr) uintptr { return alignUp(from+size, physPageSize) }

// protect sets the protection of a mapping.
func (m *macemcMapping) protect(prot uint32) {
	linux.Syscall6(linux.SYS_MPROTECT, m.from, m.to-m.from, uintptr(prot), 0, 0, 0)
}

// macemcMap registers mapped memory.
func macemcMap(from, size uintptr, prot, flags uint32) {
	m := macemcMapping{from: from, to: macemcPageEnd(from, size), prot: prot, now: prot, flags: flags, owner: macemcOfProcess}
	if macemcTested() {
		m.owner = macemcOfRun
	}
	l := &macemcMappings.list
	lock(&macemcMappings.lock)
	l.each(m.from, m.to, func(*macemcMapping) bool { return false })
	l.add(m)
	unlock(&macemcMappings.lock)
}

// macemcUnmap is called before memory is unmapped. If the caller is a run, and some of the memory belongs to the snapshot, it makes that
// inaccessible, unmaps the rest and returns true.
func macemcUnmap(from, size uintptr) (done bool) {
	l, to := &macemcMappings.list, macemcPageEnd(from, size)
	_, done = macemcMapped(from, size)
	done = done && macemcTested()
	lock(&macemcMappings.lock)
	l.each(from, to, func(m *macemcMapping) bool {
		if !done {
			return false
		}
		if m.owner == macemcOfSnapshot {
			m.gone = true
			m.protect(_PROT_NONE)
			return true
		}
		munmap(unsafe.Pointer(m.from), m.to-m.from)
		return false
	})
	unlock(&macemcMappings.lock)
	return done
}

// macemcProtect registers the new protection of memory.
func macemcProtect(from, size uintptr, prot uint32) {
	run := macemcTested()
	lock(&macemcMappings.lock)
	macemcMappings.list.each(from, macemcPageEnd(from, size), func(m *macemcMapping) bool {
		if m.now = prot; !run {
			m.prot = prot
		}
		return true
	})
	unlock(&macemcMappings.lock)
}

// macemcMapped returns the flags of mapped memory, and whether some of it belongs to the snapshot.
func macemcMapped(from, size uintptr) (flags uint32, before bool) {
	l := &macemcMappings.list
	lock(&macemcMappings.lock)
	for i := range l.n {
		if m := l.at(i); m.from < from+size && from < m.to {
			flags, before = m.flags, before || m.owner == macemcOfSnapshot
		}
	}
	unlock(&macemcMappings.lock)
	return flags, before
}

// macemcAddMappings adds memory outside the heap to a snapshot. The world is stopped. Each process of a checked system also has unwritten
// pages for itself.
func macemcAddMappings(st *macemcStateType) {
	l := &macemcMappings.list
	for i := range l.n {
		m := l.at(i)
		m.owner = macemcOfSnapshot
		private, anonymous := m.flags&_MAP_PRIVATE != 0, m.flags&_MAP_ANON != 0
		if !private && !anonymous { // files are not restored
			continue
		}
		written := m.prot&_PROT_READ != 0 && m.prot&_PROT_WRITE != 0
		for at := m.from; at < m.to; {
			resident := &macemcMappings.resident
			n := min(uintptr(len(resident)), (m.to-at)/physPageSize)
			known := private && anonymous && st != &macemcProcesses && mincore(unsafe.Pointer(at), n*physPageSize, &resident[0]) >= 0
			for k := uintptr(0); k < n; {
				first, zero := k, known && resident[k]&1 == 0
				for k < n && zero == (known && resident[k]&1 == 0) {
					k++
				}
				if from, size := at+first*physPageSize, (k-first)*physPageSize; zero {
					macemcMappings.untouched.add(macemcMapping{from: from, to: from + size})
				} else if written {
					st.add(from, size, -1, false)
				}
			}
			at += n * physPageSize
		}
	}
}

// macemcRestoreMappings unmaps what runs have mapped. What was mapped before is accessible again, and its pages that were unwritten
// are zero. The snapshot restores the others.
func macemcRestoreMappings() {
	l, untouched := &macemcMappings.list, &macemcMappings.untouched
	lock(&macemcMappings.lock)
	l.each(0, ^uintptr(0), func(m *macemcMapping) bool {
		if m.owner == macemcOfRun {
			munmap(unsafe.Pointer(m.from), m.to-m.from)
			return false
		}
		if m.gone || m.now != m.prot {
			m.protect(m.prot)
			m.gone, m.now = false, m.prot
		}
		return true
	})
	for i := range untouched.n {
		m := untouched.at(i)
		madvise(unsafe.Pointer(m.from), m.to-m.from, _MADV_DONTNEED)
	}
	unlock(&macemcMappings.lock)
}
