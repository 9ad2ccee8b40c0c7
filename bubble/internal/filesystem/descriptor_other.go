//go:build !linux || (!amd64 && !arm64)

package filesystem

import (
	"fmt"
	"syscall"
)

// Fd panics: simulated files have no descriptor for system calls.
func (f *File) Fd() uintptr {
	panic(fmt.Sprintf("File.Fd of %s: on this platform, files on the simulated disk of a node have no descriptors (docs/goroutines.md)",
		f.fsys.names[f.ino]))
}

func (f *File) forget() {}

// Described returns nil: no file has a descriptor.
func (*FS) Described(uintptr) *File { return nil }

// Call is never called, because no file has a descriptor.
func (*File) Call(uintptr, [4]uintptr) error { return syscall.EBADF }

// Locks returns nil: flock takes a descriptor.
func (*FS) Locks() []Lock { return nil }

type lock struct{}

func (i *fileInfo) Sys() any { return nil }
