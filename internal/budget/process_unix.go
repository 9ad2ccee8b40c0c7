//go:build unix

package budget

import (
	"syscall"
	"time"
)

// ProcessTime returns the processor time that this process has used; 0 means unknown.
func ProcessTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
