//go:build !linux

package check

// LimitMemory does nothing on this system.
func (r Role) LimitMemory() {}

// defaultMemory is 0, no limit: what is available is unknown.
func defaultMemory() int { return 0 }
