package filesystem

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

// Host is the node that has the file system. Programs call its methods in their goroutines.
type Host interface {
	// Writing is called before each operation that may change files.
	Writing()
	// Put, Delete and Sync record effects on the disk of the model, which happen in this order at the end of the step.
	Put(key string, value []byte)
	Delete(key string)
	Sync()
	// LosesSync reports whether a sync that has something to make durable is lost. It is called once for each.
	LosesSync() bool
	// Goroutine returns the number of the calling goroutine, and the number of goroutines that the node has had.
	Goroutine() (id, count uint64)
	// FileTime returns the modification time of all files, in nanoseconds since 1970.
	FileTime() int64
}

// FS is the data directory of a node as its program sees it. nil means that the node has none.
type FS struct {
	host  Host
	dir   string         // path of the data directory
	tree  *filetree.Tree // includes unsynced changes
	dirty map[int]bool   // inodes with unsynced changes
	names map[int]string // last path of each inode
	last  int            // number of the last record
	rules filetree.Rules

	failing []syscall.Errno // errors of the next changes, see Fail

	sockets   map[int]bool // inodes of Unix sockets
	temporary bool         // its descriptors and locks differ from those of the first one
	described []*File      // by descriptor; nil if closed
	locks     map[int][]lock
	waiting   []Lock         // locks that goroutines wait for
	unlocked  waitqueue.List // wakes them

	images images // of the files that the program has mapped
}

// New returns the file system at dir that a node finds when it boots.
func New(host Host, dir string, r *filetree.Restored) *FS {
	t, err := filetree.Parse(r.Image)
	if err != nil {
		panic(err)
	}
	s := &FS{host: host, dir: dir, tree: t, dirty: map[int]bool{}, names: filetree.Paths(t, nil, dir),
		locks: map[int][]lock{}, last: r.Last, rules: r.Rules}
	s.images.fsys = s
	return s
}

// Gather makes changes of what the program has stored to maps of files since the last call.
func (s *FS) Gather() {
	if s != nil {
		s.images.gather()
	}
}

// Close releases the memory of the maps.
func (s *FS) Close() {
	if s != nil {
		s.images.close()
	}
}

// NewTemporary returns an empty second file system of a node, at dir.
func NewTemporary(host Host, dir string) *FS {
	s := New(host, dir, &filetree.Restored{Image: filetree.New().Append(nil)})
	s.temporary = true
	return s
}

// Save replaces the records of the disk by the restored image.
func (s *FS) Save(r *filetree.Restored) {
	if len(r.Stale) == 0 {
		return
	}
	s.host.Put(filetree.Key(r.Last, filetree.ImageKey), r.Image)
	for _, key := range r.Stale {
		s.host.Delete(key)
	}
	s.host.Sync()
}

// Lock is a lock by flock that a goroutine holds or waits for.
type Lock struct {
	Inode     int
	Goroutine uint64
	Held      bool
	Since     uint64 // number of goroutines that the node had had when it acquired the lock
}

// Rel returns the path of a file relative to the data directory. own reports whether the file is the directory or below it.
func (s *FS) Rel(name string) (rel string, own bool) {
	if s == nil {
		return "", false
	}
	abs := path.Join("/", name)
	if rel, own = strings.CutPrefix(abs, s.dir); !own || rel != "" && rel[0] != '/' {
		return "", false
	}
	return rel, true
}

// do applies a change and writes its record to the disk. text describes the change.
func (s *FS) do(c filetree.Change, text string) {
	s.Gather()
	s.tree.Apply(&c)
	s.images.show(&c)
	for _, ino := range c.Changed() {
		s.dirty[ino] = true
	}
	if s.rules.Journal && (c.Op == filetree.CreateFile || c.Op == filetree.CreateDir || c.Op == filetree.MoveEntry) {
		s.dirty[c.Ino] = true // a sync of it includes its name
	}
	switch c.Op {
	case filetree.CreateFile, filetree.CreateDir:
		s.names[c.Ino] = path.Join(s.names[c.Dir], c.Name)
	case filetree.MoveEntry:
		s.tree.Walk(func(path string, ino int) { s.names[ino] = s.dir + path })
	}
	s.last++
	s.host.Put(filetree.Key(s.last, text), c.Append(nil))
}

// fails returns the error of a change or a sync if it is the next one after a disk error. A call that changes nothing does not use up the
// error. takesSpace reports whether the change fails on a full disk.
func (s *FS) fails(takesSpace bool) error {
	i := slices.IndexFunc(s.failing, func(err syscall.Errno) bool { return err != syscall.ENOSPC || takesSpace })
	if i < 0 {
		return nil
	}
	err := s.failing[i]
	s.failing = slices.Delete(s.failing, i, i+1)
	return err
}

