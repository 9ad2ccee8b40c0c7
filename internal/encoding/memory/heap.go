package memory

import (
	"reflect"
	"slices"
	"sync"
	"unsafe"
)

// The runtime finds the heap object at an address. Data of the garbage collector marks the words of the object that
// are pointers. The layout of this data is not guaranteed, so readableHeap checks it.

//go:linkname findObject runtime.findObject
func findObject(p, from, at uintptr) (base uintptr, s *heapSpan, index uintptr)

// heapSpan is the beginning of runtime.mspan: pages with objects of one size. Its fields repeat the layout of the
// runtime.
type heapSpan struct {
	_            [3]uintptr
	start, pages uintptr
	_            uintptr
	_            [3]uint16
	_            uint64
	_            [3]uintptr
	_            [2]uint32
	_            uint16
	class        uint8 // twice the size class, plus one if objects hold no pointers
	_            [2]uint8
	_            bool
	_            uint16
	size         uintptr
	_            [5]uintptr
	large        unsafe.Pointer // type word of the only object, of class 0
}

func (s *heapSpan) bare() bool { return s.class&1 == 1 }

const (
	wordSize  = unsafe.Sizeof(uintptr(0))
	pageSize  = 8192
	headless  = wordSize * wordSize * 8 // larger objects begin with their type word
	ownMarks  = 128                     // data of the garbage collector behind the bits of objects of two words or more
	markedMin = 16
)

// heapObject is an object on the heap; base 0 means none.
type heapObject struct {
	base uintptr
	*heapSpan
}

// objectAt returns the object that contains p.
func objectAt(p unsafe.Pointer) heapObject {
	base, s, _ := findObject(uintptr(p), 0, 0)
	return heapObject{base, s}
}

// pointers calls visit with each pointer word of the object at p, and its offset.
func (o heapObject) pointers(p unsafe.Pointer, visit func(at unsafe.Pointer, off uintptr)) {
	begin := unsafe.Add(p, -int(uintptr(p)-o.base))
	switch {
	case o.bare():
	case o.size <= headless:
		o.byBits(begin, visit)
	case o.class>>1 != 0:
		o.byType(*(*unsafe.Pointer)(begin), begin, wordSize, visit)
	case o.large != nil:
		o.byType(o.large, begin, 0, visit)
	}
}

// byBits reads the bits at the end of the span, one for each word.
//
//go:nocheckptr
func (o heapObject) byBits(begin unsafe.Pointer, visit func(at unsafe.Pointer, off uintptr)) {
	words := o.pages * pageSize / wordSize
	bits := o.start + o.pages*pageSize - words/8
	if o.size >= markedMin {
		bits -= ownMarks
	}
	first := (o.base - o.start) / wordSize
	for i := range o.size / wordSize {
		bit := first + i
		if *(*byte)(unsafe.Add(begin, int(bits+bit/8)-int(o.base)))>>(bit%8)&1 == 1 {
			visit(unsafe.Add(begin, i*wordSize), i*wordSize)
		}
	}
}

// byType reads an object that is an array of a type.
func (o heapObject) byType(word, begin unsafe.Pointer, from uintptr, visit func(at unsafe.Pointer, off uintptr)) {
	t := reflect.TypeOf(Assemble(word, begin))
	if word == pinWord || t.Size() == 0 {
		return
	}
	if from+2*t.Size() > o.size {
		pointersIn(t, begin, from, visit)
		return
	}
	var offs []uintptr // reflection is slow, and the elements are alike
	pointersIn(t, begin, 0, func(_ unsafe.Pointer, off uintptr) { offs = append(offs, off) })
	for ; from+t.Size() <= o.size; from += t.Size() {
		for _, off := range offs {
			visit(unsafe.Add(begin, from+off), from+off)
		}
	}
}

// pointersIn calls visit with each pointer word of a value of type t at offset off from begin.
func pointersIn(t reflect.Type, begin unsafe.Pointer, off uintptr, visit func(at unsafe.Pointer, off uintptr)) {
	switch t.Kind() {
	case reflect.Array:
		if Bare(t.Elem()) {
			return
		}
		for i := range uintptr(t.Len()) {
			pointersIn(t.Elem(), begin, off+i*t.Elem().Size(), visit)
		}
	case reflect.Struct:
		for i := range t.NumField() {
			pointersIn(t.Field(i).Type, begin, off+t.Field(i).Offset, visit)
		}
	case reflect.Interface: // both words: a type may be on the heap
		visit(unsafe.Add(begin, off), off)
		visit(unsafe.Add(begin, off+wordSize), off+wordSize)
	case reflect.Pointer, reflect.UnsafePointer, reflect.Func, reflect.Chan, reflect.Map, reflect.Slice, reflect.String:
		visit(unsafe.Add(begin, off), off)
	}
}

// readableHeap reports whether the heap has the expected layout, by some known objects.
var readableHeap = sync.OnceValue(func() bool {
	type small struct {
		_ int
		p *int
		_ [3]int
		q *int
	}
	type large struct {
		_ [100]int
		p *int
	}
	type huge struct {
		_ [1 << 13]int
		s []int
	}
	for _, c := range []struct {
		t    reflect.Type
		want []uintptr // pointers
	}{
		{reflect.TypeFor[*int](), []uintptr{0}},
		{reflect.TypeFor[small](), []uintptr{unsafe.Offsetof(small{}.p), unsafe.Offsetof(small{}.q)}},
		{reflect.TypeFor[[4]*int](), []uintptr{0, wordSize, 2 * wordSize, 3 * wordSize}},
		{reflect.TypeFor[[5]int](), nil},
		{reflect.TypeFor[large](), []uintptr{unsafe.Offsetof(large{}.p)}},
		{reflect.TypeFor[huge](), []uintptr{unsafe.Offsetof(huge{}.s)}},
	} {
		for range 3 { // at different places in a span
			if !readable(reflect.New(c.t).UnsafePointer(), c.t.Size(), c.want) {
				return false
			}
		}
	}
	return true
})

// readable reports whether a pointer to its last byte finds the object of some size at p, with exactly these
// pointers.
func readable(p unsafe.Pointer, size uintptr, want []uintptr) bool {
	o := objectAt(unsafe.Add(p, size-1))
	head := uintptr(p) - o.base
	if o.base == 0 || head > wordSize || o.size < head+size || o.size > 2*size+pageSize || o.pages == 0 || (o.base-o.start)%o.size != 0 {
		return false
	}
	var got []uintptr
	o.pointers(p, func(_ unsafe.Pointer, off uintptr) { got = append(got, off-head) })
	return slices.Equal(got, want)
}

// Bare reports whether values of type t hold no pointer of any sort.
func Bare(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return t.Len() == 0 || Bare(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if !Bare(t.Field(i).Type) {
				return false
			}
		}
		return true
	}
	return t.Kind() <= reflect.Complex128
}
