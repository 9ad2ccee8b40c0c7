package explorer

import (
	"github.com/macemc/macemc/internal/agents"
	"github.com/macemc/macemc/internal/testsched"
)

// repeat executes a schedule again and again, until the debugger ends the process. It passes the outcome of the first run on.
func repeat(s *Settings, sch *testsched.Schedule, runner testsched.Runner) {
	if sch.Warm {
		alone(s, sch, runner)
	}
	sch.States = s.Trace == "states"
	var first *testsched.Outcome
	for repeats := true; ; {
		o := runner.(*agents.Runner).Debug(sch, first == nil, repeats)
		if first == nil {
			first = o
			s.write(o)
		}
		repeats = o.Kind == first.Kind && o.Hash == first.Hash
	}
}