// Fail makes the next change or sync fail, once for each call. A full disk, ENOSPC, fails only what takes space.
func (s *FS) Fail(err syscall.Errno) { s.failing = append(s.failing, err) }

// HasData reports whether a file is not empty, so that [FS.FlipBit] can be called.
func (s *FS) HasData() bool { return s.tree.HasData(filetree.Root) }

// FlipBit flips a bit of a file. The sync protects the record of the flip from a crash, and makes no earlier change of a file durable.
func (s *FS) FlipBit(choose func(what string, n int) int) {
	s.do(s.tree.ChooseFlip(s.names, choose))
	s.host.Sync()
}

func (s *FS) sync(ino int) error {
	return s.persist(filetree.Change{Op: filetree.SyncInode, Ino: ino}, "sync", "")
}

// persist makes changes of a file durable by c. call is the name of the system call, and covered the part of the file that it covers.
func (s *FS) persist(c filetree.Change, call, covered string) error {
	s.host.Writing()
	s.Gather()
	err := s.fails(false)
	switch {
	case !s.dirty[c.Ino]:
		return err
	case err != nil:
		s.do(filetree.Change{Op: filetree.FailedSync, Ino: c.Ino}, "failed sync of "+s.names[c.Ino])
		return err
	case s.host.LosesSync():
		s.do(filetree.Change{Op: filetree.LostSync}, "lost "+call+" of "+s.names[c.Ino])
		return nil
	}
	if c.Op == filetree.SyncInode {
		delete(s.dirty, c.Ino)
	}
	s.do(c, call+" "+s.names[c.Ino]+covered)
	s.host.Sync()
	return nil
}

// syncPages makes the stores to the pages of a map durable, as msync does.
func (s *FS) syncPages(ino, at, size int) error {
	return s.persist(filetree.Change{Op: filetree.SyncPages, Ino: ino, At: at, Size: size}, "msync",
		fmt.Sprintf(", %d bytes at %d", size, at))
}

func (s *FS) truncate(ino, size int) error {
	i := s.tree.Inodes[ino]
	switch {
	case i.IsDir():
		return syscall.EISDIR
	case size < 0:
		return syscall.EINVAL
	case size != len(i.Data):
		if err := s.fails(size > len(i.Data)); err != nil {
			return err
		}
		s.do(filetree.Change{Op: filetree.TruncateData, Ino: ino, At: size}, fmt.Sprintf("truncate %s to %d bytes", s.names[ino], size))
	}
	return nil
}

// Open opens a file as os.OpenFile does. rel is a path that [FS.Rel] has returned, as in the other methods.
func (s *FS) Open(rel string, flag int) (*File, error) {
	const makes = os.O_CREATE | os.O_TRUNC
	writes := flag&(os.O_WRONLY|os.O_RDWR) != 0
	if flag&makes != 0 {
		s.host.Writing()
	}
	dir, ino, name, err := s.tree.Find(rel)
	switch {
	case err != nil:
		return nil, err
	case ino == 0 && flag&os.O_CREATE == 0:
		return nil, syscall.ENOENT
	case ino == 0:
		if ino, err = s.create(filetree.CreateFile, dir, name); err != nil {
			return nil, err
		}
	case flag&os.O_CREATE != 0 && flag&os.O_EXCL != 0:
		return nil, syscall.EEXIST
	case s.tree.Inodes[ino].IsDir() && (writes || flag&makes != 0):
		return nil, syscall.EISDIR
	case s.sockets[ino]:
		return nil, syscall.ENXIO
	case writes && flag&os.O_TRUNC != 0:
		if err := s.truncate(ino, 0); err != nil {
			return nil, err
		}
	}
	return &File{fsys: s, ino: ino, flag: flag, name: name}, nil
}

func (s *FS) create(op filetree.Op, dir int, name string) (ino int, err error) {
	if err := s.fails(true); err != nil {
		return 0, err
	}
	s.tree.Last++
	s.do(filetree.Change{Op: op, Ino: s.tree.Last, Dir: dir, Name: name}, "create "+path.Join(s.names[dir], name))
	return s.tree.Last, nil
}

