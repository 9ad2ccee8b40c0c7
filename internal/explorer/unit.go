package explorer

import (
	"strings"

	"github.com/macemc/macemc/internal/testsched"
)

// owns reports whether a schedule of a test with the unit's name belongs to the unit. Schedules of package p_test may lack External if
// package p has no test of the name.
func owns(u, f testsched.Unit) bool { return !u.Shared || f.External == u.External }

// of reports whether a stored schedule is one of the unit, or of a subtest.
func of(u, f testsched.Unit) bool {
	return f.Package == u.Package && owns(u, f) && (f.Test == u.Test || strings.HasPrefix(f.Test, u.Test+"/"))
}

// executes reports whether a runner of the unit executes a stored schedule. It restricts the runner to the subtest of the schedule.
func executes(u, f testsched.Unit, runner testsched.Runner) bool {
	if !of(u, f) {
		return false
	}
	if f.Test != u.Test {
		runner.Select(f.Test, nil, true)
	}
	return true
}
