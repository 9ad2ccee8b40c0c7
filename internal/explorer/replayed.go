package explorer

import (
	"fmt"
	"os"

	"github.com/macemc/macemc/internal/agents"
	"github.com/macemc/macemc/internal/explorer/minimize"
	"github.com/macemc/macemc/internal/explorer/schedulefile"
	"github.com/macemc/macemc/internal/testsched"
	"github.com/macemc/macemc/internal/testsched/program"
)

// replayedAlone executes a schedule, and passes the outcome to the process that waits for it.
func replayedAlone(s *Settings, u *testsched.Unit, runner testsched.Runner) *Report {
	f, err := schedulefile.Load(s.Options.Schedule)
	if err != nil {
		s.write(&testsched.Outcome{Kind: testsched.Unexplored, Message: err.Error()})
		return &Report{}
	}
	if !executes(*u, f.Unit, runner) {
		return &Report{}
	}
	if s.Debugged {
		repeat(s, &f.Schedule, runner)
	}
	o := alone(s, &f.Schedule, runner)
	s.write(o)
	if s.Trace == "nearest" {
		s.nearest(&f.Schedule, o, runner)
	}
	return &Report{}
}

// replayed executes the schedule that the user gave, and reports its outcome.
func replayed(s *Settings, c *Config, f *schedulefile.Stored, runner testsched.Runner) *Report {
	s.summarize(c.Unit, &Result{}, "") // for the command, which reports schedules that no test has executed
	o := alone(s, &f.Schedule, runner)
	o.Printed = o.Printed.HiddenLines()
	if o.Kind == testsched.Passed {
		note := fmt.Sprintf("passes under %s: delete the file, or commit it as a regression test if the finding is fixed",
			s.shown(s.Options.Schedule))
		if c.Race && !f.Race {
			note = fmt.Sprintf("passes, but the finding was not looked for: %s was recorded without -race, which changes its run",
				s.shown(s.Options.Schedule))
		} else if lacks := s.lacks(f, c.Race, false); lacks != "" {
			note = fmt.Sprintf("passes, but the finding was not looked for: %s %s", s.shown(s.Options.Schedule), lacks)
		} else if n := len(f.Schedule.Switches); o.Followed < n {
			note = fmt.Sprintf("passes, but %s does not fit: %d of %s applied; the code may have changed",
				s.shown(s.Options.Schedule), o.Followed, program.Plural(n, "switch", "switches"))
		} else if n > 0 {
			note += "; calls of log and t.Log that were added shift its steps, those of fmt.Print do not"
		}
		s.summarize(c.Unit, &Result{}, note)
		return noteReport("macemc: " + note)
	}
	m := &minimize.Result{Schedule: &f.Schedule, Outcome: o}
	if o.Hash == f.Hash {
		m.Critical = f.Critical(o.Trace)
	}
	return findingReport(s.explain(c, m, "replayed from "+s.Options.Schedule, s.Options.Schedule))
}

// alone executes a schedule in a process that has not executed any other. With Warm, a schedule that passes because some switches do not
// apply is executed up to twice again: the run before it may have initialized what only this order of goroutines uses.
func alone(s *Settings, sch *testsched.Schedule, runner testsched.Runner) *testsched.Outcome {
	sch.States = s.Trace == "states" || s.Trace == "nearest"
	if !sch.Warm {
		return runner.Run(sch, true)
	}
	first := aside
	runner.Run(&first, false)
	o := runner.Run(sch, true)
	for n := 0; n < 2 && o.Kind == testsched.Passed && o.Followed < len(sch.Switches); n++ {
		o = runner.Run(sch, true)
	}
	return o
}

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

// write passes the outcome to the command that shows it.
func (s *Settings) write(o *testsched.Outcome) {
	if s.Trace == "" {
		o.Trace = nil
	}
	os.WriteFile(s.Outcome, testsched.Encode(o), 0o600)
}

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
