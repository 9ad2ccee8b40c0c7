//go:build !linux || (!amd64 && !arm64)

package bubble

import (
	"fmt"
	"syscall"
)

// Fd panics: simulated files have no descriptor for system calls.
func (h *handle) Fd() uintptr {
	panic(fmt.Sprintf("File.Fd of %s: on this platform, files on the simulated disk of a node have no descriptors (docs/goroutines.md)",
		h.names[h.ino]))
}

func (h *handle) forget() {}

func onDescriptor(uintptr, [4]uintptr) (uintptr, syscall.Errno) { return 0, syscall.EBADF }

func (*files) flocks() []hold { return nil }

type lock struct{}

func (i *fileInfo) Sys() any { return nil }
