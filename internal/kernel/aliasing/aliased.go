package aliasing

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/macemc/macemc/sim"
)

// Common finds memory that two services both refer to, and names the fields that lead to it.
func Common(a, b sim.Service) (inA, inB string, ok bool) {
	met := map[uintptr]string{}
	Walk(reflect.ValueOf(a), "", func(at uintptr, path string) bool {
		if _, again := met[at]; again {
			return false
		}
		met[at] = path
		return true
	})
	seen := map[uintptr]bool{}
	Walk(reflect.ValueOf(b), "", func(at uintptr, path string) bool {
		if in, shared := met[at]; shared && !ok {
			inA, inB, ok = in, path, true
		}
		again := seen[at]
		seen[at] = true
		return !ok && !again
	})
	return inA, inB, ok
}

// Walk calls visit with each address that v refers to and the path of the field that does. It continues behind the
// address if visit returns true. It skips zero-size values, whose addresses identify nothing.
func Walk(v reflect.Value, path string, visit func(at uintptr, path string) bool) {
	dot := func(name string) string {
		if path == "" {
			return name
		}
		return path + "." + name
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() && v.Type().Elem().Size() > 0 && visit(v.Pointer(), path) {
			Walk(v.Elem(), path, visit)
		}
	case reflect.Interface:
		if !v.IsNil() {
			Walk(v.Elem(), path, visit)
		}
	case reflect.Map:
		if v.IsNil() || !visit(v.Pointer(), path) {
			return
		}
		for entries := v.MapRange(); entries.Next(); {
			Walk(entries.Key(), fmt.Sprintf("a key of %s", path), visit)
			Walk(entries.Value(), path+"[...]", visit)
		}
	case reflect.Slice:
		if v.Cap() == 0 || v.Type().Elem().Size() == 0 || !visit(v.Pointer(), path) {
			return
		}
		fallthrough
	case reflect.Array:
		for i := range v.Len() {
			Walk(v.Index(i), fmt.Sprintf("%s[%d]", path, i), visit)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			Walk(v.Field(i), dot(v.Type().Field(i).Name), visit)
		}
	}
}

// PathTo returns the path of a field of v that refers to an address. An empty string means that none was found.
func PathTo(v any, address unsafe.Pointer) (field string) {
	seen := map[uintptr]bool{}
	Walk(reflect.ValueOf(v), "", func(at uintptr, path string) bool {
		if field == "" && at == uintptr(address) {
			field = path
		}
		again := seen[at]
		seen[at] = true
		return field == "" && !again
	})
	return field
}
