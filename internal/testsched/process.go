package testsched

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/macemc/macemc/internal/testsched/program"
)

// unconfirmed collects the results of new processes that did not confirm a finding.
type unconfirmed struct {
	how     string   // how the finding was found
	changed []string // package variables that earlier runs have changed
	warm    bool     // a process that executed another run first failed, too
	fresh   *Outcome // failure of a process that executed no other run; nil means none
}

func (d *unconfirmed) add(sch *Schedule, o *Outcome) {
	switch {
	case !o.fails() || o.long():
	case sch.Warm:
		d.warm = true
	default:
		d.fresh = o
	}
}

// fails reports whether a process failed. An outcome of nil is unknown.
func (o *Outcome) fails() bool { return o != nil && o.Kind != Passed }

// long reports whether a run exceeded its limit of points or clock advances, without a loop. It may end under another limit or schedule.
func (o *Outcome) long() bool { return o != nil && o.Kind == NoEnd && !o.Spins }

// processes executes schedules in new processes until one fails, and reports what these processes show about a finding.
func (s *Settings) processes(c *Config, r *Result, d *unconfirmed) *Report {
	s.SkipPatience = false
	report, passed := firstFailure(s, c, r.First.Points, r.unhurriedLimit(), func(o *Outcome) bool { return r.accept(o, 0) })
	if report != nil {
		return report
	}
	if passed == 0 || s.temporary != nil {
		note := "not confirmed: no new process could execute the test"
		if s.temporary != nil {
			note = fmt.Sprintf("not confirmed: %v: make room in %s, or set TMPDIR to another folder", s.temporary, os.TempDir())
		} else if !s.within(time.Second).After(time.Now()) {
			note = "not confirmed: -timeout is near"
		}
		if file := s.store(c, &Minimized{Schedule: r.Found, Outcome: r.Finding}); file != "" {
			note += "\n" + s.replayLines(c, file)
		}
		return &Report{Finding: describe(r.Finding, d.how, note)}
	}
	s.discard("")
	if d.fresh != nil {
		sch := *r.Found
		sch.Warm = false
		return s.undetermined(d.fresh, d.how, s.trials(1, 1, func() *Outcome { return s.replay(c, &sch) }))
	}
	note := fmt.Sprintf("macemc: schedule %d ended with %s", r.Schedules, r.Finding.Title())
	recurred, known := d.warm, true
	if !recurred {
		recurred, known = s.recurs(c, r)
	}
	if recurred {
		return &Report{Note: fmt.Sprintf("%s, which depends on state that earlier runs left %s; %s in new processes passed; reset that state in the test; to repeat: %s",
			note, leftIn(d.changed), program.Plural(passed, "schedule", "schedules"), s.again(c, r))}
	}
	cause := uncontrolled
	if !known {
		cause = "the test depends on earlier runs, or on something that the schedule does not control"
	}
	return &Report{Note: fmt.Sprintf("%s once; not reproducible: it passes under the same schedule, and %s passed; %s; let the test create the files and seed the random numbers that it reads; to repeat: %s",
		note, program.Plural(passed, "new process", "new processes"), cause, s.again(c, r))}
}

// leftIn describes where earlier runs may have left state that a run depends on. It names at most three changed package variables.
func leftIn(variables []string) string {
	const outside = "outside of package variables, for example in files, in the standard library, or in a goroutine that a package has started"
	if len(variables) == 0 {
		return outside
	}
	const most = 3
	text := "in " + strings.Join(variables[:min(most, len(variables))], ", ")
	if more := len(variables) - most; more > 0 {
		text += fmt.Sprintf(" and %d more package variables", more)
	}
	return text + ", or " + outside
}

