// Scheduling points of package sync.

package sync

import (
	testrun "internal/runtime"
	"unsafe"
)

//go:linkname macemcPoint runtime.macemcPoint
func macemcPoint(op testrun.Op, obj uintptr)

//go:linkname macemcTested runtime.macemcTested
func macemcTested() bool

//go:linkname macemcUnordered runtime.macemcUnordered
func macemcUnordered()

//go:linkname macemcCountsDown runtime.macemcCountsDown
func macemcCountsDown(down bool)

func macemcAddr[T any](p *T) uintptr { return uintptr(unsafe.Pointer(p)) }
