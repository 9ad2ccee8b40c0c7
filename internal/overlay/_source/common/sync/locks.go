// Locks and Once, whose operations the changed runtime observes.

package sync

import "unsafe"

func macemcLocking(lock uintptr, shared bool)
func macemcLocked(lock uintptr)
func macemcUnlocking(lock uintptr)
func macemcUnscheduled(d int32, once uintptr)

func macemcMutex(m *Mutex) uintptr { return uintptr(unsafe.Pointer(m)) }

// macemcRW returns the address of m plus 1, because an RWMutex begins with a Mutex at the same address.
func macemcRW(m *RWMutex) uintptr { return uintptr(unsafe.Pointer(m)) + 1 }

func macemcOnce(o *Once) uintptr { return uintptr(unsafe.Pointer(o)) }
