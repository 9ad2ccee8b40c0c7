package memory

import (
	"cmp"
	"encoding/binary"
	"errors"
	"runtime"
	"slices"
	"sync"
	"time"
	"unsafe"
	"weak"
)

// The linker marks the beginning and end of package variables: without pointers and with, initialized and not.
var (
	//go:linkname program runtime.text
	program byte
	//go:linkname variables runtime.noptrdata
	variables byte
	//go:linkname endVariables runtime.enoptrbss
	endVariables byte
	//go:linkname filled runtime.data
	filled byte
	//go:linkname endFilled runtime.edata
	endFilled byte
	//go:linkname zeroed runtime.bss
	zeroed byte
	//go:linkname endZeroed runtime.ebss
	endZeroed byte
	// Their pointer words, in the garbage collector's form.
	//go:linkname filledPointers runtime.gcdata
	filledPointers byte
	//go:linkname zeroedPointers runtime.gcbss
	zeroedPointers byte
)

// Constants identifies memory with an identity that outlives a run: package variables, their targets, memory held by
// closures of the system, and everything reachable from there. A name is a location in the program file and the
// pointers to follow from there. Names are thus the same in every process that executes the file, wherever it is
// loaded. The exception is memory reachable only through a map of more than eight entries, which has a varying order, see
// [Constants.Varies].
type Constants struct {
	low, size uintptr // of all variables
	Objects   []older // by address
	names     []byte
	pages     []page  // pages with constants
	Table     []int32 // hash table of indexes of pages, plus one; its size is a power of two
	shift     uint
	held      []any // the inspected closures
	kept      []pin // prevents reuse of the memory
}

// older is heap memory that existed before anything was checked.
type older struct {
	low, high uintptr
	from      uintptr // origin of the offsets of pointers into it
	tiny      bool    // one of several values in an object
	varies    bool    // reachable only through maps with a varying order
	Name, End uint32  // range in names
}

// pin refers to a constant. Pins are not followed, otherwise each search would keep the results of the one before.
type pin struct{ at unsafe.Pointer }

var pinWord = TypeWord(pin{})

// page is a page of memory with one bit for each word, set for constants.
type page struct {
	number uintptr
	bits   [pageSize / wordSize / 64]uint64
}

// None is for programs without constants.
var None = &Constants{Table: make([]int32, 1), shift: 64}

// snapshots caches the constants of systems that are in use or were built lately, so that all worlds of a system have
// the same.
//
//lint:state memory that is older than all runs belongs to the process
var snapshots snapshotList

type snapshotList struct {
	sync.Mutex
	list []*Constants // of the latest
	all  map[string]weak.Pointer[Constants]

	caches [][2]uintptr // addresses and sizes of variables, see Cache
}

// mostSnapshots is the maximum number of snapshots kept without use.
const mostSnapshots = 8

// ConstantsOf returns the constants of a system with the closures held. They are found when the system is first
// built, so that they contain nothing made by a handler.
func ConstantsOf(held []any, showing bool) (*Constants, error) {
	s := &snapshots
	s.Lock()
	defer s.Unlock()
	if n := len(s.list); n > 0 && showing {
		return s.list[n-1], nil
	}
	key := identityOf(held)
	if c := s.all[key].Value(); c != nil {
		s.used(c)
		return c, nil
	}
	if !readableHeap() {
		return nil, errors.New("this release of Go (" + runtime.Version() + ") has an unknown memory layout, so states cannot be distinguished")
	}
	c := findConstants(slices.Clone(held))
	if s.all == nil {
		s.all = make(map[string]weak.Pointer[Constants])
	}
	s.all[key] = weak.Make(c)
	runtime.AddCleanup(c, s.forget, key)
	s.used(c)
	return c, nil
}

// identityOf returns the bytes of the held interfaces: types and addresses. No address is reused while constants hold
// the value.
func identityOf(held []any) string {
	return string(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(held))), uintptr(len(held))*unsafe.Sizeof(Interface{})))
}

// forget removes collected constants, unless there are others with the same key.
func (s *snapshotList) forget(key string) {
	s.Lock()
	defer s.Unlock()
	if s.all[key].Value() == nil {
		delete(s.all, key)
	}
}

// used makes c the most recently used constants.
func (s *snapshotList) used(c *Constants) {
	s.list = append(slices.DeleteFunc(s.list, func(other *Constants) bool { return other == c }), c)
	if len(s.list) > mostSnapshots {
		s.list = slices.Delete(s.list, 0, 1)
	}
}

// manyOlder is roughly the number of objects in larger programs. It saves growing.
const manyOlder = 1 << 13

