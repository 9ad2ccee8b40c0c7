//go:build linux && (amd64 || arm64)

package filesystem

import (
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"syscall"
)

// firstDescriptor is the first descriptor of files on simulated disks; package syscall passes calls with them to the node.
const (
	firstDescriptor = 1 << 30
	firstTemporary  = firstDescriptor + 1<<19 // of a temporary file system
)

// firstOf returns the first descriptor of a file system.
func (s *FS) firstOf() uintptr {
	if s.temporary {
		return firstTemporary
	}
	return firstDescriptor
}

// Fd returns a descriptor for system calls, see [File.Call]. It is valid until the file is closed.
func (f *File) Fd() uintptr {
	if f.fd == 0 && !f.closed {
		f.fd = f.fsys.firstOf() + uintptr(len(f.fsys.described))
		f.fsys.described = append(f.fsys.described, f)
	}
	if f.closed {
		return ^uintptr(0)
	}
	return f.fd
}

// forget releases the descriptor and the lock of a closed file.
func (f *File) forget() {
	if f.fd != 0 {
		f.fsys.described[f.fd-f.fsys.firstOf()] = nil
		f.unlock()
	}
}

// Described returns the open file with a descriptor, or nil.
func (s *FS) Described(fd uintptr) *File {
	if s == nil || fd-s.firstOf() >= uintptr(len(s.described)) {
		return nil
	}
	return s.described[fd-s.firstOf()]
}

// Call executes a system call on the file.
func (f *File) Call(trap uintptr, args [4]uintptr) error {
	switch trap {
	case syscall.SYS_CLOSE:
		return f.Close()
	case syscall.SYS_FSYNC, syscall.SYS_FDATASYNC:
		return f.Sync()
	case syscall.SYS_FTRUNCATE:
		if !f.writable() {
			return syscall.EINVAL
		}
		return f.Truncate(int64(args[1]))
	case syscall.SYS_FALLOCATE:
		return f.allocate(args[1], int64(args[2]), int64(args[3]))
	case syscall.SYS_FLOCK:
		return f.flock(args[1])
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
	panic(fmt.Sprintf("%s of %s: files on the simulated disk of a node do not support it (docs/goroutines.md)", callName(trap, args[1]),
		f.fsys.names[f.ino]))
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

func (f *File) writable() bool { return f.flag&(os.O_WRONLY|os.O_RDWR) != 0 }

// allocate implements fallocate. The disk is never full by itself.
func (f *File) allocate(mode uintptr, at, n int64) error {
	const keepSize = 1 // FALLOC_FL_KEEP_SIZE
	switch {
	case at < 0 || n <= 0:
		return syscall.EINVAL
	case !f.writable():
		return syscall.EBADF
	case mode != 0 && mode != keepSize:
		return syscall.EOPNOTSUPP
	case at > math.MaxInt64-n:
		return syscall.EFBIG
	case mode == 0 && at+n > int64(len(f.fsys.tree.Inodes[f.ino].Data)):
		return f.Truncate(at + n)
	}
	return nil
}

// lock is a lock by flock.
type lock struct {
	Lock
	by        *File
	exclusive bool
}

// flock implements the system call.
func (f *File) flock(operation uintptr) error {
	how := operation &^ syscall.LOCK_NB
	exclusive := how == syscall.LOCK_EX
	if !exclusive && how != syscall.LOCK_SH && how != syscall.LOCK_UN {
		return syscall.EINVAL
	}
	for {
		f.unlock()
		if how == syscall.LOCK_UN {
			return nil
		}
		held := f.fsys.locks[f.ino]
		if len(held) == 0 || !exclusive && !held[0].exclusive {
			if f.closed { // while it waited: the lock is released at once
				return nil
			}
			break
		}
		if operation&syscall.LOCK_NB != 0 {
			return syscall.EWOULDBLOCK
		}
		gid, _ := f.fsys.host.Goroutine()
		me := Lock{Inode: f.ino, Goroutine: gid}
		f.fsys.waiting = append(f.fsys.waiting, me)
		f.fsys.unlocked.Wait()
		f.fsys.waiting = slices.DeleteFunc(f.fsys.waiting, func(w Lock) bool { return w == me })
	}
	gid, count := f.fsys.host.Goroutine()
	f.fsys.locks[f.ino] = append(f.fsys.locks[f.ino], lock{Lock{f.ino, gid, true, count}, f, exclusive})
	return nil
}

func (f *File) unlock() {
	held := len(f.fsys.locks[f.ino])
	f.fsys.locks[f.ino] = slices.DeleteFunc(f.fsys.locks[f.ino], func(l lock) bool { return l.by == f })
	if len(f.fsys.locks[f.ino]) < held {
		f.fsys.unlocked.Wake()
	}
}

// Locks returns the locks of files, and those that goroutines wait for. It returns nil if none waits.
func (s *FS) Locks() []Lock {
	if s == nil || len(s.waiting) == 0 {
		return nil
	}
	all := slices.Clone(s.waiting)
	for _, ino := range slices.Sorted(maps.Keys(s.locks)) {
		for _, l := range s.locks[ino] {
			all = append(all, l.Lock)
		}
	}
	for i := range all {
		all[i].Inode += int(s.firstOf())
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
