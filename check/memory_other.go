//go:build !linux

package check

// LimitMemory does nothing on this system.
func (r Role) LimitMemory() {}
