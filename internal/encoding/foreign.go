package encoding

import (
	"reflect"
	"runtime/debug"
	"strings"
	"sync"
)

// checker is the module of this package. Some of its types hold services of users, so nothing is foreign to its
// types.
var checker = strings.TrimSuffix(reflect.TypeFor[Plan]().PkgPath(), "/internal/encoding")

// modules returns the paths of the modules that the program was built from, if known.
var modules = sync.OnceValue(func() []string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return nil
	}
	list := []string{info.Main.Path}
	for _, m := range info.Deps {
		list = append(list, m.Path)
	}
	return list
})

// moduleOf returns the module of a package: the longest known one that contains it. Otherwise it returns the usual
// number of elements of the package's path.
func moduleOf(pkg string) string {
	pkg = strings.TrimSuffix(pkg, "_test")
	if known := modules(); pkg == "main" && len(known) > 0 {
		return known[0]
	}
	longest := ""
	for _, m := range modules() {
		if within(pkg, m) && len(m) > len(longest) {
			longest = m
		}
	}
	if longest != "" {
		return longest
	}
	elements := strings.Split(pkg, "/")
	return strings.Join(elements[:min(len(elements), 3)], "/")
}

func within(pkg, module string) bool {
	return module != "" && strings.HasPrefix(pkg, module) && (len(pkg) == len(module) || pkg[len(module)] == '/')
}

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
	if home := moduleOf(t.PkgPath()); home != checker {
		return home
	}
	return ""
}

// foreign reports whether a type belongs to another module than the whole value.
func (r *renderer) foreign(t reflect.Type) bool {
	pkg := strings.TrimSuffix(t.PkgPath(), "_test")
	return r.home != "" && pkg != "" && !within(pkg, r.home)
}
