//go:build unix

package testsched

import (
	"syscall"
	"time"
)

// processorTime returns the processor time that this process has used. The searches have a function of their own for it: this package is
// part of package testing, and imports only what that may.
func processorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
