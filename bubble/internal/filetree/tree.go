package filetree

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// Tree is the content of a data directory. Inode [Root] is the directory itself.
type Tree struct {
	Inodes map[int]*Inode
	Last   int // highest inode number in use
}

// Root is the inode of the data directory.
const Root = 1

// Inode is a file or a directory.
type Inode struct {
	Data    []byte
	Entries map[string]int // by name; nil for a file
}

// IsDir reports whether the inode is a directory.
func (i *Inode) IsDir() bool { return i.Entries != nil }

// New returns an empty directory.
func New() *Tree {
	return &Tree{map[int]*Inode{Root: {Entries: map[string]int{}}}, Root}
}

func (t *Tree) clone() *Tree {
	c := &Tree{make(map[int]*Inode, len(t.Inodes)), t.Last}
	for n, i := range t.Inodes {
		c.Inodes[n] = &Inode{slices.Clone(i.Data), maps.Clone(i.Entries)}
	}
	return c
}

// Find resolves a path of names separated by slashes; an empty path is the root. It returns the inode, and its directory and its name
// there. The inode is 0 if only the directory exists.
func (t *Tree) Find(path string) (dir, ino int, name string, err error) {
	ino = Root
	for name = range strings.SplitSeq(path, "/") {
		if name == "" {
			continue
		}
		switch i := t.Inodes[ino]; {
		case ino == 0:
			return 0, 0, "", syscall.ENOENT
		case !i.IsDir():
			return 0, 0, "", syscall.ENOTDIR
		default:
			dir, ino = ino, i.Entries[name]
		}
	}
	return dir, ino, name, nil
}

// Walk calls f for each reachable inode, in the order of the paths; a directory comes before its entries.
func (t *Tree) Walk(f func(path string, ino int)) {
	var visit func(path string, ino int)
	visit = func(path string, ino int) {
		f(path, ino)
		i := t.Inodes[ino]
		for _, name := range slices.Sorted(maps.Keys(i.Entries)) {
			visit(path+"/"+name, i.Entries[name])
		}
	}
	visit("", Root)
}

// Files returns the files of an encoded tree by path, and the directories as well, whose paths end in a slash. Paths are relative.
func Files(image []byte) (map[string][]byte, error) {
	t, err := Parse(image)
	if err != nil {
		return nil, err
	}
	all := map[string][]byte{}
	t.Walk(func(path string, ino int) {
		path = strings.TrimPrefix(path, "/")
		switch i := t.Inodes[ino]; {
		case !i.IsDir():
			all[path] = i.Data
		case ino != Root:
			all[path+"/"] = nil
		}
	})
	return all, nil
}

// HasData reports whether ino is a file that is not empty, or a directory that contains one.
func (t *Tree) HasData(ino int) bool {
	i := t.Inodes[ino]
	for _, entry := range i.Entries {
		if t.HasData(entry) {
			return true
		}
	}
	return len(i.Data) > 0
}

// ChooseFlip chooses a non-empty file, and its first, middle or last byte, for a flip of a bit. names are the paths of the inodes.
func (t *Tree) ChooseFlip(names map[int]string, choose func(what string, n int) int) (flip Change, text string) {
	var files []int
	t.Walk(func(_ string, ino int) {
		if len(t.Inodes[ino].Data) > 0 {
			files = append(files, ino)
		}
	})
	ino := files[choose("file with a bit that flips", len(files))]
	size := len(t.Inodes[ino].Data)
	places := slices.Compact([]int{0, size / 2, size - 1})
	at := places[choose(fmt.Sprintf("byte of %s with a bit that flips %v", names[ino], places), len(places))]
	return Change{Op: FlipBit, Ino: ino, At: at}, fmt.Sprintf("flip bit 0 of %s at %d", names[ino], at)
}

// Append encodes the tree: a line for each inode, then the parts of a file that are not zero.
func (t *Tree) Append(b []byte) []byte {
	t.Walk(func(path string, ino int) {
		i := t.Inodes[ino]
		if i.IsDir() {
			b = fmt.Appendf(b, "dir %q\n", path)
			return
		}
		b = fmt.Appendf(b, "file %q %d", path, len(i.Data))
		var parts []byte
		for at := 0; at < len(i.Data); at += partSize {
			if part := i.Data[at:min(at+partSize, len(i.Data))]; bytes.ContainsFunc(part, func(r rune) bool { return r != 0 }) {
				b = fmt.Appendf(b, " %d", at)
				parts = append(parts, part...)
			}
		}
		b = append(append(append(b, '\n'), parts...), '\n')
	})
	return b
}

// partSize is the unit in which zeros are left out of an encoded tree.
const partSize = 512

var errTree = errors.New("the image of a data directory is damaged")

