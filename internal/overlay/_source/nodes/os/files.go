// Files of a node's data directory, on its simulated disk.

package os

import (
	"io/fs"
	"syscall"
)

// macemcFile is an open file of a node. Package bubble provides it.
type macemcFile = interface {
	Read(b []byte) (int, error)
	ReadAt(b []byte, off int64) (int, error)
	Write(b []byte) (int, error)
	WriteAt(b []byte, off int64) (int, error)
	Seek(offset int64, whence int) (int64, error)
	Truncate(size int64) error
	Sync() error
	Close() error
	Stat() (FileInfo, error)
	ReadDir(n int) ([]FileInfo, error)
	Fd() uintptr
}

// macemcOpen opens a file of a node or returns an error. The result is false if the machine must open the file. dir means that the file
// must be a directory.
func macemcOpen(name string, flag int, dir bool) (*File, bool, error) {
	n, own, err := macemcNode.Open(name, flag)
	if own && err == nil && dir {
		if info, _ := n.Stat(); !info.IsDir() {
			err = syscall.ENOTDIR
		}
	}
	if err != nil {
		return nil, true, &PathError{Op: "open", Path: name, Err: err}
	}
	if !own {
		return nil, false, nil
	}
	f := &File{&file{name: name, node: n}}
	f.pfd.Sysfd-- // no descriptor
	f.appendMode = flag&O_APPEND != 0
	return f, true, nil
}

// macemcChange changes a path of a node or returns an error. The result is false if the machine must change the path.
func macemcChange(op, name string, size int64) (bool, error) {
	own, err := macemcNode.Change(op, name, "", size)
	if err != nil {
		return true, &PathError{Op: op, Path: name, Err: err}
	}
	return own, nil
}

// macemcLink is macemcChange for two paths.
func macemcLink(op, name, to string) (bool, error) {
	own, err := macemcNode.Change(op, name, to, 0)
	if err != nil {
		return true, &LinkError{op, name, to, err}
	}
	return own, nil
}

func macemcStat(op, name string) (FileInfo, bool, error) {
	info, own, err := macemcNode.Stat(name)
	if err != nil {
		return nil, true, &PathError{Op: op, Path: name, Err: err}
	}
	return info, own, nil
}

// macemcReadlink returns an error for a path of a node, which has no links. The result is false if the machine must read the link.
func macemcReadlink(name string) (bool, error) {
	_, own, err := macemcStat("readlink", name)
	if own && err == nil {
		err = &PathError{Op: "readlink", Path: name, Err: syscall.EINVAL}
	}
	return own, err
}

func (f *File) macemcReaddir(n int, mode readdirMode) (names []string, dirents []DirEntry, infos []FileInfo, err error) {
	infos, err = f.node.ReadDir(n)
	switch mode {
	case readdirName:
		for _, i := range infos {
			names = append(names, i.Name())
		}
		infos = nil
	case readdirDirEntry:
		for _, i := range infos {
			dirents = append(dirents, fs.FileInfoToDirEntry(i))
		}
		infos = nil
	}
	return names, dirents, infos, f.wrapErr("readdirent", err)
}
