package encoding

import (
	"reflect"
	"unsafe"

	"github.com/macemc/macemc/internal/encoding/memory"
)

// libraryError reports whether t is a pointer to an error of the packages errors and fmt. These are never changed and
// are compared by identity.
func libraryError(t reflect.Type) bool {
	home := t.Elem().PkgPath()
	return (home == "errors" || home == "fmt") && t.Implements(errorType)
}

// immutable reports whether nothing reachable from the error at p can be changed. A copy then refers to the error itself.
// n is the type of a pointer to the error.
func (c *copier) immutable(n *node, p unsafe.Pointer) bool {
	for _, f := range n.elem.fields {
		at := unsafe.Add(p, f.off)
		switch f.n.kind {
		case reflect.Interface:
			if !c.immutableIn(f.n, at) {
				return false
			}
		case reflect.Slice:
			s := (*memory.Slice)(at)
			for i := range uintptr(s.Len) {
				if !c.immutableIn(f.n.elem, unsafe.Add(s.Data, i*f.n.elem.size)) {
					return false
				}
			}
		default:
			if !f.n.flat() {
				return false
			}
		}
	}
	return true
}

// immutableIn is immutable for the value in the interface at p.
func (c *copier) immutableIn(n *node, p unsafe.Pointer) bool {
	if n.kind != reflect.Interface {
		return n.flat()
	}
	v := load(n, p)
	if v == nil {
		return true
	}
	pl := c.planOf(v)
	if pl.root == nil || pl.root.flat() {
		return true
	}
	if pl.root.kind != reflect.Pointer {
		return false
	}
	at := (*memory.Interface)(unsafe.Pointer(&v)).Data
	return c.set.consts.Has(at) || pl.root.immutable && c.immutable(pl.root, at)
}

// keep makes a copy refer to the original at p, a package variable or memory reachable from one, and to everything
// reachable from there.
func (c *copier) keep(n *node, p unsafe.Pointer) {
	if c.track && n.size > 0 && c.kept(p, n, 1, isVariable) {
		c.keepParts(n, p)
	}
}

// kept records that memory is its own copy, and reports whether that is new.
func (c *copier) kept(at unsafe.Pointer, of *node, length, capacity int) bool {
	o, _ := c.seen.meet(at, of, length, capacity)
	if o.kept {
		return false
	}
	c.late = c.late || o.done
	o.copied, o.done, o.kept = at, true, true
	return true
}

func (c *copier) keepParts(n *node, p unsafe.Pointer) {
	for i := range n.fixes {
		l := &n.fixes[i]
		at := unsafe.Add(p, l.off)
		switch l.op {
		case opPointer:
			if to := *(*unsafe.Pointer)(at); to != nil {
				c.keep(l.of.elem, to)
			}
		case opSlice:
			c.keepSlice(l.of, *(*memory.Slice)(at))
		case opMap:
			if m := *(*unsafe.Pointer)(at); m != nil && c.kept(m, l.of.common, 0, isMap) {
				base := len(c.entries.entries)
				c.entries.list(l.of, m)
				for j := base; j < len(c.entries.entries); j++ {
					c.keepParts(l.of.elem, c.entries.entries[j].elem)
				}
				c.entries.pop(base, 0)
			}
		case opInterface:
			if v := load(l.of, at); v != nil {
				var word unsafe.Pointer
				pl := c.planOf(v)
				if pl.root != nil {
					c.keepParts(pl.root, pl.open(v, &word))
				}
			}
		case opArray:
			for j := range uintptr(l.of.count) {
				c.keepParts(l.of.elem, unsafe.Add(at, j*l.of.elem.size))
			}
		}
	}
}

func (c *copier) keepSlice(n *node, s memory.Slice) {
	if !c.track || s.Cap == 0 || n.elem.size == 0 || !c.kept(s.Data, n.elem, s.Len, s.Cap) {
		return
	}
	for i := range uintptr(c.set.countedLen(s)) {
		c.keepParts(n.elem, unsafe.Add(s.Data, i*n.elem.size))
	}
}

// countedLen returns the number of elements of a slice that count.
func (s *Set) countedLen(h memory.Slice) int {
	if s.rules.Loose {
		return h.Len
	}
	return h.Cap
}
