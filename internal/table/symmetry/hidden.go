package symmetry

import (
	"fmt"
	"reflect"

	"github.com/macemc/macemc/sim"
)

// hides names a difference of two services of one type that is tagged as no part of the state, or cannot be
// compared. It returns "" if there is none. The behavior of a node may depend on it without notice.
func hides(a, b sim.Service) string {
	h := hidden{visited: map[[2]uintptr]bool{}}
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	if x.Type() != y.Type() {
		return fmt.Sprintf("their types: %T and %T", a, b)
	}
	h.look(x.Type().String(), x, y, false)
	return h.found
}

type hidden struct {
	visited map[[2]uintptr]bool
	found   string
}

// look compares hidden values. If all is true this value is hidden, too. The second value may be missing.
func (h *hidden) look(path string, a, b reflect.Value, all bool) {
	switch {
	case h.found != "" || !a.IsValid():
		return
	case !b.IsValid() || a.Type() != b.Type():
		b = reflect.Zero(a.Type())
	}
	switch a.Kind() {
	case reflect.Struct:
		for i := range a.NumField() {
			f := a.Type().Field(i)
			h.look(path+"."+f.Name, a.Field(i), b.Field(i), all || f.Tag.Get("macemc") != "")
		}
	case reflect.Pointer, reflect.Interface:
		if a.IsNil() || b.IsNil() {
			h.differ(path, all && a.IsNil() != b.IsNil())
			if b.IsNil() && !a.IsNil() && !all {
				h.inside(path, a.Elem(), reflect.Value{}, all, a)
			}
			return
		}
		if all && a.Elem().Type() != b.Elem().Type() {
			h.differ(path, true)
		}
		h.inside(path, a.Elem(), b.Elem(), all, a, b)
	case reflect.Slice, reflect.Array:
		h.differ(path, all && a.Len() != b.Len())
		for i := range a.Len() {
			other := reflect.Value{}
			if i < b.Len() {
				other = b.Index(i)
			}
			h.look(path+"[]", a.Index(i), other, all)
		}
	case reflect.Map:
		h.differ(path, all && a.Len() != b.Len())
		for it := a.MapRange(); it.Next(); {
			h.look(path+"[]", it.Value(), b.MapIndex(it.Key()), all)
		}
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
		h.differ(path, !a.IsNil())
	default:
		h.differ(path, all && !a.Equal(b))
	}
}

// inside looks behind pointers, once for each pair.
func (h *hidden) inside(path string, a, b reflect.Value, all bool, pointers ...reflect.Value) {
	var pair [2]uintptr
	for i, p := range pointers {
		if p.Kind() != reflect.Pointer {
			h.look(path, a, b, all)
			return
		}
		pair[i] = p.Pointer()
	}
	if pair[0] != pair[1] && !h.visited[pair] {
		h.visited[pair] = true
		h.look(path, a, b, all)
	}
}

func (h *hidden) differ(path string, is bool) {
	if is && h.found == "" {
		h.found = path
	}
}
