package encoding

import (
	"reflect"
	"unsafe"

	"github.com/macemc/macemc/internal/encoding/diff"
	"github.com/macemc/macemc/internal/encoding/memory"
)

// Changes returns the differences of the Fields of a and b under prefix, both values of p's type, see [diff.Between].
// It skips equal first elements of long slices of plain values, so the common part of a growing log is compared but
// not listed.
func (p *Plan) Changes(prefix string, a, b any) []diff.Change {
	c := &common{was: map[string]elements{}, same: map[string]int{}}
	list := func(v any, how func(string, *node, *memory.Slice) int) []diff.Field {
		r := newRenderer(p)
		r.passOver = how
		return r.listAll(p, prefix, v)
	}
	list(a, c.note)
	after := list(b, c.compare)
	return diff.Between(list(a, c.again), after)
}

// common records the equal first elements of slices at equal paths in two values.
type common struct {
	was  map[string]elements // in the first value
	same map[string]int      // number of equal first elements
}

type elements struct {
	of *node
	memory.Slice
}

func (c *common) note(path string, elem *node, s *memory.Slice) int {
	c.was[path] = elements{elem, *s}
	return s.Len
}

func (c *common) compare(path string, elem *node, s *memory.Slice) (n int) {
	was := c.was[path]
	if was.of != elem {
		return 0
	}
	for most, block := min(was.Len, s.Len), 64; block > 0; block /= 8 {
		for n+block <= most && sameMemory(was.Data, s.Data, uintptr(n)*elem.size, uintptr(block)*elem.size) {
			n += block
		}
	}
	c.same[path] = n
	return n
}

func (c *common) again(path string, _ *node, _ *memory.Slice) int { return c.same[path] }

// sameMemory reports whether size bytes at an offset are the same. Plain values are equal if they are; values with
// other bytes may be equal, too.
func sameMemory(a, b unsafe.Pointer, off, size uintptr) bool {
	return string(unsafe.Slice((*byte)(unsafe.Add(a, off)), size)) == string(unsafe.Slice((*byte)(unsafe.Add(b, off)), size))
}

// plain reports whether values of the type consist of numbers and strings that are shown as they are.
func (n *node) plain() bool {
	if n.show != nil || n.opaque || n.how != structural {
		return false
	}
	switch n.kind {
	case reflect.Struct:
		for _, f := range n.fields {
			if !f.n.plain() {
				return false
			}
		}
		return true
	case reflect.Array:
		return n.elem.plain()
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Interface, reflect.Func, reflect.Chan, reflect.UnsafePointer:
		return false
	}
	return true
}
