// Package memory reads how values lie in the memory of Go programs, and finds memory whose identity outlives a run.
package memory

import (
	"reflect"
	"unsafe"
)

// Interface is how an interface without methods lies in memory.
type Interface struct{ Word, Data unsafe.Pointer }

// Slice is how a slice lies in memory.
type Slice struct {
	Data     unsafe.Pointer
	Len, Cap int
}

// TypeWord returns the first word of v, which identifies its dynamic type within the process.
func TypeWord(v any) unsafe.Pointer { return (*Interface)(unsafe.Pointer(&v)).Word }

// Assemble makes an interface of its two words.
func Assemble(word, data unsafe.Pointer) any {
	e := Interface{word, data}
	return *(*any)(unsafe.Pointer(&e))
}

// WordOf returns the type word of t and whether a value of type t is the data word of an interface
// itself. Otherwise that word points to the value.
func WordOf(t reflect.Type) (word unsafe.Pointer, direct bool) {
	if t.Kind() == reflect.Interface {
		return nil, false
	}
	v := reflect.Zero(t).Interface()
	e := (*Interface)(unsafe.Pointer(&v))
	return e.Word, e.Data == nil // a box is never at nil, not even an empty one
}

// MapLen is the length of the map, of any type, that p points to.
func MapLen(p unsafe.Pointer) int { return len(*(*map[byte]byte)(p)) }
