package explorer

import (
	"time"

	"github.com/macemc/macemc/internal/agents"
	"github.com/macemc/macemc/internal/testsched"
)

// plainlyPasses reports whether a test that fails in its first run fails in all schedules, but passes each time as go test executes it.
// Then no schedule is the cause, but something that runs have in another way: how long computing takes, times of files that system calls
// tell, or other facts of the system.
func plainlyPasses(s *Settings, c *Config, r *Result, runner testsched.Runner) bool {
	f := r.Finding
	shows := func(o *testsched.Outcome) bool {
		return o.SameFinding(f) && (o.Kind == testsched.Failed || o.InTest) // go test may have ended before another goroutine panics or exits
	}
	if !shows(f) || f != r.First || r.FromFile || f.HasRace() {
		return false
	}
	const schedules, executions = 20, 3
	for n := 1; n <= schedules; n++ {
		sch := c.draw(n, r.First.Points)
		bound(r, sch)
		if !shows(runner.Run(sch, false)) {
			return false
		}
	}
	for range executions {
		if o := s.fresh(c, execution{plain: true}); o == nil || o.Kind != testsched.Passed {
			return false
		}
	}
	return true
}

// executePlainly executes a test in a new process as go test does, at most so long. It returns nil if the test does not pass.
func executePlainly(s *Settings, c *Config, limit time.Duration) *testsched.Outcome {
	env := append(passing(s), testsched.VariableStage+"="+testsched.StagePlain)
	x, err := s.binary.Open(arguments(s, c, processTime, "-test.paniconexit0"), env, agents.Streams{})
	if err != nil {
		return nil
	}
	defer time.AfterFunc(limit, func() { x.Process().Kill() }).Stop()
	x.Serve(func(*testsched.Call) testsched.Verdict { return testsched.Verdict{Unexplored: true} })
	if !x.Wait().Success() {
		return nil
	}
	return &testsched.Outcome{Kind: testsched.Passed}
}
