package gotest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/macemc/macemc/cmd/macemc/internal/runview"
	"github.com/macemc/macemc/internal/explorer"
	"github.com/macemc/macemc/internal/explorer/schedulefile"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/task"
	"github.com/macemc/macemc/internal/testsched"
	"github.com/macemc/macemc/mdb"
)

// Debug opens the debugger on a test under the schedule of a file.
func (a Runner) Debug(ctx context.Context, d *task.Debug, s *schedulefile.Stored) error {
	if d.Live != "" {
		return errors.New("a schedule of \"macemc test\" takes no LIVE: the nearest passing schedule is used")
	}
	o, passes, err := a.executeSchedule(ctx, d.File, s, "nearest")
	if err != nil {
		return err
	}
	if err := changed(d.File, s, o); err != nil {
		return err
	}
	a.noteUntraced(d.File, o)
	x := &debuggedTest{runner: a, file: d.File, stored: s, runs: map[string]debuggedRun{"main": {o, s.Schedule.Switches}}}
	values := inspection{x, map[string]*inspectedRun{}, d.Batch}
	defer values.close()
	c := mdb.Config{Name: d.File, Trace: runview.Trace(s.Test, o), LiveName: "no schedule is known to pass", Try: x.try, Inspect: values.inspect}
	c.CriticalTransition = mdb.CriticalTransition{Step: s.Critical(o.Trace), Steps: len(o.Trace)}
	if c.CriticalTransition.Step == 0 {
		c.CriticalTransition.Why = notCritical(o)
	}
	if named := s.Named(o.Trace); len(named) > 0 {
		c.Start = named[0]
	}
	if o.Kind == testsched.Race {
		c.Start = testsched.Decisive(o, 0)
	}
	switch {
	case passes == nil:
	case passes.Untraced != o.Untraced:
		c.LiveName = "the record of the nearest schedule that passes begins at another operation"
	default:
		runview.Renumber(passes, o)
		x.runs["passing"] = debuggedRun{passes, passes.Switches}
		c.LiveTrace, c.LiveName = runview.Trace(s.Test, passes), ""
	}
	session, err := mdb.Open(c)
	if err != nil {
		return err
	}
	return d.Run(ctx, a.Process, session)
}

// notCritical says why no step of a run is known to be critical. An empty string means that the run does not show the reason.
func notCritical(o *testsched.Outcome) string {
	switch {
	case o.Kind == testsched.Race:
		return "a data race has no critical step: its two accesses suffice"
	case o.Untraced+o.Later > 0:
		return "the critical step is not known, as the run is long: " + o.Window()
	}
	return ""
}

// executeSchedule executes a test under the schedule of a file, or a changed one. traced is a value of Passing.Trace
// of package explorer. With "nearest", passes is the nearest passing run; nil means that none is known.
func (a Runner) executeSchedule(ctx context.Context, file string, s *schedulefile.Stored, traced string) (o, passes *testsched.Outcome, err error) {
	temp, err := os.MkdirTemp("", "macemc-schedule-")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(temp)
	outcome := filepath.Join(temp, "outcome")
	args, err := storedArgs(s, file, filepath.Join(temp, "schedule.path"))
	if err != nil {
		return nil, nil, err
	}
	defer task.AnnounceLong(a.Stderr, fmt.Sprintf("building and executing %s of %s", s.Test, s.Package))()
	var out bytes.Buffer
	failed := a.goTest(ctx, args, &out, &out, explorer.Passing{Outcome: outcome, Trace: traced})
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	text, err := os.ReadFile(outcome) // written even if the process fails because of a data race
	if err != nil {
		return nil, nil, fmt.Errorf("%s: the test %s of %s was not executed: %v\n%s", file, s.Test, s.Package, cmp.Or(failed, err),
			strings.TrimSpace(out.String()))
	}
	if len(text) == 0 {
		return nil, nil, fmt.Errorf("%s: the process of the test dies under this schedule, and its steps are lost; macemc test -schedule %[1]s shows its end", file)
	}
	o = testsched.Decode(text)
	if o == nil || o.Kind == testsched.Unexplored {
		return nil, nil, fmt.Errorf("%s: the test cannot be executed under a schedule", file)
	}
	if text, err := os.ReadFile(explorer.NearestFile(outcome)); err == nil {
		passes = testsched.Decode(text)
	}
	return o, passes, nil
}

// debuggedTest executes a test for the debugger.
type debuggedTest struct {
	runner Runner
	file   string
	stored *schedulefile.Stored
	runs   map[string]debuggedRun
}

type debuggedRun struct {
	outcome  *testsched.Outcome
	switches []testsched.Switch
}

// try executes the test under the schedule of a run with one more switch. At the point of a step, the given goroutine continues before the
// operation executes. name is the name of the new run.
func (x *debuggedTest) try(ctx context.Context, from, name string, step, goroutine int) (*replay.Trace, error) {
	r := x.runs[from]
	at, to := r.outcome.Trace[step-1], uint64(0)
	runview.Each(r.outcome, func(who uint64, number *int) {
		if *number == goroutine {
			to = who
		}
	})
	s := *x.stored
	s.Schedule.Switches = slices.DeleteFunc(slices.Clone(r.switches),
		func(s testsched.Switch) bool { return s.Who == at.Who && s.Place == at.Place })
	if to != at.Who {
		s.Schedule.Switches = append(s.Schedule.Switches, testsched.Switch{Who: at.Who, Place: at.Place, To: to})
	}
	o, _, err := x.runner.executeSchedule(ctx, x.file, &s, "states")
	if err != nil {
		return nil, err
	}
	runview.Renumber(o, x.runs["main"].outcome)
	x.runs[name] = debuggedRun{o, s.Schedule.Switches}
	return runview.Trace(s.Test, o), nil
}