// findConstants inspects everything that closures hold, and all pointers in variables.
func findConstants(held []any) *Constants {
	time.FixedZone("", 0) // makes the zones of whole hours
	var ignored runtime.MemStats
	runtime.ReadMemStats(&ignored) // empties caches, so that no small value made later shares an object with an older one
	f := finder{
		Constants: &Constants{low: address(&variables), size: address(&endVariables) - address(&variables), held: held},
		met:       make(map[uintptr]bool, manyOlder),
		groups:    map[uintptr]bool{},
	}
	f.Objects, f.kept, f.names = make([]older, 0, manyOlder), make([]pin, 0, manyOlder), make([]byte, 0, 8*manyOlder)
	if len(held) > 0 {
		p := unsafe.Pointer(unsafe.SliceData(held))
		objectAt(p).pointers(p, func(at unsafe.Pointer, off uintptr) { f.follow(at, nil, uint64(off+1)<<1|1) })
		f.rest()
	}
	for off := range pointerVariables {
		f.follow(variableAt(off), nil, uint64(off)<<1|1)
	}
	f.rest()
	f.varies = true
	for _, i := range f.deferred {
		f.inspect(i)
	}
	f.rest()
	f.Objects, f.kept, f.names = slices.Clone(f.Objects), slices.Clone(f.kept), slices.Clone(f.names) // small programs have few
	f.sort()
	return f.Constants
}

// variableAt returns the address of a variable.
//
//go:nocheckptr
func variableAt(off uintptr) unsafe.Pointer { return unsafe.Add(unsafe.Pointer(&variables), off) }

// Cache registers a variable that keeps what handlers of several systems have made. If it was followed, constants would keep that, and with it
// the constants of earlier systems.
func Cache[T any](v *T) {
	s := &snapshots
	s.caches = append(s.caches, [2]uintptr{uintptr(unsafe.Pointer(v)), unsafe.Sizeof(*v)})
}

// pointerVariables yields the offsets of the pointers among variables, except for those in snapshots and caches.
func pointerVariables(yield func(off uintptr) bool) {
	for _, part := range [][3]*byte{{&filled, &endFilled, &filledPointers}, {&zeroed, &endZeroed, &zeroedPointers}} {
		words := (address(part[1]) - address(part[0])) / wordSize
		for i, isPointer := range pointerMask(part[2], int(words)) {
			at := address(part[0]) + uintptr(i)*wordSize
			own := at-uintptr(unsafe.Pointer(&snapshots)) < unsafe.Sizeof(snapshots)
			own = own || slices.ContainsFunc(snapshots.caches, func(c [2]uintptr) bool { return at-c[0] < c[1] })
			if isPointer && !own && !yield(at-address(&variables)) {
				return
			}
		}
	}
}

// finder finds constants.
type finder struct {
	*Constants
	met  map[uintptr]bool // by address
	next int              // the first object that was not inspected

	groups   map[uintptr]bool // addresses of the groups of entries of maps that have a varying order
	deferred []int            // indexes of visited groups of that kind
	varies   bool             // only such groups are left
}

// follow records the memory that the pointer at at refers to, if it is new. The memory's name is in followed by step.
//
//go:norace
//go:nocheckptr
func (f *finder) follow(at unsafe.Pointer, in []byte, step uint64) {
	p := *(*unsafe.Pointer)(at)
	if p == nil || uintptr(p) >= address(&program) && uintptr(p) < f.low+f.size {
		return
	}
	o := objectAt(p)
	if o.base == 0 {
		return
	}
	x := older{low: o.base, high: o.base + o.size, from: o.base, varies: f.varies}
	if x.tiny = o.bare() && o.size == tinySize; x.tiny {
		x.low, x.from = uintptr(p), uintptr(p)
	}
	if f.met[x.low] {
		return
	}
	f.met[x.low] = true
	x.Name = uint32(len(f.names))
	f.names = binary.AppendUvarint(append(f.names, in...), step)
	x.End = uint32(len(f.names))
	f.Objects, f.kept = append(f.Objects, x), append(f.kept, pin{p})
}

// tinySize is the size of objects that several smaller values without pointers share.
const tinySize = 16

// rest follows the remaining objects, breadth first.
func (f *finder) rest() {
	for ; f.next < len(f.Objects); f.next++ {
		p := f.kept[f.next].at
		if f.groups[objectAt(p).base] && !f.varies {
			f.deferred = append(f.deferred, f.next)
			continue
		}
		for _, group := range objectAt(p).groups(p) {
			f.groups[group] = true
		}
		f.inspect(f.next)
	}
}

// inspect follows the pointers in an object.
func (f *finder) inspect(i int) {
	x, p := f.Objects[i], f.kept[i].at
	objectAt(p).pointers(p, func(at unsafe.Pointer, off uintptr) {
		f.follow(at, f.names[x.Name:x.End], uint64(off+1))
	})
}

