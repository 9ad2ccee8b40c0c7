package explorer

import (
	"strings"

	"github.com/macemc/macemc/internal/testsched"
)

// owns reports whether a schedule of a test with the unit's name belongs to the unit. Schedules of package p_test may lack External if
// package p has no test of the name.
func owns(u testsched.Unit, f *Stored) bool { return !u.Shared || f.External == u.External }

// executes reports whether a runner of the unit executes a stored schedule. It restricts the runner to the subtest of the schedule.
func executes(u testsched.Unit, f *Stored, runner testsched.Runner) bool {
	d, ok := runner.(testsched.Divisible)
	below := ok && strings.HasPrefix(f.Test, u.Test+"/")
	if f.Package != u.Package || !owns(u, f) || f.Test != u.Test && !below {
		return false
	}
	if below {
		d.Select(f.Test, nil, true)
	}
	return true
}
