//go:build linux && (amd64 || arm64)

package filesystem

import (
	"encoding/binary"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"slices"
	"syscall"
	"unsafe"
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
		f.unlock(false)
		f.unlock(true)
	}
}

// Described returns the open file with a descriptor, or nil.
func (s *FS) Described(fd uintptr) *File {
	if s == nil || fd-s.firstOf() >= uintptr(len(s.described)) {
		return nil
	}
	return s.described[fd-s.firstOf()]
}

// Path returns the path of the file.
func (f *File) Path() string { return f.fsys.names[f.ino] }

// Call executes a system call on the file.
func (f *File) Call(c *Call) (uintptr, error) {
	switch c.Trap {
	case syscall.SYS_READ, syscall.SYS_PREAD64, syscall.SYS_WRITE, syscall.SYS_PWRITE64:
		return f.transfer(c)
	case syscall.SYS_LSEEK:
		at, err := f.Seek(int64(c.Args[1]), int(c.Args[2]))
		return uintptr(at), err
	case syscall.SYS_GETDENTS64:
		return f.entries(c)
	case syscall.SYS_FCNTL:
		return f.control(c)
	}
	return 0, f.call(c)
}

// call executes a system call without a result.
func (f *File) call(c *Call) error {
	switch c.Trap {
	case syscall.SYS_CLOSE:
		return f.Close()
	case syscall.SYS_FSYNC, syscall.SYS_FDATASYNC:
		return f.Sync()
	case syscall.SYS_FTRUNCATE:
		if !f.writable() {
			return syscall.EINVAL
		}
		return f.Truncate(int64(c.Args[1]))
	case syscall.SYS_FALLOCATE:
		return f.allocate(c.Args[1], int64(c.Args[2]), int64(c.Args[3]))
	case syscall.SYS_FLOCK:
		return f.lock(c.Args[1], false)
	case syscall.SYS_FSTAT:
		info, err := f.Stat()
		if err == nil {
			c.Store(1, StatBytes(info))
		}
		return err
	case syscall.SYS_FADVISE64, syscall.SYS_READAHEAD, syscall.SYS_FCHMOD, syscall.SYS_FCHOWN:
		return nil
	case syscall.SYS_FSTATFS:
		c.Store(1, SpaceBytes())
		return nil
	case syscall.SYS_SYNC_FILE_RANGE:
		return syscall.ENOSYS
	}
	return Unsupported(c.Name() + " of " + f.Path())
}

// transfer implements read, pread, write and pwrite.
func (f *File) transfer(c *Call) (uintptr, error) {
	n, off := int(c.Args[2]), int64(c.Args[3])
	if n < 0 {
		return 0, syscall.EINVAL
	}
	var err error
	switch c.Trap {
	case syscall.SYS_WRITE:
		n, err = f.Write(c.Load(1, n))
	case syscall.SYS_PWRITE64:
		n, err = f.WriteAt(c.Load(1, n), off)
	default:
		b := make([]byte, n)
		if c.Trap == syscall.SYS_READ {
			n, err = f.Read(b)
		} else {
			n, err = f.ReadAt(b, off)
		}
		if c.Store(1, b[:n]); err == io.EOF {
			err = nil
		}
	}
	return uintptr(n), err
}

// entries implements getdents64.
func (f *File) entries(c *Call) (uintptr, error) {
	const header = 19
	var b []byte
	for {
		infos, err := f.ReadDir(1)
		if err == io.EOF {
			break
		} else if err != nil {
			return 0, err
		}
		name := infos[0].Name()
		size := (header + len(name) + 1 + 7) &^ 7
		if len(b)+size > int(c.Args[2]) {
			if f.at--; len(b) == 0 {
				return 0, syscall.EINVAL
			}
			break
		}
		entry := make([]byte, size)
		binary.NativeEndian.PutUint64(entry, infos[0].Sys().(*syscall.Stat_t).Ino)
		binary.NativeEndian.PutUint64(entry[8:], uint64(f.at))
		binary.NativeEndian.PutUint16(entry[16:], uint16(size))
		entry[18] = syscall.DT_REG
		switch infos[0].Mode().Type() {
		case fs.ModeDir:
			entry[18] = syscall.DT_DIR
		case fs.ModeSocket:
			entry[18] = syscall.DT_SOCK
		}
		copy(entry[header:], name)
		b = append(b, entry...)
	}
	c.Store(1, b)
	return uintptr(len(b)), nil
}

