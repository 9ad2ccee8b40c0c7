package encoding

import "reflect"

// convertible reports whether a pointer to a can be converted to a pointer to b, so that one variable can have both
// types. It can if their underlying types are identical except for tags (see "Conversions" in the Go specification).
// For function and channel types, convertible returns true, and for interfaces if each implements the other.
func convertible(a, b reflect.Type) bool {
	if a == b {
		return true
	}
	if a.Kind() != b.Kind() {
		return false
	}
	switch a.Kind() {
	case reflect.Array:
		return a.Len() == b.Len() && identical(a.Elem(), b.Elem())
	case reflect.Pointer, reflect.Slice:
		return identical(a.Elem(), b.Elem())
	case reflect.Map:
		return identical(a.Key(), b.Key()) && identical(a.Elem(), b.Elem())
	case reflect.Struct:
		if a.NumField() != b.NumField() {
			return false
		}
		for i := range a.NumField() {
			f, g := a.Field(i), b.Field(i)
			if f.Name != g.Name || f.PkgPath != g.PkgPath || f.Anonymous != g.Anonymous || !identical(f.Type, g.Type) {
				return false
			}
		}
	case reflect.Interface:
		return a.Implements(b) && b.Implements(a)
	}
	return true
}

// identical reports whether types are identical except for tags. A named type is identical only to itself.
func identical(a, b reflect.Type) bool {
	return a == b || a.Name() == "" && b.Name() == "" && convertible(a, b)
}

// joinMaps sets n's twin: the map type that represents all types to which n's values can be converted.
func (c *compiler) joinMaps(n *node) *unsupportedType {
	n.twin = n
	for _, m := range c.set.maps {
		if convertible(m.typ, n.typ) {
			if !alike(m.key, n.key) || !alike(m.elem, n.elem) {
				return refuse(n.typ, "it could be one with a "+m.typ.String()+", whose parts are treated in another way")
			}
			n.twin = m.twin
			break
		}
	}
	c.set.maps = append(c.set.maps, n)
	return nil
}

// alike reports whether types that are identical except for tags are also treated alike.
func alike(a, b *node) bool {
	if a == b {
		return true
	}
	if a.how != b.how || a.opaque || b.opaque || a.copyAt != nil || b.copyAt != nil || a.copyBoxed != nil || b.copyBoxed != nil ||
		len(a.fields) != len(b.fields) || (a.elem == nil) != (b.elem == nil) || (a.key == nil) != (b.key == nil) {
		return false
	}
	for i, f := range a.fields {
		if g := b.fields[i]; f.off != g.off || !alike(f.n, g.n) {
			return false
		}
	}
	return (a.elem == nil || alike(a.elem, b.elem)) && (a.key == nil || alike(a.key, b.key))
}
