//go:build linux || freebsd || darwin

package main

import (
	"os"
	"runtime"
	"syscall"
)

// mostMemory returns the peak memory of an ended process in MB, or 0 if unknown.
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
