// Standard files that a run closes, which are open again in the next one.

package os

import "syscall"

// macemcClosed are the standard files that the run has closed.
var macemcClosed []macemcClosedFile

type macemcClosedFile struct {
	of     *File
	before *file
}

// macemcCloses is called before a file is closed. Of a standard file a copy is closed, because that of the process would be lost.
//
//go:norace
func macemcCloses(f *File) {
	if f == nil || f.file == nil || f.pfd.Sysfd < 0 || f.pfd.Sysfd > 2 || !macemcTested() || macemcIsClosed(f) {
		return
	}
	switch f.name {
	case "/dev/stdin", "/dev/stdout", "/dev/stderr":
		if fd, err := syscall.Dup(f.pfd.Sysfd); err == nil {
			macemcClosed = append(macemcClosed, macemcClosedFile{f, f.file})
			f.file = NewFile(uintptr(fd), f.name).file
		}
	}
}

// macemcIsClosed reports whether the run has closed a standard file.
//
//go:norace
func macemcIsClosed(f *File) bool {
	for _, c := range macemcClosed {
		if c.of == f {
			return true
		}
	}
	return false
}

// macemc_testReopen opens the standard files that a run has closed.
//
//go:norace
func macemc_testReopen() {
	for _, c := range macemcClosed {
		c.of.file = c.before
	}
	macemcClosed = nil
}
