//go:build unix

package program

import (
	"syscall"
	"time"
)

// ProcessorTime returns the processor time of this process and of the processes that it waited for. It duplicates part of a function of
// the searches: this package is part of package testing and may import only the packages that package testing may.
func ProcessorTime() time.Duration {
	var sum int64
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if syscall.Getrusage(who, &u) == nil {
			sum += u.Utime.Nano() + u.Stime.Nano()
		}
	}
	return time.Duration(sum)
}
