package testsched

import (
	"path"
	"strconv"
)

// Unit identifies what is explored.
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

// owns reports whether a schedule of a test with this name belongs to the unit. Schedules of package p_test may lack External if package p
// has no test of the name.
func (u Unit) owns(f *Stored) bool { return !u.Shared || f.External == u.External }

// variableExternal selects a test of package p, by "false", or of p_test, by "true", among tests of one name.
const variableExternal = "MACEMC_TEST_EXTERNAL"

// selected reports whether this process is to execute the unit.
func (u Unit) selected() bool {
	v := getenv(variableExternal)
	return !u.Shared || v == "" || v == strconv.FormatBool(u.External)
}
