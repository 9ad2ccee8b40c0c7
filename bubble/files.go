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

	"github.com/macemc/macemc/bubble/internal/filetree"
	"github.com/macemc/macemc/bubble/internal/waitqueue"
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

// files is the node's file system as its program sees it.
type files struct {
	h     *Host
	dir   string         // path of the data directory
	tree  *filetree.Tree // includes unsynced changes
	dirty map[int]bool   // inodes with unsynced changes
	names map[int]string // last path of each inode
	last  int            // number of the last record

	failing syscall.Errno // error of the next change, see failDisk; 0 means none

	described []*handle // by descriptor; nil if closed
	locks     map[int][]lock
	waiting   []hold         // goroutines that wait for locks
	unlocked  waitqueue.List // wakes them
}

var errOutside = errors.New("a node can write below its data directory only: declare one by bubble.DataDir (docs/goroutines.md)")

func newFiles(h *Host, dir string, r *filetree.Restored) *files {
	t, err := filetree.Parse(r.Image)
	if err != nil {
		panic(err)
	}
	return &files{h: h, dir: dir, tree: t, dirty: map[int]bool{}, names: filetree.Paths(t, nil, dir), locks: map[int][]lock{}, last: r.Last}
}

// save replaces the records of the disk by the restored image.
func (f *files) save(r *filetree.Restored) {
	if len(r.Stale) == 0 {
		return
	}
	f.h.effect(effect{kind: putEffect, text: filetree.Key(r.Last, filetree.ImageKey), value: r.Image})
	for _, key := range r.Stale {
		f.h.effect(effect{kind: deleteEffect, text: key})
	}
	f.h.effect(effect{kind: syncEffect})
}

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
func (f *files) do(c filetree.Change, text string) {
	f.tree.Apply(&c)
	for _, ino := range c.Changed() {
		f.dirty[ino] = true
	}
	switch c.Op {
	case filetree.CreateFile, filetree.CreateDir:
		f.names[c.Ino] = path.Join(f.names[c.Dir], c.Name)
	case filetree.MoveEntry:
		f.tree.Walk(func(path string, ino int) { f.names[ino] = f.dir + path })
	}
	f.last++
	f.h.effect(effect{kind: putEffect, text: filetree.Key(f.last, text), value: c.Append(nil)})
}

// fails returns the error of a change or a sync if it is the next one after a disk error. A call that changes nothing does not use up the
// error. takesSpace reports whether the change fails on a full disk.
func (f *files) fails(takesSpace bool) error {
	err := f.failing
	if err == 0 || err == syscall.ENOSPC && !takesSpace {
		return nil
	}
	f.failing = 0
	return err
}

func (f *files) sync(ino int) error {
	f.h.disk.writing()
	if err := f.fails(false); err != nil {
		return err
	}
	switch {
	case !f.dirty[ino]:
	case f.h.disk.loses():
		f.do(filetree.Change{Op: filetree.LostSync}, "lost sync of "+f.names[ino])
	default:
		delete(f.dirty, ino)
		f.do(filetree.Change{Op: filetree.SyncInode, Ino: ino}, "sync "+f.names[ino])
		f.h.effect(effect{kind: syncEffect})
	}
	return nil
}

func (f *files) truncate(ino, size int) error {
	i := f.tree.Inodes[ino]
	switch {
	case i.IsDir():
		return syscall.EISDIR
	case size < 0:
		return syscall.EINVAL
	case size != len(i.Data):
		if err := f.fails(size > len(i.Data)); err != nil {
			return err
		}
		f.do(filetree.Change{Op: filetree.TruncateData, Ino: ino, At: size}, fmt.Sprintf("truncate %s to %d bytes", f.names[ino], size))
	}
	return nil
}

func (f *files) open(rel string, flag int) (*handle, error) {
	const makes = os.O_CREATE | os.O_TRUNC
	writes := flag&(os.O_WRONLY|os.O_RDWR) != 0
	if flag&makes != 0 {
		f.h.disk.writing()
	}
	dir, ino, name, err := f.tree.Find(rel)
	switch {
	case err != nil:
		return nil, err
	case ino == 0 && flag&os.O_CREATE == 0:
		return nil, syscall.ENOENT
	case ino == 0:
		if ino, err = f.create(filetree.CreateFile, dir, name); err != nil {
			return nil, err
		}
	case flag&os.O_CREATE != 0 && flag&os.O_EXCL != 0:
		return nil, syscall.EEXIST
	case f.tree.Inodes[ino].IsDir() && (writes || flag&makes != 0):
		return nil, syscall.EISDIR
	case writes && flag&os.O_TRUNC != 0:
		if err := f.truncate(ino, 0); err != nil {
			return nil, err
		}
	}
	return &handle{files: f, ino: ino, flag: flag, name: name}, nil
}

