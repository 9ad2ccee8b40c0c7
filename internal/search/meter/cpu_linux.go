package meter

import (
	"syscall"
	"time"
	"unsafe"
)

// ThreadTime returns the processor time of this thread. Getrusage is exact only to the last tick.
func ThreadTime() time.Duration {
	const threadCPUTime = 3 // CLOCK_THREAD_CPUTIME_ID
	var ts syscall.Timespec
	if _, _, e := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, threadCPUTime, uintptr(unsafe.Pointer(&ts)), 0); e != 0 {
		return 0
	}
	return time.Duration(ts.Nano())
}