// control implements fcntl. A node is one process, whose locks do not exclude each other.
func (f *File) control(c *Call) (uintptr, error) {
	switch c.Args[1] {
	case syscall.F_SETLK, syscall.F_SETLKW, syscall.F_SETFD, syscall.F_SETFL:
		return 0, nil
	case ofdSetLock, ofdSetLockWait:
		return 0, f.lockOpen(c)
	case syscall.F_GETFD:
		return syscall.FD_CLOEXEC, nil
	case syscall.F_GETFL:
		return uintptr(f.flag), nil
	case syscall.F_GETLK:
		b := make([]byte, 2)
		binary.NativeEndian.PutUint16(b, syscall.F_UNLCK)
		c.Store(2, b)
		return 0, nil
	}
	return 0, Unsupported(c.Name() + " of " + f.Path())
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

// Commands of fcntl for locks of open file descriptions, F_OFD_SETLK and F_OFD_SETLKW.
const ofdSetLock, ofdSetLockWait = 37, 38

// lockOpen implements fcntl for such a lock. Only whole files are locked.
func (f *File) lockOpen(c *Call) error {
	b := c.Load(2, int(unsafe.Sizeof(syscall.Flock_t{})))
	l := *(*syscall.Flock_t)(unsafe.Pointer(&b[0]))
	if l.Whence != io.SeekStart || l.Start != 0 || l.Len != 0 {
		return Unsupported("a lock of a part of " + f.Path())
	}
	operation := map[int16]uintptr{syscall.F_RDLCK: syscall.LOCK_SH, syscall.F_WRLCK: syscall.LOCK_EX, syscall.F_UNLCK: syscall.LOCK_UN}[l.Type]
	if c.Args[1] == ofdSetLock {
		operation |= syscall.LOCK_NB
	}
	return f.lock(operation, true)
}

// lock is a lock by flock, or of an open file description. These do not exclude each other.
type lock struct {
	Lock
	by             *File
	exclusive, ofd bool
}

// lock implements the system call flock.
func (f *File) lock(operation uintptr, ofd bool) error {
	how := operation &^ syscall.LOCK_NB
	exclusive := how == syscall.LOCK_EX
	if !exclusive && how != syscall.LOCK_SH && how != syscall.LOCK_UN {
		return syscall.EINVAL
	}
	for {
		f.unlock(ofd)
		if how == syscall.LOCK_UN {
			return nil
		}
		held := slices.DeleteFunc(slices.Clone(f.fsys.locks[f.ino]), func(l lock) bool { return l.ofd != ofd })
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
	f.fsys.locks[f.ino] = append(f.fsys.locks[f.ino], lock{Lock{f.ino, gid, true, count}, f, exclusive, ofd})
	return nil
}

func (f *File) unlock(ofd bool) {
	held := len(f.fsys.locks[f.ino])
	f.fsys.locks[f.ino] = slices.DeleteFunc(f.fsys.locks[f.ino], func(l lock) bool { return l.by == f && l.ofd == ofd })
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

// device is the number of the simulated disk.
const device = 8 << 8

func (i *fileInfo) Sys() any {
	mode := uint32(i.mode.Perm())
	switch i.mode.Type() {
	case fs.ModeDir:
		mode |= syscall.S_IFDIR
	case fs.ModeSocket:
		mode |= syscall.S_IFSOCK
	default:
		mode |= syscall.S_IFREG
	}
	st := &syscall.Stat_t{Dev: device, Ino: i.ino, Size: i.size, Mode: mode, Nlink: 1, Blksize: pageSize, Blocks: (i.size + 511) / 512}
	st.Mtim = syscall.NsecToTimespec(i.time)
	st.Atim, st.Ctim = st.Mtim, st.Mtim
	return st
}

// StatBytes returns the result of the system call stat.
func StatBytes(info fs.FileInfo) []byte {
	st := *info.Sys().(*syscall.Stat_t)
	return slices.Clone(unsafe.Slice((*byte)(unsafe.Pointer(&st)), unsafe.Sizeof(st)))
}

// SpaceBytes returns the result of the system call statfs: the type of ext4, and 1 TB of free space.
func SpaceBytes() []byte {
	st := syscall.Statfs_t{Type: 0xef53, Bsize: pageSize, Frsize: pageSize, Blocks: 1 << 28, Bfree: 1 << 28, Bavail: 1 << 28, Files: 1 << 20,
		Ffree: 1 << 20, Namelen: 255}
	return slices.Clone(unsafe.Slice((*byte)(unsafe.Pointer(&st)), unsafe.Sizeof(st)))
}
