// The CPU time of the process.

package runtime

import (
	"internal/goarch"
	"internal/runtime/syscall/linux"
	"unsafe"
)

// macemcCPU returns the CPU time of the process, in nanoseconds.
func macemcCPU() int64 {
	var time [2]int64
	number := uintptr(113) // clock_gettime of new architectures
	if goarch.IsAmd64 == 1 {
		number = 228
	} else if goarch.IsArm64 == 0 && goarch.IsRiscv64 == 0 && goarch.IsLoong64 == 0 {
		return nanotime()
	}
	linux.Syscall6(number, 2, uintptr(unsafe.Pointer(&time)), 0, 0, 0, 0)
	return time[0]*1e9 + time[1]
}
