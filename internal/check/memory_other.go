//go:build !linux

package check

import "os"

// LimitMemory does nothing on this system.
func (r Role) LimitMemory() {}

// defaultMemory is 0, no limit: what is available is unknown.
func defaultMemory() int { return 0 }

// peakMemory returns 0: it is not known on this system.
func peakMemory(*os.ProcessState) int { return 0 }
