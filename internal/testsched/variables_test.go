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
