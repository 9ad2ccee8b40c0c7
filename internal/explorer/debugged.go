package explorer

import "github.com/macemc/macemc/internal/testsched"

// debuggable executes a schedule in a process that a debugger stops. repeats means that the run before had the outcome of the first one.
type debuggable interface {
	Debug(s *testsched.Schedule, traced, repeats bool) *testsched.Outcome
}

// repeat executes a schedule again and again, until the debugger ends the process. It passes the outcome of the first run on.
func repeat(s *Settings, sch *testsched.Schedule, runner testsched.Runner) {
	if sch.Warm {
		alone(s, sch, runner)
	}
	sch.States = s.Trace == "states"
	var first *testsched.Outcome
	for repeats := true; ; {
		o := runner.(debuggable).Debug(sch, first == nil, repeats)
		if first == nil {
			first = o
			s.write(o)
		}
		repeats = o.Kind == first.Kind && o.Hash == first.Hash
	}
}
