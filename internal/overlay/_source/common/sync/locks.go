// Locks and Once, whose operations the changed runtime observes.

package sync

import "unsafe"

//go:linkname macemcLocking runtime.macemcLocking
func macemcLocking(lock uintptr, shared bool)

//go:linkname macemcLocked runtime.macemcLocked
func macemcLocked(lock uintptr)

//go:linkname macemcUnlocking runtime.macemcUnlocking
func macemcUnlocking(lock uintptr)

//go:linkname macemcUnscheduled runtime.macemcUnscheduled
func macemcUnscheduled(d int32, once uintptr)

func macemcMutex(m *Mutex) uintptr { return uintptr(unsafe.Pointer(m)) }

// macemcRW returns the address of m plus 1, because an RWMutex begins with a Mutex at the same address.
func macemcRW(m *RWMutex) uintptr { return uintptr(unsafe.Pointer(m)) + 1 }

func macemcOnce(o *Once) uintptr { return uintptr(unsafe.Pointer(o)) }
