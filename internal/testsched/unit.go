package testsched

import (
	"path"
	"strconv"
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

// owns reports whether a schedule of a test with this name belongs to the unit. Schedules of package p_test may lack External if package p
// has no test of the name.
func (u Unit) owns(f *Stored) bool { return !u.Shared || f.External == u.External }

// executes reports whether a runner of the unit executes a stored schedule. It restricts the runner to the subtest of the schedule.
func (u Unit) executes(f *Stored, runner Runner) bool {
	d, ok := runner.(Divisible)
	below := ok && strings.HasPrefix(f.Test, u.Test+"/")
	if f.Package != u.Package || !u.owns(f) || f.Test != u.Test && !below {
		return false
	}
	if below {
		d.Select(f.Test, nil, true)
	}
	return true
}

// variableExternal selects a test of package p, by "false", or of p_test, by "true", among tests of one name.
const variableExternal = "MACEMC_TEST_EXTERNAL"

// selected reports whether this process is to execute the unit.
func (u Unit) selected() bool {
	v := getenv(variableExternal)
	return !u.Shared || v == "" || v == strconv.FormatBool(u.External)
}
