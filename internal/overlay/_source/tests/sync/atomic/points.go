// Scheduling points of atomic operations. The original functions, under other names, follow.

package atomic

import "unsafe"

//go:linkname macemcAtomic runtime.macemcAtomic
//go:noescape
func macemcAtomic(addr unsafe.Pointer, pc uintptr)

//go:linkname macemcSwapped runtime.macemcSwapped
func macemcSwapped(ok bool) bool
