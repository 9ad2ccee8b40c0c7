package encoding

import (
	"reflect"
	"strings"

	"github.com/macemc/macemc/internal/encoding/typeinfo"
)

// checker is the module of this package. Some of its types hold services of users, so nothing is foreign to its
// types.
var checker = strings.TrimSuffix(reflect.TypeFor[Plan]().PkgPath(), "/internal/encoding")

// homeOf returns the module of a value's type, or of the type it points to.
func homeOf(n *node) string {
	if n == nil {
		return ""
	}
	t := n.typ
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.PkgPath() == "" {
		return ""
	}
	if home := typeinfo.Module(t.PkgPath()); home != checker {
		return home
	}
	return ""
}

// foreign reports whether a type belongs to another module than the whole value.
func (r *renderer) foreign(t reflect.Type) bool {
	pkg := strings.TrimSuffix(t.PkgPath(), "_test")
	return r.home != "" && pkg != "" && !typeinfo.Within(pkg, r.home)
}
