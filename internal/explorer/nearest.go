package explorer

import (
	"os"

	"github.com/macemc/macemc/internal/explorer/minimize"
	"github.com/macemc/macemc/internal/testsched"
)

// NearestFile returns the file for the outcome of the nearest passing schedule. The file exists if there is a finding and such a schedule
// was found. file is the value of Passing.
func NearestFile(file string) string { return file + "-nearest" }

// nearest writes the outcome of the nearest passing schedule to NearestFile.
func (s *Settings) nearest(sch *testsched.Schedule, o *testsched.Outcome, runner testsched.Runner) {
	if o.Kind == testsched.Passed || o.Spins {
		return
	}
	if near := minimize.Nearest(sch, s.limits.latest, runner.Run); near != nil {
		os.WriteFile(NearestFile(s.Outcome), testsched.Encode(near), 0o600)
	}
}
