package encoding

import (
	"reflect"
	"slices"

	"github.com/macemc/macemc/internal/encoding/typeinfo"
)

// uncopied returns the first part reachable from n that makes values uncopyable.
func uncopied(n *node) *unsupportedType {
	seen := map[*node]bool{}
	var find func(n *node) *unsupportedType
	find = func(n *node) *unsupportedType {
		if seen[n] {
			return nil
		}
		seen[n] = true
		if n.uncopied != nil {
			r := *n.uncopied
			return &r
		}
		if n.copyAt != nil || n.copyBoxed != nil {
			return nil
		}
		for _, f := range n.fields {
			if why := find(f.n); why != nil {
				return why.under(n.typ, f.name)
			}
		}
		if n.elem != nil {
			if why := find(n.elem); why != nil {
				if n.kind == reflect.Pointer {
					return why
				}
				return why.inside("[]")
			}
		}
		return nil
	}
	return find(n)
}

// referent is a kind of memory that a value can refer to: a variable of some type, the array behind
// a slice of elements of the type, or a map.
type referent struct {
	of   *node
	kind reflect.Kind // Pointer, Slice or Map
}

// mayShare reports whether a value of n's type could refer to the same memory twice, or to overlapping memory. If
// not, encoding and copying need not record visited memory. Without unsafe code, two pieces of memory overlap only if
// one type, or one that pointers can be converted to, lies within the other.
func mayShare(n *node) bool {
	var met []referent // without duplicates
	visits := map[*node]int{}
	twice := false
	meet := func(m referent) {
		if slices.Contains(met, m) {
			twice = true
		} else {
			met = append(met, m)
		}
	}
	var walk func(n *node)
	walk = func(n *node) {
		if visits[n] == 2 {
			return
		}
		visits[n]++
		switch {
		case n.opaque:
			// Pointers that a function encodes are distinguished, too.
			if n.kind == reflect.Pointer {
				meet(referent{n, reflect.Pointer})
			}
			return
		case n.kind == reflect.Interface:
			twice = true // it may hold anything
		case n.how == byPosition:
			return
		case n.how == byInstant || n.how == byLocation:
			meet(referent{n.elem, reflect.Pointer})
			return
		case n.kind == reflect.Pointer || n.kind == reflect.Slice:
			if n.elem.size > 0 {
				meet(referent{n.elem, n.kind})
			}
		case n.kind == reflect.Map:
			meet(referent{n.common, n.kind})
		}
		for _, f := range n.fields {
			walk(f.n)
		}
		if n.key != nil {
			walk(n.key)
			walk(n.key)
		}
		if n.elem != nil {
			walk(n.elem)
			if n.kind != reflect.Pointer {
				walk(n.elem)
			}
		}
	}
	walk(n)
	if twice {
		return true
	}
	for i, a := range met {
		for _, b := range met[:i] {
			if a.kind != reflect.Map && b.kind != reflect.Map && (a.couldLieIn(b) || b.couldLieIn(a)) {
				return true
			}
		}
	}
	return false
}

// couldLieIn reports whether memory a can be part of memory b.
func (a referent) couldLieIn(b referent) bool {
	inner, outer := stripArrays(a.of.typ), stripArrays(b.of.typ)
	if same(inner, outer, a.kind == reflect.Slice && b.kind == reflect.Slice) {
		return true
	}
	return contains(inner, outer, a.kind == reflect.Slice)
}

// contains reports whether a value of type t contains, in its own memory, a variable of type inner. With array, only
// arrays of inner count.
func contains(inner, t reflect.Type, array bool) bool {
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i).Type
			if !array && typeinfo.Convertible(f, inner) || contains(inner, f, array) {
				return true
			}
		}
	case reflect.Array:
		base := stripArrays(t)
		return same(base, inner, array) || contains(inner, base, array)
	}
	return false
}

// same reports whether a variable of one type can be referred to as one of the other. With array, only references to
// an array of them as an array count, because elements of arrays cannot be converted.
func same(a, b reflect.Type, array bool) bool {
	if array {
		return typeinfo.Identical(a, b)
	}
	return typeinfo.Convertible(a, b)
}

func stripArrays(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Array {
		t = t.Elem()
	}
	return t
}
