package explorer

import (
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/macemc/macemc/internal/agents"
	"github.com/macemc/macemc/internal/explorer/minimize"
	"github.com/macemc/macemc/internal/testsched"
	"github.com/macemc/macemc/internal/testsched/program"
)

// unconfirmed collects the results of new processes that did not confirm a finding.
type unconfirmed struct {
	how     string             // how the finding was found
	changed []string           // package variables that earlier runs have changed
	warm    bool               // a process that executed another run first failed, too
	fresh   *testsched.Outcome // failure of a process that executed no other run; nil means none
}

func (d *unconfirmed) add(sch *testsched.Schedule, o *testsched.Outcome) {
	switch {
	case !o.Fails() || o.Lengthy():
	case sch.Warm:
		d.warm = true
	default:
		d.fresh = o
	}
}

// processes executes schedules in new processes until one fails, and reports what these processes show about a finding.
func (s *Settings) processes(c *Config, r *Result, d *unconfirmed) *Report {
	s.runs.Hasty = false
	report, passed := firstFailure(s, c, r.First.Points, r.unhurriedLimit(), func(o *testsched.Outcome) bool { return r.accept(o, 0) })
	if report != nil {
		return report
	}
	if passed == 0 || s.unstarted != nil {
		note := "not confirmed: no new process could execute the test"
		if s.unstarted != nil {
			note = fmt.Sprintf("not confirmed: %v", s.unstarted)
		} else if !s.within(time.Second).After(time.Now()) {
			note = "not confirmed: -timeout is near"
		}
		if file := s.store(c, &minimize.Result{Schedule: r.Found, Outcome: r.Finding}, true); file != "" {
			note += "\n" + s.replayLines(c, file)
		}
		return findingReport(describe(r.Finding, d.how, note))
	}
	s.files.Discard()
	if d.fresh != nil {
		sch := *r.Found
		sch.Warm = false
		return s.undetermined(d.fresh, d.how, s.trials(1, 1, func() *testsched.Outcome { return s.replay(c, &sch) }))
	}
	note := fmt.Sprintf("macemc: schedule %d ended with %s", r.number(), r.Finding.Title())
	recurred, known := d.warm, true
	if !recurred {
		recurred, known = s.recurs(c, r)
	}
	if recurred {
		return noteReport(fmt.Sprintf("%s, which depends on state that earlier runs left %s; %s in new processes passed; reset that state in the test; to repeat: %s",
			note, leftIn(d.changed), program.Plural(passed, "schedule", "schedules"), s.again(c, r)))
	}
	cause := uncontrolled
	if !known {
		cause = "the test depends on earlier runs, or on something that the schedule does not control"
	}
	return noteReport(fmt.Sprintf("%s once; not reproducible: it does not recur under the same schedule, and %s passed; %s; let the test create the files and seed the random numbers that it reads; to repeat: %s",
		note, program.Plural(passed, "new process", "new processes"), cause, s.again(c, r)))
}

// leftIn describes where earlier runs may have left state that a run depends on.
func leftIn(variables []string) string {
	const outside = "outside of package variables, for example in files, in the standard library, or in a goroutine that a package has started"
	if len(variables) == 0 {
		return outside
	}
	return "in " + someOf(variables) + ", or " + outside
}

// someOf lists at most three package variables.
func someOf(variables []string) string {
	const most = 3
	text := strings.Join(variables[:min(most, len(variables))], ", ")
	if more := len(variables) - most; more > 0 {
		text += " and " + program.Plural(more, "more package variable", "more package variables")
	}
	return text
}

// confirm confirms, minimizes and describes the failure of a schedule in a new process. run executes that schedule in another one.
func (s *Settings) confirm(c *Config, found *testsched.Schedule, finding *testsched.Outcome, how string,
	run func() *testsched.Outcome) *Report {
	same := func(sch *testsched.Schedule) *testsched.Outcome {
		if o := s.replay(c, sch); o != nil && o.SameFinding(finding) {
			return o
		}
		return nil
	}
	m := &minimize.Result{Schedule: found, Outcome: finding, Unknown: "each schedule needs a new process"}
	const confirmations = 3 // a test that fails at random may fail again
	for range confirmations {
		if m.Outcome = same(found); m.Outcome == nil {
			return s.undetermined(finding, how, s.trials(1, 1, run))
		}
	}
	const processes = 60
	less, start, runs := *found, agents.StartWatch(s.limits.latest), 0
	left := func() bool { return runs < processes && !start.Over(minimize.Longest) }
	less.Switches = minimize.Remove(found.Switches, left, func(list []testsched.Switch) bool {
		l := *found
		l.Switches = list
		runs++
		o := same(&l)
		return o != nil && o.Equal(finding)
	})
	if o := same(&less); o != nil && o.Equal(finding) {
		m.Schedule, m.Outcome = &less, o
	} else if m.Outcome = same(found); m.Outcome == nil {
		return s.undetermined(finding, how, s.trials(1, 1, run))
	}
	return confirmed(s, c, m, how)
}

