//go:build macemc_overlay

package bubble

import (
	"reflect"
	"runtime"
	"slices"
	"testing"
)

type initialCollection struct{}

// The collector begins while this package is initialized, and starts its workers.
var _ = func() int {
	runtime.GC()
	return 0
}()

// Whether processes initialize packages again does not depend on the collector.
func TestInitialization_Collector(t *testing.T) {
	pkg := reflect.TypeFor[initialCollection]().PkgPath()
	if all := initially(); slices.Contains(all, "* "+pkg) {
		t.Errorf("package %s has started goroutines: %q", pkg, all)
	}
}
