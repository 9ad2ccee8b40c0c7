package coverage

import (
	"fmt"
	"math"
	"reflect"
	"sync"
)

// tags holds the index of the tag of each message type; -1 if it has none.
var tags sync.Map // by reflect.Type

// tagOf returns the kind of a message whose Go type serves several kinds. It is the first exported field of a struct, or
// of a pointer to one, that has an integer type with names (a String method), or is a pointer to such an integer, as
// in generated code of protocol buffers. A message without such a field has the tag 0, as have those of numbers that
// are no small ones.
func tagOf(message any) uint8 {
	n := uint64(0)
	switch v := tagField(message); {
	case !v.IsValid():
	case v.CanInt():
		n = uint64(v.Int())
	default:
		n = v.Uint()
	}
	if n > math.MaxUint8 {
		return 0
	}
	return uint8(n)
}

// tagText returns the name of the tag of a message; "" if it has none.
func tagText(message any) string {
	if v := tagField(message); v.IsValid() {
		return fmt.Sprint(v.Interface())
	}
	return ""
}

// tagField returns the field of the tag, or an invalid value if there is none.
func tagField(message any) (v reflect.Value) {
	if message == nil {
		return v
	}
	v = reflect.ValueOf(message)
	t := v.Type()
	field, ok := tags.Load(t)
	if !ok {
		field = findTag(t)
		tags.Store(t, field)
	}
	if field.(int) < 0 {
		return reflect.Value{}
	}
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	if v.IsValid() {
		v = v.Field(field.(int))
	}
	if v.IsValid() && v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	return v
}

// findTag returns the index of the tag of a type, or -1.
func findTag(t reflect.Type) int {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return -1
	}
	for i := range t.NumField() {
		f := t.Field(i)
		of := f.Type
		if of.Kind() == reflect.Pointer {
			of = of.Elem()
		}
		integer := of.Kind() >= reflect.Int && of.Kind() <= reflect.Uintptr
		if f.IsExported() && integer && of.Implements(reflect.TypeFor[fmt.Stringer]()) {
			return i
		}
	}
	return -1
}
