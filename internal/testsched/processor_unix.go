//go:build unix

package testsched

import (
	"syscall"
	"time"
)

// processorTime returns the processor time of this process. It duplicates a function of the searches: this package is part of package
// testing and may import only the packages that package testing may.
func processorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
