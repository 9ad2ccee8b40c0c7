package bubble

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

// handle is an open file or directory.
type handle struct {
	*files
	ino    int
	flag   int
	name   string
	at     int
	closed bool
	fd     uintptr // descriptor for system calls; 0 means none
}

func (h *handle) check(writes bool) (*filetree.Inode, error) {
	i := h.tree.Inodes[h.ino]
	access := h.flag & (os.O_WRONLY | os.O_RDWR)
	switch {
	case h.closed:
		return nil, fs.ErrClosed
	case i.IsDir():
		return nil, syscall.EISDIR
	case writes && access == 0 || !writes && access == os.O_WRONLY:
		return nil, syscall.EBADF
	}
	return i, nil
}

func (h *handle) Read(b []byte) (int, error) {
	n, err := h.ReadAt(b, int64(h.at))
	h.at += n
	return n, err
}

// ReadAt reads the available bytes, as the system call does. It returns io.EOF if there are none.
func (h *handle) ReadAt(b []byte, off int64) (int, error) {
	i, err := h.check(false)
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

func (h *handle) Write(b []byte) (int, error) {
	h.h.disk.writing()
	i, err := h.check(true)
	if err != nil {
		return 0, err
	}
	if h.flag&os.O_APPEND != 0 {
		h.at = len(i.Data)
	}
	n, err := h.write(b, h.at)
	h.at += n
	return n, err
}

func (h *handle) WriteAt(b []byte, off int64) (int, error) {
	h.h.disk.writing()
	if _, err := h.check(true); err != nil {
		return 0, err
	}
	return h.write(b, int(off))
}

func (h *handle) write(b []byte, at int) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	if err := h.fails(true); err != nil {
		return 0, err
	}
	h.do(filetree.Change{Op: filetree.WriteData, Ino: h.ino, At: at, Data: slices.Clone(b)},
		fmt.Sprintf("write %d bytes to %s at %d", len(b), h.names[h.ino], at))
	if h.flag&os.O_SYNC != 0 {
		return len(b), h.sync(h.ino)
	}
	return len(b), nil
}

func (h *handle) Seek(offset int64, whence int) (int64, error) {
	i := h.tree.Inodes[h.ino]
	switch whence {
	case io.SeekCurrent:
		offset += int64(h.at)
	case io.SeekEnd:
		offset += int64(len(i.Data))
	}
	switch {
	case h.closed:
		return 0, fs.ErrClosed
	case offset < 0:
		return 0, syscall.EINVAL
	}
	h.at = int(offset)
	return offset, nil
}

func (h *handle) Truncate(size int64) error {
	h.h.disk.writing()
	if _, err := h.check(true); err != nil {
		return err
	}
	return h.truncate(h.ino, int(size))
}

func (h *handle) Sync() error {
	if h.closed {
		return fs.ErrClosed
	}
	return h.sync(h.ino)
}

func (h *handle) Close() error {
	if h.closed {
		return fs.ErrClosed
	}
	h.closed = true
	h.forget()
	return nil
}

func (h *handle) Stat() (fs.FileInfo, error) {
	if h.closed {
		return nil, fs.ErrClosed
	}
	return h.info(h.ino, path.Base(h.names[h.ino])), nil
}

// ReadDir returns the next entries of a directory: at most n, or all remaining ones if n is not positive.
func (h *handle) ReadDir(n int) ([]fs.FileInfo, error) {
	i := h.tree.Inodes[h.ino]
	switch {
	case h.closed:
		return nil, fs.ErrClosed
	case !i.IsDir():
		return nil, syscall.ENOTDIR
	}
	names := slices.Sorted(maps.Keys(i.Entries))
	names = names[min(h.at, len(names)):]
	if n > 0 {
		if len(names) == 0 {
			return nil, io.EOF
		}
		names = names[:min(n, len(names))]
	}
	h.at += len(names)
	infos := []fs.FileInfo{}
	for _, name := range names {
		infos = append(infos, h.info(i.Entries[name], name))
	}
	return infos, nil
}
