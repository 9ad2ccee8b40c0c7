//go:build linux && (amd64 || arm64)

package filesystem

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"syscall"
)

// Paths are the files of a node by their paths, as package os sees them. own is false if the machine has the file and the node may use it.
type Paths interface {
	Open(name string, flag int) (f *File, own bool, err error)
	Change(op, name, to string, size int64) (own bool, err error)
	Stat(name string) (info fs.FileInfo, own bool, err error)
	// Described returns the open file with a descriptor, or nil.
	Described(fd uintptr) *File
	// Root reports whether relative paths begin at /.
	Root() bool
}

// pathCall is a system call on a path: the indexes of its arguments. An index of a folder's descriptor is one more; 0 means none.
type pathCall struct {
	op              string
	at, path        int
	toAt, to, flags int
}

// pathCalls are the system calls on paths.
var pathCalls = func() map[uintptr]pathCall {
	calls := map[uintptr]pathCall{
		syscall.SYS_OPENAT: {op: "open", at: 1, path: 1, flags: 2}, sysStatAt: {op: "stat", at: 1, path: 1, flags: 3},
		sysStatx: {op: "statx", at: 1, path: 1, flags: 2}, syscall.SYS_FACCESSAT: {op: "access", at: 1, path: 1},
		sysFaccessat2: {op: "access", at: 1, path: 1}, syscall.SYS_MKDIRAT: {op: "mkdir", at: 1, path: 1},
		syscall.SYS_UNLINKAT: {op: "unlink", at: 1, path: 1, flags: 2}, syscall.SYS_RENAMEAT: {op: "rename", at: 1, path: 1, toAt: 3, to: 3},
		sysRenameat2:       {op: "rename", at: 1, path: 1, toAt: 3, to: 3, flags: 4},
		syscall.SYS_LINKAT: {op: "link", at: 1, path: 1, toAt: 3, to: 3}, syscall.SYS_SYMLINKAT: {op: "symlink", at: 2, path: 2, to: 2},
		syscall.SYS_READLINKAT: {op: "readlink", at: 1, path: 1}, syscall.SYS_FCHMODAT: {op: "chmod", at: 1, path: 1},
		syscall.SYS_FCHOWNAT: {op: "chown", at: 1, path: 1}, syscall.SYS_UTIMENSAT: {op: "chtimes", at: 1, path: 1},
		syscall.SYS_MKNODAT: {op: "mknod", at: 1, path: 1}, syscall.SYS_TRUNCATE: {op: "truncate"}, syscall.SYS_STATFS: {op: "statfs"},
		syscall.SYS_CHDIR: {op: "chdir"}, sysOpenat2: {op: "openat2", at: 1, path: 1},
	}
	maps.Copy(calls, oldPathCalls)
	return calls
}()

const (
	sysFaccessat2 = 439
	sysOpenat2    = 437
)

// Always returns the set of system calls for [Calls.Do] whatever their arguments are. Others have a descriptor of a file of the node.
func Always() (set [8]uint64) {
	add := func(trap uintptr) { set[trap/64] |= 1 << (trap % 64) }
	for trap := range pathCalls {
		add(trap)
	}
	for _, trap := range []uintptr{syscall.SYS_MMAP, syscall.SYS_MUNMAP, syscall.SYS_MPROTECT, syscall.SYS_MSYNC, syscall.SYS_MREMAP,
		syscall.SYS_GETCWD, sysGetrandom} {
		add(trap)
	}
	return set
}

// Calls executes system calls of a node.
type Calls struct {
	Paths  Paths
	Memory *Memory
	Random func(b []byte)
}

// Do executes a system call. [Unsupported] means that it is not simulated.
func (d Calls) Do(c *Call) (uintptr, error) {
	switch c.Trap {
	case syscall.SYS_MMAP:
		if c.Args[3]&syscall.MAP_ANON != 0 {
			return d.Memory.Map(c, nil)
		}
		f := d.Paths.Described(c.Args[4])
		if f == nil && c.Args[2]&syscall.PROT_WRITE != 0 && c.Args[3]&syscall.MAP_PRIVATE == 0 {
			return 0, Unsupported("a writable map of a file that is not on the disk of the node")
		}
		return d.Memory.Map(c, f)
	case syscall.SYS_MUNMAP, syscall.SYS_MPROTECT, syscall.SYS_MSYNC, syscall.SYS_MREMAP:
		return d.Memory.Call(c)
	case sysGetrandom:
		b := make([]byte, c.Args[1])
		d.Random(b)
		c.Store(0, b)
		return c.Args[1], nil
	case syscall.SYS_GETCWD:
		if !d.Paths.Root() {
			return c.Pass()
		}
		c.Store(0, []byte("/\x00"))
		return 2, nil
	}
	if p, ok := pathCalls[c.Trap]; ok {
		return d.path(c, p)
	}
	if f := d.Paths.Described(c.Args[0]); f != nil {
		return f.Call(c)
	}
	return 0, syscall.EBADF
}