// confirm confirms, minimizes and describes the failure of a schedule in a new process. run executes that schedule in another one.
func (s *Settings) confirm(c *Config, found *Schedule, finding *Outcome, how string, run func() *Outcome) *Report {
	same := func(sch *Schedule, env ...string) *Outcome {
		if o := s.replay(c, sch, env...); o != nil && o.SameFinding(finding) {
			return o
		}
		return nil
	}
	m := &Minimized{Schedule: found, Outcome: finding}
	const confirmations = 3 // a test that fails at random may fail again
	for range confirmations {
		if m.Outcome = same(found); m.Outcome == nil {
			return s.undetermined(finding, how, s.trials(1, 1, run))
		}
	}
	const processes = 60
	less, start := *found, startWatch(s.latest)
	left := func() bool { return m.Runs < processes && !start.over(minimizeMost) }
	less.Switches = remove(found.Switches, left, func(list []Switch) bool {
		l := *found
		l.Switches = list
		m.Runs++
		o := same(&l)
		return o != nil && o.equal(finding)
	})
	if o := same(&less, withTrace); o != nil && o.equal(finding) {
		m.Schedule, m.Outcome = &less, o
	} else if m.Outcome = same(found, withTrace); m.Outcome == nil {
		return s.undetermined(finding, how, s.trials(1, 1, run))
	}
	return confirmed(s, c, m, how)
}

// trials counts executions of one schedule in new processes.
type trials struct{ executed, failed int }

// trials executes a schedule in new processes. Some were executed before.
func (s *Settings) trials(executed, failed int, run func() *Outcome) trials {
	t := trials{executed, failed}
	const most = 20
	deadline := s.within(10 * time.Second)
	for n := 0; n < most && time.Now().Before(deadline); n++ {
		o := run()
		if o != nil {
			t.executed++
		}
		if o.fails() {
			t.failed++
		}
	}
	return t
}

const uncontrolled = "runs under the same schedule differ: the test depends on something that the schedule does not control"

// undetermined reports a failure that its schedule does not determine. The schedule is not stored.
func (s *Settings) undetermined(o *Outcome, how string, t trials) *Report {
	s.discard("")
	cause := uncontrolled
	if t.failed == t.executed {
		cause = "the recorded switches of the schedule do not lead to it"
	}
	return &Report{Finding: describe(o, how, fmt.Sprintf("not reproducible: failed in %d of %s under the same schedule\n%s", t.failed,
		program.Plural(t.executed, "new process", "new processes"), cause))}
}

// recurs repeats an exploration up to its finding in a new process, and reports whether it fails again. known is false if that process did
// not end in time.
func (s *Settings) recurs(c *Config, r *Result) (failed, known bool) {
	if r.Elapsed > processTime/2 {
		return false, false
	}
	o := s.fresh(c, VariableSchedules+"="+strconv.Itoa(r.Schedules), VariableTime+"=0s")
	return o.fails(), o != nil
}

// outcome returns the outcome that a process passes to the one that recurs waits for.
func (r *Result) outcome() *Outcome {
	rest := &Outcome{}
	if r.Ended {
		rest.Kind = Unexplored
	}
	return cmp.Or(r.Stop, r.Finding, rest)
}

// withTrace makes a process pass the events of its run.
const withTrace = VariableTrace + "=events"

// replay executes a schedule in a new process, with some environment variables changed; nil means that the process wrote no outcome.
func (s *Settings) replay(c *Config, sch *Schedule, env ...string) *Outcome {
	file, err := os.CreateTemp("", "macemc-schedule-")
	if err != nil {
		s.temporary = err
		return nil
	}
	defer os.Remove(file.Name())
	f := &Stored{Package: c.Package, Test: c.Test, External: c.External, Begins: Begins(), Schedule: *sch}
	_, err = f.WriteTo(file)
	if err = cmp.Or(err, file.Close()); err != nil {
		s.temporary = err
		return nil
	}
	env = append([]string{VariableSchedule + "=" + file.Name()}, env...)
	if sch.Instant != 0 { // packages are initialized shortly before it
		env = append(env, VariableInstant+"="+instants(sch.Instant))
	}
	return s.fresh(c, env...)
}

