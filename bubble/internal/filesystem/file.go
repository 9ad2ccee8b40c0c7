package filesystem

import (
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"syscall"

	"github.com/macemc/macemc/bubble/internal/filetree"
)

// File is an open file or directory. Read, ReadAt, Write and WriteAt behave as the system calls do.
type File struct {
	fsys   *FS
	ino    int
	flag   int
	name   string
	at     int
	closed bool
	fd     uintptr // descriptor for system calls; 0 means none
}

func (f *File) check(writes bool) (*filetree.Inode, error) {
	f.fsys.Gather()
	i := f.fsys.tree.Inodes[f.ino]
	access := f.flag & (os.O_WRONLY | os.O_RDWR)
	switch {
	case f.closed:
		return nil, fs.ErrClosed
	case i.IsDir():
		return nil, syscall.EISDIR
	case writes && access == 0 || !writes && access == os.O_WRONLY:
		return nil, syscall.EBADF
	}
	return i, nil
}

func (f *File) Read(b []byte) (int, error) {
	n, err := f.ReadAt(b, int64(f.at))
	f.at += n
	return n, err
}

// ReadAt reads the available bytes, as the system call does. It returns io.EOF if there are none.
func (f *File) ReadAt(b []byte, off int64) (int, error) {
	i, err := f.check(false)
	switch {
	case err != nil:
		return 0, err
	case len(b) == 0:
		return 0, nil
	case off >= int64(len(i.Data)):
		return 0, io.EOF
	}
	return copy(b, i.Data[off:]), nil
}

func (f *File) Write(b []byte) (int, error) {
	f.fsys.host.Writing()
	i, err := f.check(true)
	if err != nil {
		return 0, err
	}
	if f.flag&os.O_APPEND != 0 {
		f.at = len(i.Data)
	}
	n, err := f.write(b, f.at)
	f.at += n
	return n, err
}

func (f *File) WriteAt(b []byte, off int64) (int, error) {
	f.fsys.host.Writing()
	if _, err := f.check(true); err != nil {
		return 0, err
	}
	return f.write(b, int(off))
}

func (f *File) write(b []byte, at int) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	full := f.fsys.fails(true)
	if full == syscall.ENOSPC { // a part of it fits
		b = b[:len(b)/2]
	} else if full != nil {
		return 0, full
	}
	if len(b) > 0 {
		f.fsys.do(filetree.Change{Op: filetree.WriteData, Ino: f.ino, At: at, Data: slices.Clone(b)},
			fmt.Sprintf("write %d bytes to %s at %d", len(b), f.fsys.names[f.ino], at))
	}
	if f.flag&os.O_SYNC != 0 && full == nil {
		return len(b), f.fsys.sync(f.ino)
	}
	return len(b), full
}

func (f *File) Seek(offset int64, whence int) (int64, error) {
	i := f.fsys.tree.Inodes[f.ino]
	switch whence {
	case io.SeekCurrent:
		offset += int64(f.at)
	case io.SeekEnd:
		offset += int64(len(i.Data))
	}
	switch {
	case f.closed:
		return 0, fs.ErrClosed
	case offset < 0:
		return 0, syscall.EINVAL
	}
	f.at = int(offset)
	return offset, nil
}

func (f *File) Truncate(size int64) error {
	f.fsys.host.Writing()
	if _, err := f.check(true); err != nil {
		return err
	}
	return f.fsys.truncate(f.ino, int(size))
}

func (f *File) Sync() error {
	if f.closed {
		return fs.ErrClosed
	}
	return f.fsys.sync(f.ino)
}

func (f *File) Close() error {
	if f.closed {
		return fs.ErrClosed
	}
	f.closed = true
	f.forget()
	return nil
}

func (f *File) Stat() (fs.FileInfo, error) {
	if f.closed {
		return nil, fs.ErrClosed
	}
	return f.fsys.info(f.ino, path.Base(f.fsys.names[f.ino])), nil
}

// ReadDir returns the next entries of a directory: at most n, or all remaining ones if n is not positive.
func (f *File) ReadDir(n int) ([]fs.FileInfo, error) {
	i := f.fsys.tree.Inodes[f.ino]
	switch {
	case f.closed:
		return nil, fs.ErrClosed
	case !i.IsDir():
		return nil, syscall.ENOTDIR
	}
	names := slices.Sorted(maps.Keys(i.Entries))
	names = names[min(f.at, len(names)):]
	if n > 0 {
		if len(names) == 0 {
			return nil, io.EOF
		}
		names = names[:min(n, len(names))]
	}
	f.at += len(names)
	infos := []fs.FileInfo{}
	for _, name := range names {
		infos = append(infos, f.fsys.info(i.Entries[name], name))
	}
	return infos, nil
}
