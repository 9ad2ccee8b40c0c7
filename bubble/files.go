package bubble

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"
	"time"
)

// DataDir is the path of the data directory of a node. Functions of package os access files below it on the node's simulated disk. Synced
// data survives a crash. The directory exists and is initially empty. A relative path is relative to /.
//
// A prefix of a file's unsynced changes survives a crash, and perhaps half of the next write. Sync of a directory makes its entries
// durable: the creation, removal and renaming of files. Sync of a file does not do so.
type DataDir string

func (d DataDir) set(p *past) {
	if p.data = path.Join("/", string(d)); p.data == "/" {
		panic("bubble: the data directory of a node cannot be /")
	}
}

// files is the node's file system as its program sees it.
type files struct {
	h     *Host
	dir   string
	tree  *tree
	dirty map[int]bool   // inodes with unsynced changes
	names map[int]string // last path of each inode
	last  int            // number of the last record
}

var errOutside = errors.New("a node can write below its data directory only: declare one by bubble.DataDir (docs/goroutines.md)")

func newFiles(h *Host, dir string, r *restored) *files {
	t, err := parseTree(r.image)
	if err != nil {
		panic(err)
	}
	return &files{h: h, dir: dir, tree: t, dirty: map[int]bool{}, names: paths(t, nil, dir), last: r.last}
}

// save replaces the records of the disk by the restored image.
func (f *files) save(r *restored) {
	if len(r.stale) == 0 {
		return
	}
	f.h.effect(effect{kind: putEffect, text: recordKey(r.last, imageRecord), value: r.image})
	for _, key := range r.stale {
		f.h.effect(effect{kind: deleteEffect, text: key})
	}
	f.h.effect(effect{kind: syncEffect})
}

func recordKey(number int, text string) string { return fmt.Sprintf("%08d %s", number, text) }

// rel returns the path of a file relative to the data directory. own reports whether the file is the directory or below it.
func (f *files) rel(name string) (rel string, own bool) {
	if f == nil {
		return "", false
	}
	abs := path.Join("/", name)
	if rel, own = strings.CutPrefix(abs, f.dir); !own || rel != "" && rel[0] != '/' {
		return "", false
	}
	return rel, true
}

// do applies a change and writes its record to the disk. text describes the change.
func (f *files) do(c change, text string) {
	f.tree.apply(&c)
	for _, ino := range c.changed() {
		f.dirty[ino] = true
	}
	switch c.op {
	case createFile, createDir:
		f.names[c.ino] = path.Join(f.names[c.dir], c.name)
	case moveEntry:
		f.names[c.ino] = path.Join(f.names[c.toDir], c.to)
		f.tree.walk(func(path string, ino int) { f.names[ino] = f.dir + path })
	}
	f.last++
	f.h.effect(effect{kind: putEffect, text: recordKey(f.last, text), value: c.append(nil)})
}

func (f *files) sync(ino int) {
	f.h.disk.writing()
	if !f.dirty[ino] {
		return
	}
	delete(f.dirty, ino)
	f.do(change{op: syncInode, ino: ino}, "sync "+f.names[ino])
	f.h.effect(effect{kind: syncEffect})
}

func (f *files) truncate(ino, size int) error {
	i := f.tree.inodes[ino]
	switch {
	case i.dir():
		return syscall.EISDIR
	case size < 0:
		return syscall.EINVAL
	case size != len(i.data):
		f.do(change{op: truncateData, ino: ino, at: size}, fmt.Sprintf("truncate %s to %d bytes", f.names[ino], size))
	}
	return nil
}

func (f *files) open(rel string, flag int) (*handle, error) {
	const makes = os.O_CREATE | os.O_TRUNC
	writes := flag&(os.O_WRONLY|os.O_RDWR) != 0
	if flag&makes != 0 {
		f.h.disk.writing()
	}
	dir, ino, name, err := f.tree.find(rel)
	switch {
	case err != nil:
		return nil, err
	case ino == 0 && flag&os.O_CREATE == 0:
		return nil, syscall.ENOENT
	case ino == 0:
		ino = f.create(createFile, dir, name)
	case flag&os.O_CREATE != 0 && flag&os.O_EXCL != 0:
		return nil, syscall.EEXIST
	case f.tree.inodes[ino].dir() && (writes || flag&makes != 0):
		return nil, syscall.EISDIR
	case writes && flag&os.O_TRUNC != 0:
		if err := f.truncate(ino, 0); err != nil {
			return nil, err
		}
	}
	return &handle{files: f, ino: ino, flag: flag, name: name}, nil
}