// trials counts executions of one schedule in new processes.
type trials struct{ executed, failed int }

// trials executes a schedule in new processes. Some were executed before.
func (s *Settings) trials(executed, failed int, run func() *testsched.Outcome) trials {
	t := trials{executed, failed}
	const most = 20
	deadline := s.within(10 * time.Second)
	for n := 0; n < most && time.Now().Before(deadline); n++ {
		o := run()
		if o != nil {
			t.executed++
		}
		if o.Fails() {
			t.failed++
		}
	}
	return t
}

const uncontrolled = "runs under the same schedule differ: the test depends on something that the schedule does not control"

// undetermined reports a failure that its schedule does not determine. The schedule is not stored.
func (s *Settings) undetermined(o *testsched.Outcome, how string, t trials) *Report {
	s.files.Discard()
	cause := uncontrolled
	if t.failed == t.executed {
		cause = "the recorded switches of the schedule do not lead to it"
	}
	return findingReport(describe(o, how, fmt.Sprintf("not reproducible: failed in %d of %s under the same schedule\n%s", t.failed,
		program.Plural(t.executed, "new process", "new processes"), cause)))
}

// recurs repeats an exploration up to its finding in a new process, and reports whether it fails again. known is false if that process did
// not end in time.
func (s *Settings) recurs(c *Config, r *Result) (failed, known bool) {
	if r.Elapsed > processTime/2 {
		return false, false
	}
	o := s.fresh(c, execution{schedules: r.Schedules})
	return o.Fails(), o != nil
}

// execution is what a new process executes: one schedule, an exploration, or a test without one.
type execution struct {
	replayed  *testsched.Schedule // after another run, if it has Warm
	drawn     *testsched.Schedule
	schedules int    // number of schedules of an exploration
	profile   string // file for a CPU profile; empty means none
	plain     bool   // the test is executed as go test does, and the outcome is nil if it does not pass
}

// in executes e in a process that has not executed any run.
func (e execution) in(s *Settings, c *Config, runner testsched.Runner) *testsched.Outcome {
	switch {
	case e.replayed != nil:
		return alone(s, e.replayed, runner)
	case e.drawn != nil:
		return runner.Run(e.drawn, false)
	}
	again := *c
	again.Schedules, again.Time, again.Progress, again.Long = e.schedules, 0, nil, nil
	return explore(s, again, runner, nil).outcome()
}

// replay executes a schedule in a new process; nil means that the outcome is unknown.
func (s *Settings) replay(c *Config, sch *testsched.Schedule) *testsched.Outcome {
	again := *sch
	return s.fresh(c, execution{replayed: &again})
}

// onlyWarm says so if a finding shows again and again, but only in processes in which the test has run before. Variables that the first
// run has changed may then cause it, or that run has initialized what would hinder it. runner executes schedules in such a process.
func onlyWarm(s *Settings, c *Config, r *Result, m *minimize.Result, changed []string, runner testsched.Runner) string {
	if !m.Schedule.Warm || len(changed) == 0 {
		return ""
	}
	passed, deadline, often := 0, s.within(5*time.Second), false
	for n := 1; n < firstRuns && !often && time.Now().Before(deadline); n++ {
		sch := c.draw(n, r.First.Points)
		bound(r, sch)
		often = runner.Run(sch, false).SameFinding(r.Finding)
	}
	if !often {
		return ""
	}
	for n := 0; n < firstRuns && time.Now().Before(deadline); n++ {
		e := execution{drawn: c.draw(n, r.First.Points)}
		if n == 0 {
			first := *m.Schedule
			first.Warm = false
			e = execution{replayed: &first}
		}
		switch o := s.fresh(c, e); {
		case o == nil:
		case o.SameFinding(r.Finding):
			return ""
		case o.Kind == testsched.Passed:
			passed++
		}
	}
	return fmt.Sprintf("; %s in new processes passed, so it may depend on what the test's first run in a process has changed: %s",
		program.Plural(passed, "schedule", "schedules"), someOf(changed))
}

// firstRuns is the number of new processes in which a finding is looked for that a first run of the test may cause.
const firstRuns = 60

// within returns the time after a duration, or the latest time of the examination of findings if that is earlier.
func (s *Settings) within(d time.Duration) time.Time {
	t := time.Now().Add(d)
	if latest := s.limits.latest; !latest.IsZero() && latest.Before(t) {
		return latest
	}
	return t
}

