// Scheduling points of atomic operations. The original functions, under other names, follow.

package atomic

import "unsafe"

//go:noescape
func macemcAtomic(addr unsafe.Pointer, pc uintptr)
func macemcSwapped(ok bool) bool
