//go:build linux && (amd64 || arm64)

package bubble

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"syscall"
)

// firstDescriptor is the first descriptor of files on simulated disks; package syscall passes calls with them to onDescriptor.
const firstDescriptor = 1 << 30

// Fd returns a descriptor for the system calls that onDescriptor executes. It is valid until the file is closed.
func (h *handle) Fd() uintptr {
	if h.fd == 0 && !h.closed {
		h.fd = firstDescriptor + uintptr(len(h.described))
		h.described = append(h.described, h)
	}
	if h.closed {
		return ^uintptr(0)
	}
	return h.fd
}

// forget releases the descriptor and the lock of a closed file.
func (h *handle) forget() {
	if h.fd != 0 {
		h.described[h.fd-firstDescriptor] = nil
		h.unlock()
	}
}

// onDescriptor executes a system call on a file of the calling goroutine's node.
func onDescriptor(trap uintptr, args [4]uintptr) (result uintptr, errno syscall.Errno) {
	f := current().files
	number := args[0] - firstDescriptor
	if f == nil || number >= uintptr(len(f.described)) || f.described[number] == nil {
		return ^uintptr(0), syscall.EBADF
	}
	if err := f.described[number].call(trap, args); err != nil {
		if !errors.As(err, &errno) {
			errno = syscall.EBADF
		}
		return ^uintptr(0), errno
	}
	return 0, 0
}

func (h *handle) call(trap uintptr, args [4]uintptr) error {
	switch trap {
	case syscall.SYS_CLOSE:
		return h.Close()
	case syscall.SYS_FSYNC, syscall.SYS_FDATASYNC:
		return h.Sync()
	case syscall.SYS_FTRUNCATE:
		if !h.writable() {
			return syscall.EINVAL
		}
		return h.Truncate(int64(args[1]))
	case syscall.SYS_FALLOCATE:
		return h.allocate(args[1], int64(args[2]), int64(args[3]))
	case syscall.SYS_FLOCK:
		return h.flock(args[1])
	case syscall.SYS_FCNTL:
		switch args[1] {
		case syscall.F_SETLK, syscall.F_SETLKW, syscall.F_SETFD, syscall.F_GETFD:
			return nil // a node is one process, whose locks of this kind do not exclude each other
		}
	case syscall.SYS_FADVISE64, syscall.SYS_READAHEAD:
		return nil
	case syscall.SYS_FSTATFS, syscall.SYS_SYNC_FILE_RANGE:
		return syscall.ENOSYS
	}
	panic(fmt.Sprintf("%s of %s: files on the simulated disk of a node do not support it (docs/goroutines.md)", callName(trap, args[1]), h.names[h.ino]))
}

// callName returns the name of a system call on a descriptor. second is its second argument.
func callName(trap, second uintptr) string {
	switch name := callNames[trap]; name {
	case "":
		return fmt.Sprint("system call ", trap)
	case "fcntl", "ioctl":
		return fmt.Sprintf("%s with command %d", name, second)
	default:
		return name
	}
}

// callNames are the names of system calls that programs make on descriptors of files.
var callNames = map[uintptr]string{
	syscall.SYS_READ: "read", syscall.SYS_WRITE: "write", syscall.SYS_READV: "readv", syscall.SYS_WRITEV: "writev",
	syscall.SYS_PREAD64: "pread", syscall.SYS_PWRITE64: "pwrite", syscall.SYS_PREADV: "preadv", syscall.SYS_PWRITEV: "pwritev",
	syscall.SYS_LSEEK: "lseek", syscall.SYS_FSTAT: "fstat", syscall.SYS_FCHMOD: "fchmod", syscall.SYS_FCHOWN: "fchown",
	syscall.SYS_GETDENTS64: "getdents", syscall.SYS_FCHDIR: "fchdir", syscall.SYS_OPENAT: "openat", syscall.SYS_MKDIRAT: "mkdirat",
	syscall.SYS_UNLINKAT: "unlinkat", syscall.SYS_RENAMEAT: "renameat", syscall.SYS_DUP: "dup", syscall.SYS_DUP3: "dup3",
	syscall.SYS_SENDFILE: "sendfile", syscall.SYS_SPLICE: "splice", syscall.SYS_FCNTL: "fcntl", syscall.SYS_IOCTL: "ioctl",
	syscall.SYS_FGETXATTR: "fgetxattr", syscall.SYS_FSETXATTR: "fsetxattr", syscall.SYS_MMAP: "mmap",
}

func (h *handle) writable() bool { return h.flag&(os.O_WRONLY|os.O_RDWR) != 0 }

// allocate implements fallocate. The disk is never full by itself.
func (h *handle) allocate(mode uintptr, at, n int64) error {
	const keepSize = 1 // FALLOC_FL_KEEP_SIZE
	switch {
	case at < 0 || n <= 0:
		return syscall.EINVAL
	case !h.writable():
		return syscall.EBADF
	case mode != 0 && mode != keepSize:
		return syscall.EOPNOTSUPP
	case at > math.MaxInt64-n:
		return syscall.EFBIG
	case mode == 0 && at+n > int64(len(h.tree.Inodes[h.ino].Data)):
		return h.Truncate(at + n)
	}
	return nil
}

// lock is a lock by flock.
type lock struct {
	hold
	by        *handle
	exclusive bool
}

// flock implements the system call.
func (h *handle) flock(operation uintptr) error {
	how := operation &^ syscall.LOCK_NB
	exclusive := how == syscall.LOCK_EX
	if !exclusive && how != syscall.LOCK_SH && how != syscall.LOCK_UN {
		return syscall.EINVAL
	}
	for {
		h.unlock()
		if how == syscall.LOCK_UN {
			return nil
		}
		held := h.locks[h.ino]
		if len(held) == 0 || !exclusive && !held[0].exclusive {
			if h.closed { // while it waited: the lock is released at once
				return nil
			}
			break
		}
		if operation&syscall.LOCK_NB != 0 {
			return syscall.EWOULDBLOCK
		}
		me := hold{lock: uintptr(h.ino), gid: id()}
		h.waiting = append(h.waiting, me)
		h.unlocked.Wait()
		h.waiting = slices.DeleteFunc(h.waiting, func(w hold) bool { return w == me })
	}
	h.locks[h.ino] = append(h.locks[h.ino], lock{hold{uintptr(h.ino), id(), stepping.now.ctl.ids, 1}, h, exclusive})
	return nil
}

func (h *handle) unlock() {
	held := len(h.locks[h.ino])
	h.locks[h.ino] = slices.DeleteFunc(h.locks[h.ino], func(l lock) bool { return l.by == h })
	if len(h.locks[h.ino]) < held {
		h.unlocked.Wake()
	}
}

// flocks returns the locks of files, and the goroutines that wait for one. It returns nil if none waits.
func (f *files) flocks() []hold {
	if f == nil || len(f.waiting) == 0 {
		return nil
	}
	all := slices.Clone(f.waiting)
	for _, ino := range slices.Sorted(maps.Keys(f.locks)) {
		for _, l := range f.locks[ino] {
			all = append(all, l.hold)
		}
	}
	return all
}

func (i *fileInfo) Sys() any {
	mode := uint32(syscall.S_IFREG | 0o644)
	if i.dir {
		mode = syscall.S_IFDIR | 0o755
	}
	return &syscall.Stat_t{Size: i.size, Mode: mode, Nlink: 1}
}