// Change executes an operation of package os on paths. to is empty if the operation has one path.
func (s *FS) Change(op, rel, to string, size int64) error {
	s.host.Writing()
	dir, ino, name, err := s.tree.Find(rel)
	switch {
	case err != nil && op == "RemoveAll" && errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case op == "mkdir":
		if ino != 0 {
			return syscall.EEXIST
		}
		_, err := s.create(filetree.CreateDir, dir, name)
		return err
	case op == "socket":
		return s.makeSocket(dir, ino, name)
	case op == "RemoveAll":
		return s.removeAll(dir, ino, name)
	case ino == 0:
		return syscall.ENOENT
	case op == "chmod" || op == "chtimes" || op == "chown" || op == "lchown":
		return s.fails(false)
	case op == "truncate":
		return s.truncate(ino, int(size))
	case op == "link" || op == "symlink": // as in file systems without links
		return syscall.EPERM
	case op == "openroot":
		return errors.New("the simulated disk of a node has no roots (docs/goroutines.md)")
	case ino == filetree.Root:
		return syscall.EBUSY
	case op == "remove":
		return s.remove(dir, ino, name)
	}
	return s.rename(dir, ino, name, to)
}

// makeSocket creates the file of a Unix socket. The records of a disk lack that it is one, so the file system must be temporary.
func (s *FS) makeSocket(dir, ino int, name string) error {
	if ino != 0 {
		return syscall.EADDRINUSE
	}
	ino, err := s.create(filetree.CreateFile, dir, name)
	if err != nil {
		return err
	}
	if s.sockets == nil {
		s.sockets = map[int]bool{}
	}
	s.sockets[ino] = true
	return nil
}

func (s *FS) remove(dir, ino int, name string) error {
	if len(s.tree.Inodes[ino].Entries) > 0 {
		return syscall.ENOTEMPTY
	}
	if err := s.fails(false); err != nil {
		return err
	}
	s.do(filetree.Change{Op: filetree.RemoveEntry, Ino: ino, Dir: dir, Name: name}, "remove "+s.names[ino])
	return nil
}

func (s *FS) removeAll(dir, ino int, name string) error {
	if ino == 0 {
		return nil
	}
	i := s.tree.Inodes[ino]
	for _, n := range slices.Sorted(maps.Keys(i.Entries)) {
		if err := s.removeAll(ino, i.Entries[n], n); err != nil {
			return err
		}
	}
	if ino == filetree.Root {
		return syscall.EBUSY
	}
	return s.remove(dir, ino, name)
}

func (s *FS) rename(dir, ino int, name, to string) error {
	toDir, old, toName, err := s.tree.Find(to)
	i := s.tree.Inodes[ino]
	switch {
	case err != nil:
		return err
	case old == ino:
		return nil
	case old == filetree.Root || old != 0 && s.tree.Inodes[old].IsDir():
		return syscall.EEXIST
	case old != 0 && i.IsDir():
		return syscall.ENOTDIR
	case strings.HasPrefix(s.dir+to+"/", s.names[ino]+"/"):
		return syscall.EINVAL
	}
	if err := s.fails(false); err != nil {
		return err
	}
	s.do(filetree.Change{Op: filetree.MoveEntry, Ino: ino, Dir: dir, Name: name, ToDir: toDir, To: toName},
		"rename "+s.names[ino]+" to "+path.Join(s.names[toDir], toName))
	return nil
}

// Stat describes a file or a directory.
func (s *FS) Stat(rel string) (fs.FileInfo, error) {
	_, ino, _, err := s.tree.Find(rel)
	switch {
	case err != nil:
		return nil, err
	case ino == 0:
		return nil, syscall.ENOENT
	}
	return s.info(ino, path.Base(s.dir+rel)), nil
}

func (s *FS) info(ino int, name string) fs.FileInfo {
	mode := fs.FileMode(0o644)
	if s.tree.Inodes[ino].IsDir() {
		mode = fs.ModeDir | 0o755
	} else if s.sockets[ino] {
		mode = fs.ModeSocket | 0o755
	}
	return &fileInfo{name, int64(len(s.tree.Inodes[ino].Data)), mode, uint64(ino), s.host.FileTime()}
}

// fileInfo implements fs.FileInfo for a file or a directory.
type fileInfo struct {
	name string
	size int64
	mode fs.FileMode
	ino  uint64
	time int64
}

func (i *fileInfo) Name() string       { return i.name }
func (i *fileInfo) Size() int64        { return i.size }
func (i *fileInfo) Mode() fs.FileMode  { return i.mode }
func (i *fileInfo) IsDir() bool        { return i.mode.IsDir() }
func (i *fileInfo) ModTime() time.Time { return time.Unix(0, i.time) }
