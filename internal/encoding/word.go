package encoding

import (
	"reflect"
	"unsafe"
)

// ifaceHeader is how an interface without methods lies in memory.
type ifaceHeader struct{ word, data unsafe.Pointer }

// methodful stands for any interface with methods: converting one to any reads only its dynamic
// type, whatever the methods are.
type methodful interface{ method() }

// sliceHeader is how a slice lies in memory.
type sliceHeader struct {
	data     unsafe.Pointer
	len, cap int
}

// typeWord returns the first word of v, which identifies its dynamic type within the process.
func typeWord(v any) unsafe.Pointer { return (*ifaceHeader)(unsafe.Pointer(&v)).word }

// assemble makes an interface of its two words.
func assemble(word, data unsafe.Pointer) any {
	e := ifaceHeader{word, data}
	return *(*any)(unsafe.Pointer(&e))
}

// wordOf returns the type word of t and whether a value of type t is the data word of an interface
// itself. Otherwise that word points to the value.
func wordOf(t reflect.Type) (word unsafe.Pointer, direct bool) {
	if t.Kind() == reflect.Interface {
		return nil, false
	}
	v := reflect.Zero(t).Interface()
	e := (*ifaceHeader)(unsafe.Pointer(&v))
	return e.word, e.data == nil // a box is never at nil, not even an empty one
}

// in returns the value of n's type at p as an interface, without copying it.
func (n *node) in(p unsafe.Pointer) any {
	if n.kind == reflect.Interface {
		return load(n, p)
	}
	if n.direct {
		p = *(*unsafe.Pointer)(p)
	}
	return assemble(n.word, p)
}

// value is in for use with package reflect.
func (n *node) value(p unsafe.Pointer) reflect.Value {
	if n.kind == reflect.Interface {
		return reflect.NewAt(n.typ, p).Elem()
	}
	return reflect.ValueOf(n.in(p))
}

// load reads the interface of type n at p.
func load(n *node, p unsafe.Pointer) any {
	if n.methods {
		return any(*(*methodful)(p))
	}
	return *(*any)(p)
}

// mapLen is the length of the map, of any type, that p points to.
func mapLen(p unsafe.Pointer) int { return len(*(*map[byte]byte)(p)) }