func (f *files) create(op filetree.Op, dir int, name string) (ino int, err error) {
	if err := f.fails(true); err != nil {
		return 0, err
	}
	f.tree.Last++
	f.do(filetree.Change{Op: op, Ino: f.tree.Last, Dir: dir, Name: name}, "create "+path.Join(f.names[dir], name))
	return f.tree.Last, nil
}

// change executes an operation of package os on paths. to is empty if the operation has one path.
func (f *files) change(op, rel, to string, size int64) error {
	f.h.disk.writing()
	dir, ino, name, err := f.tree.Find(rel)
	switch {
	case err != nil && op == "RemoveAll" && errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case op == "mkdir":
		if ino != 0 {
			return syscall.EEXIST
		}
		_, err := f.create(filetree.CreateDir, dir, name)
		return err
	case op == "RemoveAll":
		return f.removeAll(dir, ino, name)
	case ino == 0:
		return syscall.ENOENT
	case op == "chmod" || op == "chtimes" || op == "chown" || op == "lchown":
		return f.fails(false)
	case op == "truncate":
		return f.truncate(ino, int(size))
	case op == "link" || op == "symlink" || op == "openroot":
		return errors.New("the simulated disk of a node has neither links nor roots (docs/goroutines.md)")
	case ino == filetree.Root:
		return syscall.EBUSY
	case op == "remove":
		return f.remove(dir, ino, name)
	}
	return f.rename(dir, ino, name, to)
}

func (f *files) remove(dir, ino int, name string) error {
	if len(f.tree.Inodes[ino].Entries) > 0 {
		return syscall.ENOTEMPTY
	}
	if err := f.fails(false); err != nil {
		return err
	}
	f.do(filetree.Change{Op: filetree.RemoveEntry, Ino: ino, Dir: dir, Name: name}, "remove "+f.names[ino])
	return nil
}

func (f *files) removeAll(dir, ino int, name string) error {
	if ino == 0 {
		return nil
	}
	i := f.tree.Inodes[ino]
	for _, n := range slices.Sorted(maps.Keys(i.Entries)) {
		if err := f.removeAll(ino, i.Entries[n], n); err != nil {
			return err
		}
	}
	if ino == filetree.Root {
		return syscall.EBUSY
	}
	return f.remove(dir, ino, name)
}

func (f *files) rename(dir, ino int, name, to string) error {
	toDir, old, toName, err := f.tree.Find(to)
	i := f.tree.Inodes[ino]
	switch {
	case err != nil:
		return err
	case old == ino:
		return nil
	case old == filetree.Root || old != 0 && f.tree.Inodes[old].IsDir():
		return syscall.EEXIST
	case old != 0 && i.IsDir():
		return syscall.ENOTDIR
	case strings.HasPrefix(f.dir+to+"/", f.names[ino]+"/"):
		return syscall.EINVAL
	}
	if err := f.fails(false); err != nil {
		return err
	}
	f.do(filetree.Change{Op: filetree.MoveEntry, Ino: ino, Dir: dir, Name: name, ToDir: toDir, To: toName},
		"rename "+f.names[ino]+" to "+path.Join(f.names[toDir], toName))
	return nil
}

func (f *files) stat(rel string) (fs.FileInfo, error) {
	_, ino, _, err := f.tree.Find(rel)
	switch {
	case err != nil:
		return nil, err
	case ino == 0:
		return nil, syscall.ENOENT
	}
	return f.info(ino, path.Base(f.dir+rel)), nil
}

func (f *files) info(ino int, name string) fs.FileInfo {
	return &fileInfo{name, int64(len(f.tree.Inodes[ino].Data)), f.tree.Inodes[ino].IsDir()}
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
func (i *fileInfo) ModTime() time.Time { return time.Unix(0, epoch) }

func (i *fileInfo) Mode() fs.FileMode {
	if i.dir {
		return fs.ModeDir | 0o755
	}
	return 0o644
}
