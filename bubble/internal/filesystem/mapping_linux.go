//go:build linux && (amd64 || arm64)

package filesystem

import (
	"bytes"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"syscall"
	"unsafe"

	"github.com/macemc/macemc/bubble/internal/filetree"
)

// pageSize is the unit in which changes of mapped files reach the disk.
const pageSize = filetree.PageSize

// image is a memory file of the machine with the content of a file that the program has mapped. Each change by another system call changes
// the image, too. Stores of the program to the image become changes of the file in [FS.Gather].
type image struct {
	fd  uintptr
	mem []byte // the whole image
}

// images are the images of a file system.
type images struct {
	fsys      *FS
	all       map[int]*image // by inode
	stored    map[int]bool   // inodes with an image that the program may store to
	gathering bool           // gather is in progress
}

// Memory is the memory that a node has mapped.
type Memory struct{ list []mapping }

// mapping is a range of that memory.
type mapping struct {
	at, size uintptr
	file     *File // nil if it maps none of the node's files
	offset   int64
	shared   bool
	writable bool
}

// machine makes a system call of the machine, which does not fail unless the machine lacks memory.
func machine(trap uintptr, args ...uintptr) uintptr {
	var all [6]uintptr
	copy(all[:], args)
	r, errno := Machine.Call(trap, all, 0)
	if errno != 0 {
		panic(fmt.Sprintf("system call %d, for memory that a node has mapped: %v", trap, errno))
	}
	return r
}

var imageName = []byte("macemc\x00")

// of returns the image of an inode.
func (s *images) of(ino int) *image {
	m := s.all[ino]
	if m == nil {
		m = &image{fd: machine(sysMemfdCreate, uintptr(unsafe.Pointer(&imageName[0])), 1)}
		if s.all == nil {
			s.all, s.stored = map[int]*image{}, map[int]bool{}
		}
		s.all[ino] = m
		data := s.fsys.tree.Inodes[ino].Data
		m.resize(len(data))
		copy(m.mem, data)
	}
	return m
}

func (m *image) resize(size int) {
	m.unmap()
	machine(syscall.SYS_FTRUNCATE, m.fd, uintptr(size))
	if size > 0 {
		at := machine(syscall.SYS_MMAP, 0, uintptr(size), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED, m.fd, 0)
		m.mem = unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&at))), size)
	}
}

func (m *image) unmap() {
	if len(m.mem) > 0 {
		machine(syscall.SYS_MUNMAP, uintptr(unsafe.Pointer(&m.mem[0])), uintptr(len(m.mem)))
		m.mem = nil
	}
}

// show copies a change of a file to its image.
func (s *images) show(c *filetree.Change) {
	m := s.all[c.Ino]
	if m == nil {
		return
	}
	switch data := s.fsys.tree.Inodes[c.Ino].Data; c.Op {
	case filetree.WriteData, filetree.TruncateData, filetree.FlipBit:
		if len(data) != len(m.mem) {
			m.resize(len(data))
		}
		if end := min(c.At+max(len(c.Data), 1), len(data)); c.At < end {
			copy(m.mem[c.At:end], data[c.At:end])
		}
	}
}

// gather makes changes of the pages that the program has stored to since the last call.
func (s *images) gather() {
	if s.gathering || len(s.stored) == 0 {
		return
	}
	s.gathering = true
	defer func() { s.gathering = false }()
	for _, ino := range slices.Sorted(maps.Keys(s.stored)) {
		mem, data := s.all[ino].mem, s.fsys.tree.Inodes[ino].Data
		for at := 0; at < len(mem); at += pageSize {
			if page := mem[at:min(at+pageSize, len(mem))]; !bytes.Equal(page, data[at:at+len(page)]) {
				s.fsys.do(filetree.Change{Op: filetree.WritePage, Ino: ino, At: at, Data: slices.Clone(page)},
					fmt.Sprintf("store to page %d of %s", at/pageSize, s.fsys.names[ino]))
			}
		}
	}
}

func (s *images) close() {
	for _, m := range s.all {
		m.unmap()
		machine(syscall.SYS_CLOSE, m.fd)
	}
	s.all, s.stored = nil, nil
}

