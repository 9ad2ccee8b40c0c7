package memory

import (
	"reflect"
	"unsafe"
)

// Interface is the memory layout of an interface without methods.
type Interface struct{ Word, Data unsafe.Pointer }

// Slice is the memory layout of a slice.
type Slice struct {
	Data     unsafe.Pointer
	Len, Cap int
}

// TypeWord returns the first word of v, which identifies its dynamic type within the process.
func TypeWord(v any) unsafe.Pointer { return (*Interface)(unsafe.Pointer(&v)).Word }

// Assemble makes an interface from its two words.
func Assemble(word, data unsafe.Pointer) any {
	e := Interface{word, data}
	return *(*any)(unsafe.Pointer(&e))
}

// WordOf returns the type word of t. direct means that a value of type t is itself the data word of an interface.
// Otherwise that word points to the value.
func WordOf(t reflect.Type) (word unsafe.Pointer, direct bool) {
	if t.Kind() == reflect.Interface {
		return nil, false
	}
	v := reflect.Zero(t).Interface()
	e := (*Interface)(unsafe.Pointer(&v))
	return e.Word, e.Data == nil // a box never has address nil, not even an empty one
}

// MapLen returns the length of the map, of any type, that p points to.
func MapLen(p unsafe.Pointer) int { return len(*(*map[byte]byte)(p)) }
