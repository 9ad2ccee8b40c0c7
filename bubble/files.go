package bubble

import (
	"errors"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/macemc/macemc/bubble/internal/filesystem"
	"github.com/macemc/macemc/bubble/internal/filetree"
	"github.com/macemc/macemc/internal/simext"
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
	p.storage = &simext.Storage{}
}

// FileSystem is an option: the file system of the data directory, which determines what survives a crash. Each file system promises more
// than POSIX does. docs/goroutines.md lists the rules.
type FileSystem uint8

// The file systems.
const (
	POSIX FileSystem = iota // only what POSIX promises
	Ext4                    // with data=ordered and auto_da_alloc, the defaults
	XFS
	Btrfs
)

// rules are the rules of the file systems.
var rules = [...]filetree.Rules{
	POSIX: {Name: "POSIX"},
	Ext4:  {Name: "ext4", Journal: true, Replacement: true},
	XFS:   {Name: "XFS", Journal: true},
	Btrfs: {Name: "btrfs", Journal: true, OwnName: true, Replacement: true},
}

func (f FileSystem) String() string { return rules[f].Name }

func (f FileSystem) set(p *history) { p.disk = f }

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

func (fileHost) FileTime() int64 { return epoch + stepping.now.ctl.wall.offset }

func (fileHost) Goroutine() (number, count uint64) { return id(), stepping.now.ctl.ids }

// tempHost implements [filesystem.Host] for temporary files, which are not on the disk of the model.
type tempHost struct{ fileHost }

func (tempHost) Writing()           {}
func (tempHost) LosesSync() bool    { return false }
func (tempHost) Put(string, []byte) {}
func (tempHost) Delete(string)      {}
func (tempHost) Sync()              {}

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

// fileSystems are the simulated file systems of a node.
type fileSystems struct {
	data *filesystem.FS // nil means that the node has no data directory
	temp *filesystem.FS // temporary files, which a crash removes; nil means that the node has used none

	memory  filesystem.Memory // that the program has mapped
	started time.Time         // see uptime; zero at first
	// hidesExecutable means that opening the executable fails.
	hidesExecutable bool
}

// gather records what the program has stored to the maps of files.
func (f *fileSystems) gather() {
	f.data.Gather()
	f.temp.Gather()
}

// close unmaps the memory of a node that has ended. Nodes outside of processes share package variables, which may refer to memory.
func (f *fileSystems) close(process bool) {
	f.memory.Unmap(process)
	f.data.Close()
	f.temp.Close()
}

// tempDir is the folder of temporary files.
const tempDir = "/tmp"

// filesAt returns the file system that has a path, and the path relative to its folder. nil means the machine of the checker.
func filesAt(h *Host, name string) (*filesystem.FS, string) {
	if rel, own := h.files.data.Rel(name); own {
		return h.files.data, rel
	}
	if h.command == nil && h.files.data == nil || !path.IsAbs(name) && h.files.data == nil {
		return nil, ""
	}
	if h.files.temp == nil && strings.HasPrefix(path.Join("/", name), tempDir) {
		h.files.temp = filesystem.NewTemporary(tempHost{fileHost{h}}, tempDir)
	}
	if rel, own := h.files.temp.Rel(name); own {
		return h.files.temp, rel
	}
	return nil, ""
}

func (machines) HasFiles() bool { return current().files.data != nil }

func (machines) Executable() string {
	if current().command == nil || len(os.Args) == 0 {
		return ""
	}
	return path.Join("/bin", path.Base(os.Args[0]))
}

func (machines) Open(name string, flag int) (openFile, bool, error) {
	h := current()
	writes := flag&(os.O_WRONLY|os.O_RDWR|os.O_CREATE|os.O_TRUNC) != 0
	if s, rel := filesAt(h, name); s != nil {
		f, err := s.Open(rel, flag)
		if s == h.files.temp && errors.Is(err, os.ErrNotExist) && !writes {
			return nil, false, nil // a test may have written it for its nodes
		}
		return f, true, err
	}
	if ofKernel(name) {
		return nil, true, syscall.ENOENT
	}
	if writes && name != os.DevNull {
		writesOutside(h, name)
	}
	if executable := (machines{}).Executable(); name == executable && executable != "" {
		if h.files.hidesExecutable {
			return nil, true, syscall.ENOENT
		}
		h.unsimulated("it opens its executable")
	}
	return nil, false, nil
}

func (machines) Change(op, name, to string, size int64) (bool, error) {
	h := current()
	s, rel := filesAt(h, name)
	if op == "rename" || op == "link" || op == "symlink" {
		var too *filesystem.FS
		if too, to = filesAt(h, to); too != s && (too == nil || s == nil) {
			writesOutside(h, name)
		} else if too != s {
			return false, syscall.EXDEV
		}
	}
	if s == nil {
		writesOutside(h, name)
		return false, nil
	}
	switch {
	case op == "openroot":
		h.unsimulated("it opens the root " + name)
	case op == "socket" && s != h.files.temp:
		h.unsimulated("it makes the Unix socket " + name + ", outside of " + tempDir + ",")
	}
	err := s.Change(op, rel, to, size)
	if err == syscall.EPERM && (op == "link" || op == "symlink") {
		h.unsimulated("it makes a link " + name)
	}
	return true, err
}

func (machines) Stat(name string) (os.FileInfo, bool, error) {
	h := current()
	if s, rel := filesAt(h, name); s != nil {
		info, err := s.Stat(rel)
		if s == h.files.temp && errors.Is(err, os.ErrNotExist) {
			return nil, false, nil
		}
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

// writesOutside is called before a file outside the data directory is changed. The machine performs the change for nodes that are neither
// processes nor have a data directory.
func writesOutside(h *Host, name string) {
	if h.command != nil || h.files.data != nil {
		h.unsimulated("it writes " + name + ", outside of its data directory (declare one by bubble.DataDir) and /tmp,")
	}
}

// flocks returns the locks of files if a goroutine waits for one.
func (h *Host) flocks() (all []lockUse) {
	for _, l := range append(h.files.data.Locks(), h.files.temp.Locks()...) {
		state := uint32(0)
		if l.Held {
			state = 1
		}
		all = append(all, lockUse{uintptr(l.Inode), l.Goroutine, l.Since, state})
	}
	return all
}
