package typeinfo

import (
	"runtime/debug"
	"strings"
	"sync"
)

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

// Module returns the module of a package: the longest known one that contains it. Otherwise it returns the usual
// number of elements of the package's path.
func Module(pkg string) string {
	pkg = strings.TrimSuffix(pkg, "_test")
	if known := modules(); pkg == "main" && len(known) > 0 {
		return known[0]
	}
	longest := ""
	for _, m := range modules() {
		if Within(pkg, m) && len(m) > len(longest) {
			longest = m
		}
	}
	if longest != "" {
		return longest
	}
	elements := strings.Split(pkg, "/")
	return strings.Join(elements[:min(len(elements), 3)], "/")
}

// Within reports whether a package is in a module.
func Within(pkg, module string) bool {
	return module != "" && strings.HasPrefix(pkg, module) && (len(pkg) == len(module) || pkg[len(module)] == '/')
}