// alone executes a schedule in a process that has not executed any other. With Warm, a schedule that passes because some switches do not
// apply is executed up to twice again: the run before it may have initialized what only this order of goroutines uses.
func alone(sch *Schedule, runner Runner) *Outcome {
	if !sch.Warm {
		return runner.Run(sch, true)
	}
	runner.Run(&aside, false)
	o := runner.Run(sch, true)
	for n := 0; n < 2 && o.Kind == Passed && o.Followed < len(sch.Switches); n++ {
		o = runner.Run(sch, true)
	}
	return o
}

// Passes reports whether this process passes the outcome of a schedule to another one, which shows it.
func Passes(s *Settings) bool { return s.outcome != "" }

// within returns the time after a duration, or the latest time of the examination of findings if that is earlier.
func (s *Settings) within(d time.Duration) time.Time {
	t := time.Now().Add(d)
	if !s.latest.IsZero() && s.latest.Before(t) {
		return s.latest
	}
	return t
}

// executeLong makes a test execute without exploration whose first run exceeds a limit. Either it merely takes long, or -timeout ends the
// process.
func (s *Settings) executeLong(c *Config, r *Result, why string) *Report {
	c.Long(fmt.Sprintf("a run %s; it is executed without exploration, until -timeout", why))
	s.summarize(c.Unit, r, "not explored: it "+why+" in a run")
	return &Report{TimedOut: func() string {
		how := fmt.Sprintf("found by schedule %d (%s)", r.Schedules, r.By.strategy())
		text := "without exploration, it does not end before -timeout either"
		if file := s.store(c, &Minimized{Schedule: r.Found, Outcome: r.Finding}); file != "" {
			text += "\n" + s.replayLines(c, file)
		}
		return s.conclude(c.Unit, r, &Report{Finding: describe(r.Finding, how, text)}, "").Finding
	}}
}

// processTime is the time limit of a new process.
const processTime = 60 * time.Second

// process executes the test once in a new process of this program.
func (s *Settings) process(c *Config, env ...string) *Outcome {
	file, err := os.CreateTemp("", "macemc-outcome-")
	if err != nil {
		s.temporary = err
		return nil
	}
	file.Close()
	output, err := outputFile(file.Name())
	if err != nil {
		s.temporary = err
		return nil
	}
	defer output.Close()
	for _, name := range []string{file.Name(), output.Name(), file.Name() + recordSuffix} {
		defer os.Remove(name)
	}
	state, inTime := startProcess(s, c, output, append(env, VariableOutcome+"="+file.Name()))
	if state == nil {
		return nil
	}
	text, _ := os.ReadFile(file.Name())
	if string(text) == Begun && inTime {
		printed, _ := os.ReadFile(output.Name())
		return death(state, string(printed), recorded(file.Name()))
	}
	if o := Decode(string(text)); o != nil && o.Kind != Unexplored {
		return o
	}
	return nil
}

// startProcess executes the test in a new process of this program, with some environment variables changed, and waits for its end. It returns
// how the process ended; nil means that it was not started. inTime is false if it was killed because it was too slow.
func startProcess(s *Settings, c *Config, output *os.File, env []string) (state *os.ProcessState, inTime bool) {
	exe, err := os.Executable()
	limit := time.Until(s.within(processTime + 10*time.Second))
	if err != nil || limit <= 0 {
		return nil, false
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, false
	}
	defer null.Close()
	if s.SkipPatience {
		env = append(env, variableSkipPatience+"=1")
	}
	if c.Shared {
		env = append(env, variableExternal+"="+strconv.FormatBool(c.External))
	}
	env = slices.Concat(env, []string{timeoutVariable(s)}, s.environ) // of equal names, the first counts
	args := append([]string{exe, "-test.count=1", "-test.timeout=" + processTime.String()}, s.flags.Process(c.Test)...)
	p, err := os.StartProcess(exe, args, &os.ProcAttr{Dir: begin, Env: env, Files: []*os.File{null, null, output}})
	if err != nil {
		return nil, false
	}
	timer := time.AfterFunc(limit, func() { p.Kill() })
	state, _ = p.Wait()
	return state, timer.Stop()
}
