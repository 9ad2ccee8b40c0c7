//go:build unix

package scratch

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// canLock reports whether there are locks here.
const canLock = true

// locked tries to lock a file. Processes that this one starts do not hold the lock.
func locked(f *os.File) bool {
	return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil
}

// own reports whether a folder belongs to the user of this process.
func own(info os.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Geteuid()
}
