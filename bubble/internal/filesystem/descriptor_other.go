//go:build !linux || (!amd64 && !arm64)

package filesystem

import (
	"fmt"

	"github.com/macemc/macemc/bubble/internal/filetree"
)

// Fd panics: simulated files have no descriptor for system calls.
func (f *File) Fd() uintptr {
	panic(fmt.Sprintf("File.Fd of %s: on this platform, files on the simulated disk of a node have no descriptors (docs/goroutines.md)",
		f.fsys.names[f.ino]))
}

func (f *File) forget() {}

// Described returns nil: no file has a descriptor.
func (*FS) Described(uintptr) *File { return nil }

// Locks returns nil: flock takes a descriptor.
func (*FS) Locks() []Lock { return nil }

type lock struct{}

func (i *fileInfo) Sys() any { return nil }

// images is empty: files are not mapped.
type images struct{ fsys *FS }

func (*images) show(*filetree.Change) {}
func (*images) gather()               {}
func (*images) close()                {}

// Memory is empty: the memory that programs map is not known.
type Memory struct{}

// Unmap does nothing.
func (*Memory) Unmap(bool) {}