// name returns the path in an argument. own is false if it is relative to a folder of the machine.
func (d Calls) name(c *Call, at, index int) (name string, own bool) {
	if name = c.Text(index); at == 0 || path.IsAbs(name) {
		return name, true
	}
	const currentFolder = -100 // AT_FDCWD
	fd := c.Args[at-1]
	if int32(fd) == currentFolder {
		return name, true
	}
	if f := d.Paths.Described(fd); f != nil {
		return path.Join(f.Path(), name), true
	}
	return name, false
}

// path executes a system call on a path.
func (d Calls) path(c *Call, p pathCall) (uintptr, error) {
	name, own := d.name(c, p.at, p.path)
	flags := 0
	if p.flags > 0 {
		flags = int(c.Args[p.flags])
	}
	if !own {
		if slices.Contains([]string{"stat", "statx", "access", "readlink"}, p.op) || p.op == "open" &&
			flags&(os.O_WRONLY|os.O_RDWR|os.O_CREATE) == 0 {
			return c.Pass()
		}
		return 0, Unsupported(p.op + " in a folder of the machine")
	}
	switch p.op {
	case "open", "creat":
		return d.open(c, name, flags, p.op == "creat")
	case "stat", "statx", "access", "readlink", "statfs", "chdir":
		return d.look(c, p, name)
	case "mknod", "openat2":
		return 0, Unsupported(p.op + " of " + name)
	}
	to := ""
	if p.to > 0 {
		if to, own = d.name(c, p.toAt, p.to); !own {
			return 0, Unsupported(p.op + " to a folder of the machine")
		}
	}
	return d.change(c, p.op, name, to, flags)
}

func (d Calls) open(c *Call, name string, flags int, creates bool) (uintptr, error) {
	if creates {
		flags = os.O_CREATE | os.O_WRONLY | os.O_TRUNC
	}
	if name == "/dev/urandom" || name == "/dev/random" {
		return 0, syscall.ENOENT // programs use getrandom then
	}
	const temporary = 0x400000 // __O_TMPFILE
	if flags&temporary != 0 {
		return 0, syscall.EOPNOTSUPP
	}
	f, own, err := d.Paths.Open(name, flags)
	switch {
	case err != nil:
		return 0, refused(err)
	case !own:
		return c.Pass()
	case flags&syscall.O_DIRECTORY != 0 && !f.fsys.tree.Inodes[f.ino].IsDir():
		f.Close()
		return 0, syscall.ENOTDIR
	}
	return f.Fd(), nil
}

// look executes a system call that changes nothing.
func (d Calls) look(c *Call, p pathCall, name string) (uintptr, error) {
	const emptyPath = 0x1000 // AT_EMPTY_PATH
	if name == "" && p.at > 0 && c.Args[p.flags]&emptyPath != 0 {
		if f := d.Paths.Described(c.Args[0]); f == nil {
			return c.Pass()
		}
	}
	info, own, err := d.Paths.Stat(name)
	switch {
	case err != nil:
		return 0, refused(err)
	case p.op == "chdir" && d.Paths.Root():
		return 0, Unsupported("a change of the working directory")
	case !own:
		return c.Pass()
	}
	switch p.op {
	case "stat":
		c.Store(p.path+1, StatBytes(info))
	case "statx":
		return 0, syscall.ENOSYS // programs use stat then
	case "statfs":
		c.Store(1, SpaceBytes())
	case "readlink":
		return 0, syscall.EINVAL
	}
	return 0, nil
}

// change executes a system call that changes the entries of folders, or a file.
func (d Calls) change(c *Call, op, name, to string, flags int) (uintptr, error) {
	const (
		removeDir = 0x200 // AT_REMOVEDIR
		noReplace = 1     // RENAME_NOREPLACE
	)
	if op == "unlink" || op == "rmdir" {
		dir := op == "rmdir" || flags&removeDir != 0
		if info, own, err := d.Paths.Stat(name); err == nil && own && info.IsDir() != dir {
			return 0, map[bool]error{true: syscall.ENOTDIR, false: syscall.EISDIR}[dir]
		}
		op = "remove"
	}
	if op == "rename" && flags&^noReplace != 0 {
		return 0, syscall.EINVAL
	} else if op == "rename" && flags == noReplace {
		if _, own, err := d.Paths.Stat(to); own && err == nil {
			return 0, syscall.EEXIST
		}
	}
	size := int64(0)
	if op == "truncate" {
		size = int64(c.Args[1])
	}
	own, err := d.Paths.Change(op, name, to, size)
	if err != nil {
		return 0, refused(err)
	}
	if !own {
		return c.Pass()
	}
	return 0, nil
}

// refused returns the error of a system call.
func refused(err error) error {
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		return errno
	}
	return Unsupported(err.Error())
}
