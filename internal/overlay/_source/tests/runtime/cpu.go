//go:build !linux

// In place of the CPU time of the process, the wall clock.

package runtime

func macemcCPU() int64 { return nanotime() }
