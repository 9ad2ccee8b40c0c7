package plan

import (
	"sync"
	"unsafe"
)

// The linker marks where variables of packages begin and end: those without pointers and those with,
// initialized and not.
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
	// Which words of them are pointers, as the garbage collector is told.
	//go:linkname filledPointers runtime.gcdata
	filledPointers byte
	//go:linkname zeroedPointers runtime.gcbss
	zeroedPointers byte
)

// constants tells which memory has an identity that outlives a run: variables of packages, and what
// such a variable, or a part of it, points to. Its names are those of places in the program file, so
// they are the same in every process that executes the file, wherever it is loaded.
type constants struct {
	low, size uintptr // of all variables
	roots     []root  // hash table by address; its size is a power of two
	shift     uint
}

// root is memory on the heap that a variable pointed to before anything was checked.
type root struct {
	at   uintptr // the memory; 0: free
	from uintptr // where the pointer to it lies
}

// programConstants is a fact about the process: it is found out once, before the first system is built,
// so that nothing that a handler made is among it.
var programConstants = sync.OnceValue(findConstants)

// noConstants is for programs that have none.
var noConstants = &constants{roots: make([]root, 1), shift: 64}

// findConstants looks at all pointers of variables. What one of them points to stays where it is as long
// as the pointer is the same.
//
//go:norace
func findConstants() *constants {
	c := &constants{low: address(&variables), size: address(&endVariables) - address(&variables)}
	var found []root
	for _, part := range [][3]*byte{{&filled, &endFilled, &filledPointers}, {&zeroed, &endZeroed, &zeroedPointers}} {
		words := (address(part[1]) - address(part[0])) / unsafe.Sizeof(c.low)
		for i, isPointer := range pointerMask(part[2], int(words)) {
			if !isPointer {
				continue
			}
			at := unsafe.Add(unsafe.Pointer(part[0]), uintptr(i)*unsafe.Sizeof(c.low))
			word := *(*uintptr)(at)
			if word != 0 && (word < address(&program) || word >= c.low+c.size) {
				found = append(found, root{word, uintptr(at)})
			}
		}
	}
	c.shift = 64 - 8
	for 1<<(64-c.shift) < 4*len(found) {
		c.shift--
	}
	c.roots = make([]root, 1<<(64-c.shift))
	for _, r := range found {
		i := c.slot(r.at)
		for c.roots[i].at != 0 && c.roots[i].at != r.at {
			i = (i + 1) & (len(c.roots) - 1)
		}
		if c.roots[i].at == 0 { // of several variables the first names it
			c.roots[i] = r
		}
	}
	return c
}

// pointerMask runs a program of the garbage collector (see "Packed GC pointer bitmaps" in the runtime's mbitmap.go):
// 0 is the end; up to 127, so many bits follow, in bytes; with the highest bit set, so many of the last bits are
// repeated as often as a number says that follows, or, for no bits, as two numbers say.
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
	panic("plan: this release of Go describes variables in another way")
}

func address(p *byte) uintptr { return uintptr(unsafe.Pointer(p)) }

func (c *constants) slot(at uintptr) int { return int(uint64(at) * halves >> c.shift) }

// name is the name of the memory at p; 0: it is no constant.
func (c *constants) name(p unsafe.Pointer) uint64 {
	at := uintptr(p)
	if off := at - c.low; off < c.size {
		return uint64(off)<<1 + 2
	}
	i := c.slot(at)
	for c.roots[i].at != at {
		if c.roots[i].at == 0 {
			return 0
		}
		i = (i + 1) & (len(c.roots) - 1)
	}
	return c.rooted(&c.roots[i])
}

// rooted is name of what a variable pointed to: it may point elsewhere by now.
//
//go:norace
func (c *constants) rooted(r *root) uint64 {
	off := r.from - c.low
	if *(*uintptr)(unsafe.Add(unsafe.Pointer(&variables), off)) != r.at {
		return 0
	}
	return uint64(off)<<1 + 3
}
