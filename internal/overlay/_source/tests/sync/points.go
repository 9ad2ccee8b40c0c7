// Scheduling points of package sync.

package sync

import (
	testrun "internal/runtime"
	"unsafe"
)

func macemcPoint(op testrun.Op, obj uintptr)
func macemcTested() bool
func macemcUnordered()
func macemcCountsDown(down bool)

func macemcAddr[T any](p *T) uintptr { return uintptr(unsafe.Pointer(p)) }
