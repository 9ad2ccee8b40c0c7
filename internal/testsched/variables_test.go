package testsched

import (
	"runtime/debug"
	"testing"
)

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
	} {
		if got := ofC(symbol); got != want {
			t.Errorf("%s: got %v, want %v", symbol, got, want)
		}
	}
}
