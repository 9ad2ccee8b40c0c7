//go:build !linux

package isolate

import "os"

// LimitMemory does nothing on this system.
func (r Role) LimitMemory() {}

// DefaultMemory is 0, no limit: what is available is unknown.
func DefaultMemory() int { return 0 }

// peakMemory returns 0: it is not known on this system.
func peakMemory(*os.ProcessState) int { return 0 }
