package bubble

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// tree is the content of a data directory. Inode rootInode is the directory itself.
type tree struct {
	inodes map[int]*inode
	last   int // highest inode number in use
}

const rootInode = 1

// inode is a file or a directory.
type inode struct {
	data    []byte
	entries map[string]int // by name; nil for a file
}

func (i *inode) dir() bool { return i.entries != nil }

func newTree() *tree {
	return &tree{map[int]*inode{rootInode: {entries: map[string]int{}}}, rootInode}
}

func (t *tree) clone() *tree {
	c := &tree{make(map[int]*inode, len(t.inodes)), t.last}
	for n, i := range t.inodes {
		c.inodes[n] = &inode{slices.Clone(i.data), maps.Clone(i.entries)}
	}
	return c
}

// find resolves a path of names separated by slashes; an empty path is the root. It returns the inode, and its directory and its name
// there. The inode is 0 if only the directory exists.
func (t *tree) find(path string) (dir, ino int, name string, err error) {
	ino = rootInode
	for name = range strings.SplitSeq(path, "/") {
		if name == "" {
			continue
		}
		switch i := t.inodes[ino]; {
		case ino == 0:
			return 0, 0, "", syscall.ENOENT
		case !i.dir():
			return 0, 0, "", syscall.ENOTDIR
		default:
			dir, ino = ino, i.entries[name]
		}
	}
	return dir, ino, name, nil
}

// walk calls f for each reachable inode, in the order of the paths; a directory comes before its entries.
func (t *tree) walk(f func(path string, ino int)) {
	var visit func(path string, ino int)
	visit = func(path string, ino int) {
		f(path, ino)
		i := t.inodes[ino]
		for _, name := range slices.Sorted(maps.Keys(i.entries)) {
			visit(path+"/"+name, i.entries[name])
		}
	}
	visit("", rootInode)
}

// append encodes the tree.
func (t *tree) append(b []byte) []byte {
	t.walk(func(path string, ino int) {
		if i := t.inodes[ino]; i.dir() {
			b = fmt.Appendf(b, "dir %q\n", path)
		} else {
			b = fmt.Appendf(b, "file %q %q\n", path, i.data)
		}
	})
	return b
}

// parseTree is the inverse of append. Inodes are numbered in the order of their lines.
func parseTree(b []byte) (*tree, error) {
	t := newTree()
	for line := range strings.Lines(string(b)) {
		var kind, path, data string
		if _, err := fmt.Sscanf(line, "dir %q\n", &path); err == nil {
			kind = "dir"
		} else if _, err := fmt.Sscanf(line, "file %q %q\n", &path, &data); err != nil {
			return nil, fmt.Errorf("%s: %w", strconv.Quote(line), err)
		}
		if path == "" {
			continue
		}
		dir, _, name, err := t.find(path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		t.last++
		op := createFile
		if kind == "dir" {
			op = createDir
		}
		t.apply(&change{op: op, ino: t.last, dir: dir, name: name})
		t.inodes[t.last].data = []byte(data)
	}
	return t, nil
}

// change is one change of a tree, or the sync of an inode.
type change struct {
	op    changeOp
	ino   int // the inode that is changed, created, removed, moved or synced
	dir   int // of the entry
	toDir int // of the entry after a move
	name  string
	to    string
	at    int // offset of a write, size of a truncation
	data  []byte
}

type changeOp int

const (
	createFile changeOp = iota
	createDir
	removeEntry
	moveEntry
	writeData
	truncateData
	syncInode
)

func (t *tree) at(ino int, dir bool) *inode {
	i := t.inodes[ino]
	if i == nil {
		i = &inode{}
		if dir {
			i.entries = map[string]int{}
		}
		t.inodes[ino] = i
	}
	return i
}

// apply applies a change. An inode whose creation was lost exists without a path.
func (t *tree) apply(c *change) {
	switch c.op {
	case createFile, createDir:
		t.at(c.ino, c.op == createDir)
		t.at(c.dir, true).entries[c.name] = c.ino
	case removeEntry:
		delete(t.at(c.dir, true).entries, c.name)
	case moveEntry:
		delete(t.at(c.dir, true).entries, c.name)
		t.at(c.toDir, true).entries[c.to] = c.ino
	case writeData:
		i := t.at(c.ino, false)
		if end := c.at + len(c.data); end > len(i.data) {
			i.data = append(i.data, make([]byte, end-len(i.data))...)
		}
		copy(i.data[c.at:], c.data)
	case truncateData:
		i := t.at(c.ino, false)
		if c.at > len(i.data) {
			i.data = append(i.data, make([]byte, c.at-len(i.data))...)
		}
		i.data = i.data[:c.at]
	}
}

// changed returns the inodes that the change modifies. Syncing one of them makes the change durable.
func (c *change) changed() []int {
	switch c.op {
	case moveEntry:
		if c.dir != c.toDir {
			return []int{c.dir, c.toDir}
		}
		return []int{c.dir}
	case writeData, truncateData:
		return []int{c.ino}
	case syncInode:
		return nil
	}
	return []int{c.dir}
}

func (c *change) append(b []byte) []byte {
	return append(fmt.Appendf(b, "%d %d %d %d %d %q %q\n", c.op, c.ino, c.dir, c.toDir, c.at, c.name, c.to), c.data...)
}

func parseChange(b []byte) (change, error) {
	var c change
	line, data, _ := strings.Cut(string(b), "\n")
	_, err := fmt.Sscanf(line, "%d %d %d %d %d %q %q", &c.op, &c.ino, &c.dir, &c.toDir, &c.at, &c.name, &c.to)
	c.data = []byte(data)
	return c, err
}
