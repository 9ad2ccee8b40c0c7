package typeinfo

import "reflect"

// Convertible reports whether a pointer to a can be converted to a pointer to b, so that one variable can have both
// types. It can if their underlying types are identical except for tags (see "Conversions" in the Go specification).
// For function and channel types, Convertible returns true, and for interfaces if each implements the other.
func Convertible(a, b reflect.Type) bool {
	if a == b {
		return true
	}
	if a.Kind() != b.Kind() {
		return false
	}
	switch a.Kind() {
	case reflect.Array:
		return a.Len() == b.Len() && Identical(a.Elem(), b.Elem())
	case reflect.Pointer, reflect.Slice:
		return Identical(a.Elem(), b.Elem())
	case reflect.Map:
		return Identical(a.Key(), b.Key()) && Identical(a.Elem(), b.Elem())
	case reflect.Struct:
		if a.NumField() != b.NumField() {
			return false
		}
		for i := range a.NumField() {
			f, g := a.Field(i), b.Field(i)
			if f.Name != g.Name || f.PkgPath != g.PkgPath || f.Anonymous != g.Anonymous || !Identical(f.Type, g.Type) {
				return false
			}
		}
	case reflect.Interface:
		return a.Implements(b) && b.Implements(a)
	}
	return true
}

// Identical reports whether types are identical except for tags. A named type is identical only to itself.
func Identical(a, b reflect.Type) bool {
	return a == b || a.Name() == "" && b.Name() == "" && Convertible(a, b)
}
