//go:build !linux

package isolate

import "os"

// LimitMemory does nothing on this system.
func (r Role) LimitMemory() {}

// DefaultMemory returns 0, no limit, because the available memory is unknown.
func DefaultMemory() int { return 0 }

// Stopped returns false, because it is unknown on this system whether a signal has stopped a process.
func Stopped(int) bool { return false }

// peakMemory returns 0, because the peak is unknown on this system.
func peakMemory(*os.ProcessState) int { return 0 }
