package bubble

import (
	"errors"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
)

// DataDir is the path of the data directory of a node. Functions of package os access files below it on the node's simulated disk. Synced
// data survives a crash. The directory exists and is initially empty. A relative path is relative to /.
//
// A prefix of a file's unsynced changes survives a crash, and perhaps half of the next write. Sync of a directory makes its entries
// durable: the creation, removal and renaming of files. Sync of a file does not do so.
type DataDir string

func (d DataDir) set(p *history) {
	if p.data = path.Join("/", string(d)); p.data == "/" {
		panic("bubble: the data directory of a node cannot be /")
	}
}

// fileHost implements [filesystem.Host]. Its methods number the stacks themselves: one frame less leaves more room for the program's.
type fileHost struct{ h *Host }

func (f fileHost) Writing()        { f.h.disk.writing() }
func (f fileHost) LosesSync() bool { return f.h.disk.loses() }

func (f fileHost) Put(key string, value []byte) {
	f.h.record(effect{kind: putEffect, text: key, value: value}, stackNumber())
}

func (f fileHost) Delete(key string) {
	f.h.record(effect{kind: deleteEffect, text: key}, stackNumber())
}

func (f fileHost) Sync() { f.h.record(effect{kind: syncEffect}, stackNumber()) }

func (fileHost) Goroutine() (number, count uint64) { return id(), stepping.now.ctl.ids }

// openFile is a [filesystem.File] in package os.
type openFile = interface {
	Read(b []byte) (int, error)
	ReadAt(b []byte, off int64) (int, error)
	Write(b []byte) (int, error)
	WriteAt(b []byte, off int64) (int, error)
	Seek(offset int64, whence int) (int64, error)
	Truncate(size int64) error
	Sync() error
	Close() error
	Stat() (os.FileInfo, error)
	ReadDir(n int) ([]os.FileInfo, error)
	Fd() uintptr
}

func (machines) HasFiles() bool { return current().files != nil }

func (machines) Open(name string, flag int) (openFile, bool, error) {
	h := current()
	if rel, own := h.files.Rel(name); own {
		f, err := h.files.Open(rel, flag)
		return f, true, err
	}
	if ofKernel(name) {
		return nil, true, syscall.ENOENT
	}
	if flag&(os.O_WRONLY|os.O_RDWR|os.O_CREATE|os.O_TRUNC) != 0 && name != os.DevNull {
		return nil, false, h.outside()
	}
	return nil, false, nil
}

func (machines) Change(op, name, to string, size int64) (bool, error) {
	h := current()
	rel, own := h.files.Rel(name)
	if op == "rename" || op == "link" || op == "symlink" {
		var too bool
		if to, too = h.files.Rel(to); too != own {
			return false, syscall.EXDEV
		}
	}
	if own {
		return true, h.files.Change(op, rel, to, size)
	}
	return false, h.outside()
}

func (machines) Stat(name string) (os.FileInfo, bool, error) {
	h := current()
	if rel, own := h.files.Rel(name); own {
		info, err := h.files.Stat(rel)
		return info, true, err
	}
	if ofKernel(name) {
		return nil, true, syscall.ENOENT
	}
	return nil, false, nil
}

// ofKernel reports whether a file is the kernel's view of the checker's process and machine, which differs between executions.
func ofKernel(name string) bool {
	name = filepath.Clean(name)
	return name == "/proc" || name == "/sys" || strings.HasPrefix(name, "/proc/") || strings.HasPrefix(name, "/sys/")
}

var errOutside = errors.New("a node can write below its data directory only: declare one by bubble.DataDir (docs/goroutines.md)")

// outside returns the error for changing a file outside the data directory. nil means that the machine performs the change.
func (h *Host) outside() error {
	if h.command == nil && h.files == nil {
		return nil
	}
	return errOutside
}

// onDescriptor executes a system call on a file of the calling goroutine's node.
func onDescriptor(trap uintptr, args [4]uintptr) (result uintptr, errno syscall.Errno) {
	f := current().files.Described(args[0])
	if f == nil {
		return ^uintptr(0), syscall.EBADF
	}
	if err := f.Call(trap, args); err != nil {
		if !errors.As(err, &errno) {
			errno = syscall.EBADF
		}
		return ^uintptr(0), errno
	}
	return 0, 0
}

// flocks returns the locks of files if a goroutine waits for one.
func (h *Host) flocks() (all []lockUse) {
	for _, l := range h.files.Locks() {
		state := uint32(0)
		if l.Held {
			state = 1
		}
		all = append(all, lockUse{uintptr(l.Inode), l.Goroutine, l.Since, state})
	}
	return all
}
