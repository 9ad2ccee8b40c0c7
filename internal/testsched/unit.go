package testsched

import (
	"path"
	"strings"
)

// Unit identifies a test or subtest to explore.
type Unit struct {
	Package  string // import path p of the package under test
	Test     string // test function, example, or seed of a fuzz test
	External bool   // it belongs to package p_test
	Shared   bool   // packages p and p_test both have a test of this name
}

// String returns the name of the test among those of its package.
func (u Unit) String() string {
	if u.Shared && u.External {
		return u.Test + " (" + path.Base(u.Package) + "_test)"
	}
	return u.Test
}

// Owns reports whether a schedule of a test with the unit's name belongs to the unit. Schedules of package p_test may lack External if
// package p has no test of the name.
func (u Unit) Owns(f Unit) bool { return !u.Shared || f.External == u.External }

// Contains reports whether a stored schedule is one of the unit, or of a subtest.
func (u Unit) Contains(f Unit) bool {
	return f.Package == u.Package && u.Owns(f) && (f.Test == u.Test || strings.HasPrefix(f.Test, u.Test+"/"))
}