// Map executes mmap. f is the file of the node that it maps, or nil.
func (m *Memory) Map(c *Call, f *File) (uintptr, error) {
	flags := c.Args[3]
	p := mapping{size: (c.Args[1] + pageSize - 1) &^ (pageSize - 1), file: f, offset: int64(c.Args[5]),
		shared: flags&syscall.MAP_PRIVATE == 0, writable: c.Args[2]&syscall.PROT_WRITE != 0}
	if f != nil {
		if _, err := f.check(false); err != nil || p.shared && p.writable && !f.writable() {
			return 0, syscall.EACCES
		}
		f.fsys.Gather()
		c.Args[4] = f.fsys.images.of(f.ino).fd
	}
	at, err := c.Pass()
	if err != nil {
		return 0, err
	}
	p.at = at
	if flags&syscall.MAP_FIXED != 0 {
		m.cut(p.at, p.size)
	}
	m.list = append(m.list, p)
	m.mark(&p)
	return at, nil
}

// mark records that the program may store to the image of a file.
func (m *Memory) mark(p *mapping) {
	if p.file == nil || !p.shared || !p.writable {
		return
	}
	p.file.fsys.images.stored[p.file.ino] = true
}

// split separates the mappings in a range from their neighbors, and calls f for them.
func (m *Memory) split(at, size uintptr, f func(p *mapping)) {
	end := (at + size + pageSize - 1) &^ (pageSize - 1)
	for _, edge := range [...]uintptr{at, end} {
		for i := range m.list {
			if p := m.list[i]; p.at < edge && edge < p.at+p.size {
				m.list[i].size = edge - p.at
				p.offset += int64(edge - p.at)
				p.at, p.size = edge, p.size-(edge-p.at)
				m.list = append(m.list, p)
			}
		}
	}
	for i := range m.list {
		if p := &m.list[i]; at <= p.at && p.at < end {
			f(p)
		}
	}
}

// cut removes a range.
func (m *Memory) cut(at, size uintptr) {
	m.split(at, size, func(p *mapping) {
		if p.file != nil {
			p.file.fsys.Gather()
		}
		p.size = 0
	})
	m.list = slices.DeleteFunc(m.list, func(p mapping) bool { return p.size == 0 })
}

// Call executes munmap, mprotect, msync and mremap.
func (m *Memory) Call(c *Call) (uintptr, error) {
	at, size := c.Args[0], c.Args[1]
	switch c.Trap {
	case syscall.SYS_MUNMAP:
		m.cut(at, size)
		if own := c.Args; own[1] == 0 {
			return 0, syscall.EINVAL
		}
	case syscall.SYS_MPROTECT:
		m.split(at, size, func(p *mapping) {
			p.writable = c.Args[2]&syscall.PROT_WRITE != 0
			m.mark(p)
		})
	case syscall.SYS_MSYNC:
		var err error
		m.split(at, size, func(p *mapping) {
			if p.file != nil && p.shared && c.Args[2]&syscall.MS_ASYNC == 0 && err == nil {
				err = p.file.fsys.syncPages(p.file.ino, int(p.offset), int(p.size))
			}
		})
		return 0, err
	case syscall.SYS_MREMAP:
		var old mapping
		m.split(at, size, func(p *mapping) { old = *p })
		if old.file != nil {
			old.file.fsys.Gather()
		}
		to, err := c.Pass()
		if err == nil && old.size > 0 {
			m.cut(at, size)
			old.at, old.size = to, (c.Args[2]+pageSize-1)&^(pageSize-1)
			m.list = append(m.list, old)
		}
		return to, err
	}
	return c.Pass()
}

// Unmap unmaps everything, if nothing can refer to memory without a file any more. Otherwise it leaves that memory.
func (m *Memory) Unmap(all bool) {
	for _, p := range m.list {
		if all || p.file != nil {
			machine(syscall.SYS_MUNMAP, p.at, p.size)
		}
	}
	m.list = nil
	runtime.KeepAlive(m)
}