// sort prepares look-ups.
func (f *finder) sort() {
	c := f.Constants
	slices.SortFunc(c.Objects, func(a, b older) int { return cmp.Compare(a.low, b.low) })
	for i := range c.Objects { // small values end where the next one begins, and the first begins with their object
		x := &c.Objects[i]
		if next := i + 1; next < len(c.Objects) && c.Objects[next].low < x.high {
			x.high = c.Objects[next].low
		}
		if begin := x.low &^ (tinySize - 1); x.tiny && (i == 0 || c.Objects[i-1].high <= begin) {
			x.low = begin
		}
	}
	for _, x := range c.Objects {
		for at := x.low &^ (wordSize - 1); at < x.high; at += wordSize {
			if n := len(c.pages); n == 0 || c.pages[n-1].number != at/pageSize {
				c.pages = append(c.pages, page{number: at / pageSize})
			}
			bits, word := &c.pages[len(c.pages)-1].bits, at%pageSize/wordSize
			if bits[word/64] |= 1 << (word % 64); word%64 == 0 && x.high-at >= 64*wordSize { // of a large object
				bits[word/64] = ^uint64(0)
				at += 63 * wordSize
			}
		}
	}
	bits := 4
	for 1<<bits < 4*len(c.pages) {
		bits++
	}
	c.Table, c.shift = make([]int32, 1<<bits), uint(64-bits)
	for k := range c.pages {
		i := c.slot(c.pages[k].number)
		for c.Table[i] != 0 {
			i = (i + 1) & (len(c.Table) - 1)
		}
		c.Table[i] = int32(k) + 1
	}
}

// pointerMask executes a program of the garbage collector (see "Packed GC pointer bitmaps" in the runtime's
// mbitmap.go). A 0 ends it. A number n up to 127 is followed by n bits, in bytes. With the highest bit set, the last
// n bits are repeated, and the number of repetitions follows. If n is 0, both numbers follow.
func pointerMask(program *byte, words int) []bool {
	mask := make([]bool, 0, words)
	next := func() byte {
		b := *program
		program = (*byte)(unsafe.Add(unsafe.Pointer(program), 1))
		return b
	}
	number := func() (n int) {
		for shift := 0; ; shift += 7 {
			b := next()
			if n |= int(b&0x7f) << shift; b < 0x80 {
				return n
			}
		}
	}
	for len(mask) <= words {
		b := next()
		n := int(b & 0x7f)
		switch {
		case b == 0:
			return mask
		case b < 0x80:
			for i := 0; i < n; i += 8 {
				bits := next()
				for k := range min(8, n-i) {
					mask = append(mask, bits>>k&1 == 1)
				}
			}
			continue
		case n == 0:
			n = number()
		}
		for range number() {
			mask = append(mask, mask[len(mask)-n:]...)
		}
	}
	panic("encoding: this release of Go describes variables in another way")
}

func address(p *byte) uintptr { return uintptr(unsafe.Pointer(p)) }

// golden is 2^64 divided by the golden ratio.
const golden = 0x9E3779B97F4A7C15

func (c *Constants) slot(number uintptr) int { return int(uint64(number) * golden >> c.shift) }

// Has reports whether the memory at p is a constant.
func (c *Constants) Has(p unsafe.Pointer) bool {
	at := uintptr(p)
	if at-c.low < c.size {
		return true
	}
	number := at / pageSize
	for i := c.slot(number); c.Table[i] != 0; i = (i + 1) & (len(c.Table) - 1) {
		if g := &c.pages[c.Table[i]-1]; g.number == number {
			word := at % pageSize / wordSize
			return g.bits[word/64]>>(word%64)&1 == 1
		}
	}
	return false
}

// Varies reports whether the name of the constant at p differs from process to process.
func (c *Constants) Varies(p unsafe.Pointer) bool {
	return uintptr(p)-c.low >= c.size && c.objectAt(p).varies
}

// objectAt returns the object of a constant that is not a package variable.
func (c *Constants) objectAt(p unsafe.Pointer) *older {
	i, found := slices.BinarySearchFunc(c.Objects, uintptr(p), func(x older, at uintptr) int { return cmp.Compare(x.low, at) })
	if !found {
		i--
	}
	return &c.Objects[i]
}

// Append appends the name of the constant at p.
func (c *Constants) Append(dst []byte, p unsafe.Pointer) []byte {
	at := uintptr(p)
	if off := at - c.low; off < c.size {
		return binary.AppendUvarint(dst, uint64(off)<<1)
	}
	x := c.objectAt(p)
	dst = append(append(dst, c.names[x.Name:x.End]...), 0)
	return binary.AppendVarint(dst, int64(at-x.from))
}