func (f *files) create(op changeOp, dir int, name string) (ino int) {
	f.tree.last++
	f.do(change{op: op, ino: f.tree.last, dir: dir, name: name}, "create "+path.Join(f.names[dir], name))
	return f.tree.last
}

// change executes an operation of package os on paths. to is empty if the operation has one path.
func (f *files) change(op, rel, to string, size int64) error {
	f.h.disk.writing()
	dir, ino, name, err := f.tree.find(rel)
	switch {
	case err != nil && op == "RemoveAll" && errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case op == "mkdir":
		if ino != 0 {
			return syscall.EEXIST
		}
		f.create(createDir, dir, name)
		return nil
	case op == "RemoveAll":
		return f.removeAll(dir, ino, name)
	case ino == 0:
		return syscall.ENOENT
	case op == "chmod" || op == "chtimes" || op == "chown" || op == "lchown":
		return nil
	case op == "truncate":
		return f.truncate(ino, int(size))
	case op == "link" || op == "symlink" || op == "openroot":
		return errors.New("the simulated disk of a node has neither links nor roots (docs/goroutines.md)")
	case ino == rootInode:
		return syscall.EBUSY
	case op == "remove":
		return f.remove(dir, ino, name)
	}
	return f.rename(dir, ino, name, to)
}

func (f *files) remove(dir, ino int, name string) error {
	if len(f.tree.inodes[ino].entries) > 0 {
		return syscall.ENOTEMPTY
	}
	f.do(change{op: removeEntry, ino: ino, dir: dir, name: name}, "remove "+f.names[ino])
	return nil
}

func (f *files) removeAll(dir, ino int, name string) error {
	if ino == 0 {
		return nil
	}
	i := f.tree.inodes[ino]
	for _, n := range slices.Sorted(maps.Keys(i.entries)) {
		if err := f.removeAll(ino, i.entries[n], n); err != nil {
			return err
		}
	}
	if ino == rootInode {
		return syscall.EBUSY
	}
	return f.remove(dir, ino, name)
}

func (f *files) rename(dir, ino int, name, to string) error {
	toDir, old, toName, err := f.tree.find(to)
	i := f.tree.inodes[ino]
	switch {
	case err != nil:
		return err
	case old == ino:
		return nil
	case old == rootInode || old != 0 && f.tree.inodes[old].dir():
		return syscall.EEXIST
	case old != 0 && i.dir():
		return syscall.ENOTDIR
	case strings.HasPrefix(f.dir+to+"/", f.names[ino]+"/"):
		return syscall.EINVAL
	}
	f.do(change{op: moveEntry, ino: ino, dir: dir, name: name, toDir: toDir, to: toName},
		"rename "+f.names[ino]+" to "+path.Join(f.names[toDir], toName))
	return nil
}

func (f *files) stat(rel string) (fs.FileInfo, error) {
	_, ino, _, err := f.tree.find(rel)
	switch {
	case err != nil:
		return nil, err
	case ino == 0:
		return nil, syscall.ENOENT
	}
	return f.info(ino, path.Base(f.dir+rel)), nil
}

func (f *files) info(ino int, name string) fs.FileInfo {
	i := f.tree.inodes[ino]
	return &fileInfo{name, int64(len(i.data)), i.dir()}
}

// fileInfo implements fs.FileInfo for a file or a directory.
type fileInfo struct {
	name string
	size int64
	dir  bool
}

func (i *fileInfo) Name() string       { return i.name }
func (i *fileInfo) Size() int64        { return i.size }
func (i *fileInfo) IsDir() bool        { return i.dir }
func (i *fileInfo) Sys() any           { return nil }
func (i *fileInfo) ModTime() time.Time { return time.Unix(0, epoch) }

func (i *fileInfo) Mode() fs.FileMode {
	if i.dir {
		return fs.ModeDir | 0o755
	}
	return 0o644
}
