package program

import (
	"runtime/debug"
	"testing"
)

// Symbols belong to packages whose names may have dots. Instances of generic code belong to the package of the generic declaration.
func TestPackageOf(t *testing.T) {
	for symbol, want := range map[string]string{
		"example.org/p.x": "example.org/p", "gopkg.in/yaml%2ev3.x": "gopkg.in/yaml.v3", "mymod.x": "mymod",
		"example.org/p.x[go.shape.int,example.org/q.T]": "example.org/p", "example.org/p..inittask": "example.org/p",
		"example.org/x/y.(*T).F.func1": "example.org/x/y",
	} {
		if got := PackageOf(symbol); got != want {
			t.Errorf("%s: package %s, want %s", symbol, got, want)
		}
	}
}

// Variables of the modules of a build are restored, and those of the runtime never are.
func TestKindOf(t *testing.T) {
	info := &debug.BuildInfo{Main: debug.Module{Path: "mymod"}, Deps: []*debug.Module{{Path: "example.org/p"}, {Path: checker}, {Path: checker + "/glue"}}}
	for pkg, want := range map[string]VariableKind{
		"mymod": RestoreVariable, "mymod/sub": RestoreVariable, "mymod_test": RestoreVariable, "mymodule": WatchVariable, "example.org/p": RestoreVariable,
		checker + "/bubble": LeaveVariable, checker + "/glue/sub": RestoreVariable, "example.org/p_test": RestoreVariable, "example.com/only/in/tests": RestoreVariable, "type:.eq.x": LeaveVariable, "vendor/golang.org/x/net": LeaveVariable, "x.y/z": RestoreVariable, "net/http": RestoreVariable, "mime": WatchVariable, "runtime": LeaveVariable, "internal/poll": LeaveVariable, "go:itab": LeaveVariable,
	} {
		if got := kindOf(pkg, info); got != want {
			t.Errorf("%s: %d, want %d", pkg, got, want)
		}
	}
}

// Packages of the distribution are not those of a module whose path is the beginning of their paths.
func TestKindOf_Distribution(t *testing.T) {
	distribution = func(pkg string) bool { return pkg == "internal/poll" || pkg == "net/http" || pkg == "mime" }
	defer func() { distribution = nil }()
	info := &debug.BuildInfo{Main: debug.Module{Path: "internal"}}
	for pkg, want := range map[string]VariableKind{
		"internal/app": RestoreVariable, "internal/poll": LeaveVariable, "net/http": RestoreVariable, "mime": WatchVariable,
		"testutil": RestoreVariable, "go:main": LeaveVariable, "main": LeaveVariable,
	} {
		if got := kindOf(pkg, info); got != want {
			t.Errorf("%s: kind %d, want %d", pkg, got, want)
		}
	}
}

// Variables of the checker are not restored, even if build information lacks its module.
func TestKindOf_Checker(t *testing.T) {
	info := &debug.BuildInfo{Main: debug.Module{Path: checker + "/glue/services"}}
	for pkg, want := range map[string]VariableKind{
		checker + "/bubble":              LeaveVariable,
		checker + "/glue/services/redis": RestoreVariable,
		"example.com/library":            RestoreVariable,
		checker + "er/bubble":            RestoreVariable,
	} {
		if got := kindOf(pkg, info); got != want {
			t.Errorf("%s: kind %d, want %d", pkg, got, want)
		}
	}
}

func TestOfC(t *testing.T) {
	for symbol, want := range map[string]bool{
		"net/http.DefaultClient": false, "gopkg.in/yaml%2ev3.x": false, "errors.x": false, "environ": true,
		"_ZN6__tsan3ctxE": true, "_ZN11__sanitizerL5mutexE.1": true, "__tsan_x.0": true,
		"completed.0": true, "mymod.x": false, "mymod.x2": false, "runtime/race/internal/amd64v1(.bss._ZN6__tsan3ctxE)": true,
	} {
		if got := ofC(symbol); got != want {
			t.Errorf("%s: got %v, want %v", symbol, got, want)
		}
	}
}
