//go:build linux && (amd64 || arm64)

package bubble

import (
	"cmp"
	"errors"
	"math/rand/v2"
	"os"
	"syscall"

	"github.com/macemc/macemc/bubble/internal/filesystem"
)

// interceptCalls makes system calls of programs reach their nodes.
func interceptCalls() {
	filesystem.Machine.Copy, filesystem.Machine.Call = copyMemory, systemCall
	intercept(filesystem.Always(), onCall)
}

// onCall executes a system call of a program.
func onCall(trap uintptr, args [6]uintptr, onStack uint8) (uintptr, syscall.Errno) {
	c := &filesystem.Call{Trap: trap, Args: args, OnStack: onStack}
	if stepping.now == nil || stepping.now.host == nil {
		return systemCall(trap, args, onStack)
	}
	h := current()
	r, err := filesystem.Calls{Paths: nodePaths{h}, Memory: &h.files.memory, Random: draw}.Do(c)
	if err == nil {
		return r, 0
	}
	if unsupported, ok := errors.AsType[filesystem.Unsupported](err); ok {
		h.unsimulated("it uses " + string(unsupported))
	}
	errno, ok := errors.AsType[syscall.Errno](err)
	if !ok {
		errno = syscall.EBADF
	}
	return ^uintptr(0), errno
}

// draw fills b with random numbers of the node.
func draw(b []byte) {
	for i := range b {
		b[i] = byte(rand.Uint32())
	}
}

// nodePaths implements [filesystem.Paths].
type nodePaths struct{ h *Host }

func (p nodePaths) Open(name string, flag int) (*filesystem.File, bool, error) {
	opened, own, err := machines{}.Open(name, flag)
	f, _ := opened.(*filesystem.File)
	return f, own, err
}

func (p nodePaths) Change(op, name, to string, size int64) (bool, error) {
	return machines{}.Change(op, name, to, size)
}

func (p nodePaths) Stat(name string) (os.FileInfo, bool, error) { return machines{}.Stat(name) }

func (p nodePaths) Described(fd uintptr) *filesystem.File {
	return cmp.Or(p.h.files.data.Described(fd), p.h.files.temp.Described(fd))
}

func (p nodePaths) Root() bool { return p.h.files.data != nil }
