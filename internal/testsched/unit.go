package testsched

import (
	"path"
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