// Parse is the inverse of [Tree.Append]. Inodes are numbered in the order of their lines.
func Parse(b []byte) (*Tree, error) {
	t := New()
	for len(b) > 0 {
		line, rest, _ := bytes.Cut(b, []byte("\n"))
		b = rest
		kind, text, _ := strings.Cut(string(line), " ")
		quoted, err := strconv.QuotedPrefix(text)
		if err != nil {
			return nil, fmt.Errorf("%w: %q", errTree, line)
		}
		path, _ := strconv.Unquote(quoted)
		if path == "" {
			continue
		}
		dir, _, name, err := t.Find(path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		t.Last++
		if kind == "dir" {
			t.Apply(&Change{Op: CreateDir, Ino: t.Last, Dir: dir, Name: name})
			continue
		}
		t.Apply(&Change{Op: CreateFile, Ino: t.Last, Dir: dir, Name: name})
		if t.Inodes[t.Last].Data, b, err = parseData(strings.Fields(text[len(quoted):]), b); err != nil {
			return nil, fmt.Errorf("%w: %q", err, line)
		}
	}
	return t, nil
}

// parseData returns the content of a file, and what follows its parts. numbers are its size and the offsets of its parts.
func parseData(numbers []string, b []byte) (data, rest []byte, err error) {
	for i, number := range numbers {
		n, err := strconv.Atoi(number)
		if err != nil || n < 0 || i > 0 && n >= len(data) {
			return nil, nil, errTree
		}
		if i == 0 {
			data = make([]byte, n)
			continue
		}
		part := data[n:min(n+partSize, len(data))]
		if len(b) < len(part) {
			return nil, nil, errTree
		}
		copy(part, b)
		b = b[len(part):]
	}
	if len(numbers) == 0 || len(b) == 0 {
		return nil, nil, errTree
	}
	return data, b[1:], nil
}

// Change is one change of a tree, or the sync of an inode.
type Change struct {
	Op    Op
	Ino   int // the inode that is changed, created, removed, moved or synced
	Dir   int // of the entry
	ToDir int // of the entry after a move
	Name  string
	To    string
	At    int // offset of a write, size of a truncation
	Size  int // of the range whose pages are synced
	Data  []byte
}

// Op is the operation of a [Change].
type Op int

// The operations.
const (
	CreateFile Op = iota
	CreateDir
	RemoveEntry
	MoveEntry
	WriteData
	TruncateData
	SyncInode
	LostSync  // changes nothing
	FlipBit   // flips the lowest bit of the byte at At; durable at once, and without effect if the file is shorter
	WritePage // a write to one page of a file that the program has mapped
	SyncPages // makes the writes of pages in a range durable

	// FailedSync is a sync that returned an error. No later sync includes the writes before it, unless their pages are written again: they
	// are clean (Rebello et al., "Can Applications Recover from fsync Failures?", ATC 2020, for ext4, XFS and btrfs).
	FailedSync
)

// PageSize is the size of a page.
const PageSize = 4096

func (t *Tree) at(ino int, dir bool) *Inode {
	i := t.Inodes[ino]
	if i == nil {
		i = &Inode{}
		if dir {
			i.Entries = map[string]int{}
		}
		t.Inodes[ino] = i
	}
	return i
}

// Apply applies a change. An inode whose creation was lost exists without a path.
func (t *Tree) Apply(c *Change) {
	switch c.Op {
	case CreateFile, CreateDir:
		t.at(c.Ino, c.Op == CreateDir)
		t.at(c.Dir, true).Entries[c.Name] = c.Ino
	case RemoveEntry:
		delete(t.at(c.Dir, true).Entries, c.Name)
	case MoveEntry:
		delete(t.at(c.Dir, true).Entries, c.Name)
		t.at(c.ToDir, true).Entries[c.To] = c.Ino
	case WriteData, WritePage:
		i := t.at(c.Ino, false)
		if end := c.At + len(c.Data); end > len(i.Data) {
			i.Data = append(i.Data, make([]byte, end-len(i.Data))...)
		}
		copy(i.Data[c.At:], c.Data)
	case TruncateData:
		i := t.at(c.Ino, false)
		if c.At > len(i.Data) {
			i.Data = append(i.Data, make([]byte, c.At-len(i.Data))...)
		}
		i.Data = i.Data[:c.At]
	case FlipBit:
		if i := t.at(c.Ino, false); c.At < len(i.Data) {
			i.Data[c.At] ^= 1
		}
	}
}

// Changed returns the inodes that the change modifies. Syncing one of them makes the change durable.
func (c *Change) Changed() []int {
	switch c.Op {
	case MoveEntry:
		if c.Dir != c.ToDir {
			return []int{c.Dir, c.ToDir}
		}
		return []int{c.Dir}
	case WriteData, TruncateData, WritePage:
		return []int{c.Ino}
	case SyncInode, SyncPages, LostSync, FlipBit, FailedSync:
		return nil
	}
	return []int{c.Dir}
}

// isWrite reports whether a change writes to a file.
func (c *Change) isWrite() bool { return c.Op == WriteData || c.Op == WritePage }

// overlaps reports whether two writes to one file have a page in common.
func (c *Change) overlaps(d *Change) bool {
	return c.At/PageSize <= (d.At+len(d.Data)-1)/PageSize && d.At/PageSize <= (c.At+len(c.Data)-1)/PageSize
}

// Append encodes the change.
func (c *Change) Append(b []byte) []byte {
	return append(fmt.Appendf(b, "%d %d %d %d %d %d %q %q\n", c.Op, c.Ino, c.Dir, c.ToDir, c.At, c.Size, c.Name, c.To), c.Data...)
}

// parseChange is the inverse of [Change.Append].
func parseChange(b []byte) (Change, error) {
	var c Change
	line, data, _ := strings.Cut(string(b), "\n")
	_, err := fmt.Sscanf(line, "%d %d %d %d %d %d %q %q", &c.Op, &c.Ino, &c.Dir, &c.ToDir, &c.At, &c.Size, &c.Name, &c.To)
	c.Data = []byte(data)
	return c, err
}
