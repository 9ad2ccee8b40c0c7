// The names of tests. Packages p and p_test may have tests of one name.

package testing

import (
	program "internal/types"
	"runtime"
	"strings"
	testsched "testing/internal"
	"unsafe"
)

// macemcPackage is the import path of the package under test. The seeds of fuzz tests lack it.
var macemcPackage string

// macemcShared has the names that packages p and p_test both use.
var macemcShared map[string]bool

// macemcSetNames sets macemcShared.
func macemcSetNames(tests []InternalTest, fuzz []InternalFuzzTarget, examples []InternalExample) {
	seen := map[string]bool{}
	macemcShared = map[string]bool{}
	add := func(name string) { macemcShared[name], seen[name] = seen[name], true }
	for _, t := range tests {
		add(t.Name)
	}
	for _, f := range fuzz {
		add(f.Name)
	}
	for _, e := range examples {
		add(e.Name)
	}
}

// macemcExample is the function of the running example.
var macemcExample func()

// macemcUnit identifies a test with a function, an example, or a seed of a fuzz test.
func macemcUnit(t *T, fn func(*T)) testsched.Unit {
	name, _, seed := strings.Cut(t.name, "/")
	function := ""
	switch {
	case macemcExample != nil:
		function = macemcFunction(unsafe.Pointer(&macemcExample))
	case seed: // the fuzz test has called F.Fuzz, which created the seed
		for _, f := range testsched.Frames(t.creator) {
			if pkg := program.PackageOf(f.Function); pkg != "testing" && pkg != "runtime" {
				function = f.Function
			}
		}
	default:
		function = macemcFunction(unsafe.Pointer(&fn))
	}
	return testsched.Unit{Package: macemcPackage, Test: t.name, External: macemcExternal(function), Shared: macemcShared[name]}
}

// macemcFunction returns the name of the function in a variable.
func macemcFunction(fn unsafe.Pointer) string { return runtime.FuncForPC(**(**uintptr)(fn)).Name() }

// macemcExternal reports whether a function belongs to package p_test.
func macemcExternal(function string) bool {
	last := func(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }
	pkg, _, _ := strings.Cut(last(function), ".")
	return strings.ReplaceAll(pkg, "%2e", ".") == last(macemcPackage)+"_test"
}

// macemcUserFolder returns the folder from which the user called the command. Tests do not see the variable of the environment.
//
//go:linkname macemcUserFolder github.com/macemc/macemc/mctest.userFolder
func macemcUserFolder() string { return testsched.UserFolder() }