// executeLong makes a test execute without exploration whose first run exceeds a limit. Either it merely takes long, or -timeout ends the
// process. If tests before it have used most of that, nothing is known about it.
func (s *Settings) executeLong(c *Config, r *Result, why string) *Report {
	c.Long(fmt.Sprintf("a run %s; it is executed without exploration, until -timeout", why))
	unexplored := "not explored: it " + why + " in a run"
	s.summarize(c.Unit, r, unexplored)
	begun := time.Now()
	return &Report{TimedOut: func() string {
		spent := time.Since(begun)
		if spent < s.flags.Timeout/2 {
			note := fmt.Sprintf("%s, and had only %v of -timeout without exploration: execute it alone", unexplored, spent.Round(time.Second))
			s.summarize(c.Unit, r, note)
			return "macemc: " + note + "\n"
		}
		how := fmt.Sprintf("found by schedule %d (%s)", r.Schedules, r.By.Strategy())
		text := fmt.Sprintf("without exploration, it does not end before -timeout either, in %v", spent.Round(time.Second))
		if file := s.store(c, &minimize.Result{Schedule: r.Found, Outcome: r.Finding}, true); file != "" {
			text += "\n" + s.replayLines(c, file)
		}
		return s.conclude(c.Unit, r, findingReport(describe(r.Finding, how, text)), "").Finding
	}}
}

// processTime is the time limit of a new process.
const processTime = 60 * time.Second

// process executes e in a new process.
func (s *Settings) process(c *Config, e execution) *testsched.Outcome {
	limit := time.Until(s.within(processTime + 10*time.Second))
	switch {
	case limit <= 0:
		return nil
	case e.plain:
		return executePlainly(s, c, limit)
	}
	output, err := os.CreateTemp("", "macemc-output-")
	if err != nil {
		s.unstarted = fmt.Errorf("%w: make room in %s, or set TMPDIR to another folder", err, os.TempDir())
		return nil
	}
	os.Remove(output.Name())
	defer output.Close()
	env := passing(s)
	if e.replayed != nil && e.replayed.Instant != 0 { // packages are initialized shortly before it
		env = append(env, testsched.VariableInstant+"="+instants(e.replayed.Instant))
	}
	x, err := s.binary.Open(arguments(s, c, processTime, "-test.cpuprofile="+e.profile), env, agents.Streams{Err: output})
	if err != nil {
		s.unstarted = err
		return nil
	}
	timer := time.AfterFunc(limit, func() { x.Process().Kill() })
	r := &agents.Runner{Session: x, Runs: &s.runs.Runs}
	if e.drawn != nil {
		defer r.RecordSwitches()()
	}
	var o *testsched.Outcome
	begun := false
	ended := !x.Serve(func(call *testsched.Call) testsched.Verdict {
		if o == nil && executes(call.Unit, c.Unit, r) {
			begun = true
			o = e.in(s, c, r)
		}
		return testsched.Verdict{}
	})
	state := x.Wait()
	switch inTime := timer.Stop(); {
	case o != nil && o.Kind != testsched.Unexplored:
		return o
	case begun && ended && o == nil && inTime && e.drawn != nil && r.Unrecorded():
		s.unstarted = fmt.Errorf("no space for the record of a run: make room in %s, or set TMPDIR to another folder", os.TempDir())
	case begun && ended && o == nil && inTime:
		text, _ := io.ReadAll(io.NewSectionReader(output, 0, math.MaxInt64))
		if x.Damaged {
			text = append([]byte(testsched.Disconnected+", perhaps because the test writes to a descriptor that it has not opened\n"), text...)
		}
		return r.Death(state, string(text))
	}
	return nil
}

// executes reports whether a runner of the unit executes a stored schedule. It restricts the runner to the subtest of the schedule.
func executes(u, f testsched.Unit, runner testsched.Runner) bool {
	if !u.Contains(f) {
		return false
	}
	if f.Test != u.Test {
		runner.Select(f.Test, nil, true)
	}
	return true
}

// arguments returns the arguments of a new process for a test; 0 means no time limit.
func arguments(s *Settings, c *Config, limit time.Duration, flags ...string) []string {
	return slices.Concat([]string{"-test.count=1", "-test.timeout=" + limit.String()}, flags, s.flags.Process(c.Test))
}

// passing returns the environment variables of a process whose outcomes this one shows.
func passing(s *Settings) []string {
	return append(s.binary.Variables(s.flags.Timeout), testsched.VariableAlone+"=passed")
}

// opening starts further processes of an exploration. What they print is lost: the first process repeats what ends one.
func opening(s *Settings, c *Config) agents.Opening {
	args, env, runs := arguments(s, c, 0), passing(s), s.runs.Runs
	return func(work func(*agents.Runner)) {
		x, err := s.binary.Open(args, env, agents.Streams{})
		if err != nil {
			return
		}
		x.Serve(func(call *testsched.Call) testsched.Verdict {
			r := &agents.Runner{Session: x, Runs: &runs}
			if c.Test != call.Test {
				r = r.Part(c.Test).(*agents.Runner)
			}
			if call.What != testsched.Explores || work == nil || !call.Unit.Contains(c.Unit) {
				return testsched.Verdict{}
			}
			first := warmUp
			first.Showing = testsched.Muted
			r.Run(&first, false)
			work(r)
			work = nil
			time.AfterFunc(processTime, func() { x.Process().Kill() })
			return testsched.Verdict{}
		})
		x.Wait()
	}
}
