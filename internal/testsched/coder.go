package testsched

import (
	"encoding/binary"
	"errors"
	"reflect"
	"unsafe"
)

// coder encodes messages, or decodes them. A text that occurs again has its number in place of it.
type coder struct {
	bytes   []byte // to decode: those that are left
	decodes bool
	failed  bool
	numbers map[string]uint64 // of the texts that were encoded
	texts   []string          // that were decoded
}

// ErrDamaged means that something else than a message was received.
var ErrDamaged = errors.New("a damaged message")

const (
	maxTexts    = 1 << 16 // number of texts after which their numbers start anew
	maxNumbered = 1 << 10 // maximum length of a text that has a number
)

// code encodes or decodes the value at an address.
type code func(c *coder, at unsafe.Pointer)

// codes are those of messages and outcomes, by the types of pointers to them.
var codes = map[reflect.Type]code{
	reflect.TypeFor[*Call](): codeOf(reflect.TypeFor[Call]()), reflect.TypeFor[*Request](): codeOf(reflect.TypeFor[Request]()),
	reflect.TypeFor[*Response](): codeOf(reflect.TypeFor[Response]()), reflect.TypeFor[*Outcome](): codeOf(reflect.TypeFor[Outcome]()),
}

// message codes a message or an outcome.
func (c *coder) message(m any) {
	codes[reflect.TypeOf(m)](c, reflect.ValueOf(m).UnsafePointer())
}

// codeOf returns the code of a type. It omits fields that are not exported, or that have the tag `code:"-"`.
func codeOf(t reflect.Type) code {
	switch t.Kind() {
	case reflect.Struct:
		return codeOfStruct(t)
	case reflect.Slice:
		return codeOfSlice(t)
	case reflect.Array:
		elem, size := codeOf(t.Elem()), t.Elem().Size()
		return func(c *coder, at unsafe.Pointer) {
			for i := range uintptr(t.Len()) {
				elem(c, unsafe.Add(at, i*size))
			}
		}
	case reflect.Pointer:
		elem := codeOf(t.Elem())
		return func(c *coder, at unsafe.Pointer) {
			p := (*unsafe.Pointer)(at)
			set := *p != nil
			if boolean(c, unsafe.Pointer(&set)); !set {
				return
			}
			if c.decodes {
				*p = reflect.New(t.Elem()).UnsafePointer()
			}
			elem(c, *p)
		}
	case reflect.String:
		return func(c *coder, at unsafe.Pointer) { c.text((*string)(at)) }
	case reflect.Bool:
		return boolean
	case reflect.Int, reflect.Int64:
		return integer[int64]
	case reflect.Uint64, reflect.Uintptr:
		return integer[uint64]
	case reflect.Uint32:
		return integer[uint32]
	case reflect.Uint8:
		return integer[uint8]
	}
	panic("a message has a " + t.String())
}

func codeOfStruct(t reflect.Type) code {
	type field struct {
		offset uintptr
		code   code
	}
	var fields []field
	for f := range t.Fields() {
		if f.IsExported() && f.Tag.Get("code") != "-" {
			fields = append(fields, field{f.Offset, codeOf(f.Type)})
		}
	}
	return func(c *coder, at unsafe.Pointer) {
		for i := range fields {
			fields[i].code(c, unsafe.Add(at, fields[i].offset))
		}
	}
}

// codeOfSlice returns the code of a slice type. An empty slice becomes nil.
func codeOfSlice(t reflect.Type) code {
	elem, size := codeOf(t.Elem()), t.Elem().Size()
	return func(c *coder, at unsafe.Pointer) {
		list := (*[]byte)(at) // its length is that of the slice
		n := c.size(len(*list))
		if c.decodes && n > 0 {
			reflect.NewAt(t, at).Elem().Set(reflect.MakeSlice(t, n, n))
		}
		from := unsafe.Pointer(unsafe.SliceData(*list))
		for i := range uintptr(n) {
			elem(c, unsafe.Add(from, i*size))
		}
	}
}

func (c *coder) number(v *uint64) {
	if !c.decodes {
		c.bytes = binary.AppendUvarint(c.bytes, *v)
		return
	}
	value, n := binary.Uvarint(c.bytes)
	if n <= 0 {
		c.failed, c.bytes, *v = true, nil, 0
		return
	}
	*v, c.bytes = value, c.bytes[n:]
}

// size codes the number of elements of a slice, or of bytes of a text. Each takes at least a byte.
func (c *coder) size(n int) int {
	v := uint64(n)
	if c.number(&v); c.decodes && v > uint64(len(c.bytes)) {
		c.failed, c.bytes, v = true, nil, 0
	}
	return int(v)
}

func integer[T int64 | uint64 | uint32 | uint8](c *coder, at unsafe.Pointer) {
	v := (*T)(at)
	u := uint64(*v)<<1 ^ uint64(int64(*v)>>63)
	if c.number(&u); c.decodes {
		*v = T(u>>1 ^ -(u & 1))
	}
}

func boolean(c *coder, at unsafe.Pointer) {
	v, n := (*bool)(at), uint64(0)
	if *v {
		n = 1
	}
	if c.number(&n); c.decodes {
		*v = n != 0
	}
}

// text codes a text. Number 0 means that it follows.
func (c *coder) text(v *string) {
	number := c.numbers[*v]
	if c.number(&number); number > 0 {
		if number > uint64(len(c.texts)) && c.decodes {
			c.failed = true
		} else if c.decodes {
			*v = c.texts[number-1]
		}
		return
	}
	n := c.size(len(*v))
	if c.decodes {
		*v, c.bytes = string(c.bytes[:n]), c.bytes[n:]
	} else {
		c.bytes = append(c.bytes, *v...)
	}
	switch {
	case n > maxNumbered:
	case c.decodes:
		if len(c.texts) == maxTexts {
			c.texts = c.texts[:0]
		}
		c.texts = append(c.texts, *v)
	default:
		if len(c.numbers) == maxTexts || c.numbers == nil {
			c.numbers = map[string]uint64{}
		}
		c.numbers[*v] = uint64(len(c.numbers)) + 1
	}
}
