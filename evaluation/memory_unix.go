//go:build linux || freebsd || darwin

package main

import (
	"os"
	"runtime"
	"syscall"
)

// mostMemory is how many MB a process that has ended had in memory at most; 0: that is not known.
func mostMemory(s *os.ProcessState) int {
	u, ok := s.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	unit := 1 << 10
	if runtime.GOOS == "darwin" {
		unit = 1
	}
	return int(u.Maxrss) * unit >> 20
}
