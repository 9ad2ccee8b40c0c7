package testsched

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/macemc/macemc/internal/testsched/program"
)

// Settings are the settings from the environment, and the progress of the test that is explored.
type Settings struct {
	config       Config
	schedule     string
	only         int // -1 means none
	outcome      string
	summaries    string
	folder       string
	flags        program.Flags
	summary      map[string]string // lines, by test
	environ      []string
	reserve      time.Duration // time reserved before the deadline for examining a finding
	latest       time.Time     // when the examination of a finding must have ended; the zero time means no limit
	provisional  provisionalFile
	unstored     error         // why the latest schedule could not be stored
	temporary    error         // the latest failure to write a temporary file for a new process; nil means none
	running      string        // test that is explored or replayed
	runs         func() string // command that repeats the runs of the process; nil means unknown
	SkipPatience bool          // runs that wait in real time are not repeated, because the finding is that of an Outcome with Patient set
	// fresh executes the test in a new process with some environment variables changed. It returns nil if the process wrote no outcome.
	fresh func(c *Config, env ...string) *Outcome
}

// FromEnvironment returns the settings; nil means that exploration is disabled.
func FromEnvironment() *Settings {
	environ := os.Environ()
	hideEnvironment() // programs that tests start must not explore
	seed, err := strconv.ParseUint(getenv(Variable), 10, 64)
	if err != nil {
		return nil
	}
	s := &Settings{
		config: Config{Seed: seed}, only: -1, schedule: getenv(VariableSchedule), outcome: getenv(VariableOutcome), environ: environ,
		summaries: getenv(VariableSummaries), folder: getenv(program.VariableFolder), summary: map[string]string{},
		flags: program.ParseFlags(getenv(VariableTags), os.Args[min(1, len(os.Args)):]),
	}
	s.fresh, s.SkipPatience = s.process, getenv(variableSkipPatience) != ""
	begin, _ = syscall.Getwd()
	if s.summaries != "" {
		os.WriteFile(BegunFile(s.summaries), nil, 0o666)
	}
	s.config.Schedules, _ = strconv.Atoi(getenv(VariableSchedules))
	switch e := getenv(VariableExhaustive); e {
	case "":
	case "all":
		s.config.Exhaustive, s.config.Preemptions = true, Unbounded
	default:
		n, err := strconv.Atoi(e)
		s.config.Exhaustive, s.config.Preemptions = err == nil, n
	}
	s.config.Delay, _ = time.ParseDuration(getenv(VariableDelay))
	s.config.Time, _ = time.ParseDuration(getenv(VariableTime))
	if n, err := strconv.Atoi(getenv(variableOnly)); err == nil {
		s.only = n
	}
	return s
}

// Report is the output of package testing about an exploration.
type Report struct {
	Finding string // empty means none
	Known   string // the only findings are known; empty means none
	Note    string
	Quiet   bool     // the first run has a known finding, and its output is not shown
	Failing []string // subtests with findings
	Rest    []string // subtests that are to be executed as go test does
	shows   string   // identifies a finding whose schedule is stored; empty means none
	file    string   // of its schedule
	// TimedOut, if not nil, means that the test is to be executed as go test does. If it does not end before -timeout, that is a finding.
	// TimedOut stores and describes it.
	TimedOut func() string
}

// Unexplored reports whether the test is to be executed as go test does.
func (r *Report) Unexplored() bool { return r == nil || r.TimedOut != nil }

// Runner executes a test.
type Runner interface {
	// Run executes the test once. With traced, the outcome includes the events.
	Run(s *Schedule, traced bool) *Outcome
	// Changed returns the names of package variables that are not restored and whose value before the latest run differed from the one
	// before the first.
	Changed() []string
}

// end returns the time after which no schedule begins, given the deadline of package testing, and sets s.latest. The zero time means no
// limit.
func (s *Settings) end(deadline time.Time) time.Time {
	if deadline.IsZero() {
		return deadline
	}
	if s.reserve == 0 {
		s.reserve = min(10*time.Second, time.Until(deadline)/4)
	}
	s.latest = deadline.Add(-s.reserve / 4)
	return deadline.Add(-s.reserve)
}

// Test explores a test until shortly before a deadline; the zero time means no deadline. It returns nil if the test is to be executed as go
// test does.
func (s *Settings) Test(u Unit, race bool, deadline time.Time, runner Runner) *Report {
	// A cached result depends on these. FromEnvironment has read them before package testing starts to record variables.
	for _, v := range []string{Variable, VariableSchedules, VariableTime, VariableDelay, VariableExhaustive,
		VariableSchedule, VariableLeaks, VariablePackage, VariableTags} {
		os.Getenv(v)
	}
	if report, done := passOver(s, &u); done {
		return report
	}
	c := s.config
	c.Unit, c.Race, c.End = u, race, s.end(deadline)
	switch {
	case s.only >= 0:
		begins(s)
		drawn := c.draw(s.only, uint64(s.config.Schedules))
		drawn.Limit, _ = strconv.ParseUint(getenv(variableLimit), 10, 64)
		s.write(runner.Run(drawn, false))
		return &Report{}
	case s.outcome != "" && s.schedule != "":
		return replayedAlone(s, &u, runner)
	case s.schedule != "":
		f, err := Load(s.schedule)
		if err != nil {
			return &Report{Finding: fmt.Sprintf("macemc: %s: %v\n", s.schedule, err)}
		}
		if !u.executes(f, runner) {
			return nil
		}
		c.Test = f.Test
		return replayed(s, &c, f, runner)
	}
	return dividing(s, &c, runner)
}

// explored explores a unit. first is called after the first run that is not of a stored schedule: its outcome ends the exploration, and nil
// continues it. The result is nil if the unit cannot be explored.
func explored(s *Settings, c *Config, runner Runner, first func(*Schedule, *Outcome) *Outcome) *Report {
	u := c.Unit
	s.running, s.runs = u.String(), nil
	corpus, err := stored(u)
	if err != nil {
		s.summarizeAs(Damaged, u, &Result{}, "")
		return &Report{Finding: fmt.Sprintf("macemc: %v\n", err)}
	}
	c.NoLeaks = getenv(VariableLeaks) == "false"
	showing := showing(corpus)
	c.Corpus, c.Intrinsics = corpus, !ofModules(u.Package, getenv(VariableModules))
	if s.outcome == "" {
		c.Progress = func(r *Result) { s.summarize(u, r, EndedEarly) }
		c.Progress(&Result{}) // reserves room for a finding
	}
	if s.outcome == "" && getenv(VariableDied) != "" {
		return separately(s, c)
	}
	c.Long = func(text string) { s.announce(u.Package + " " + u.String() + ": " + text) }
	runs := 0
	s.runs = func() string { return s.again(c, &Result{Schedules: runs}) }
	r := Explore(*c, func(sch *Schedule) *Outcome {
		runs++
		sch.Showing = showing
		o := runner.Run(sch, false)
		if first != nil && len(sch.Switches) == 0 {
			stop := first(sch, o)
			if first = nil; stop != nil {
				return stop
			}
		}
		return o
	})
	return concluded(s, c, r, runner)
}

// concluded reports the result of an exploration.
func concluded(s *Settings, c *Config, r *Result, runner Runner) *Report {
	u := c.Unit
	switch {
	case s.outcome != "":
		s.write(r.outcome())
		return &Report{}
	case r.Finding == nil && r.Stop == nil:
		r.repeat(func(sch *Schedule) *Outcome { return s.replay(c, sch) })
	}
	switch {
	case r.Stop == divided:
		if delete(s.summary, u.String()); r.Saved.Passing > 0 {
			s.summarize(u, r, "")
		}
		return nil
	case r.Stop != nil:
		s.summarize(u, r, "not explored: "+r.Stop.Message)
		return nil
	case r.Finding == nil:
		note := r.incomplete()
		if note != "" && r.Complete != nil {
			note = r.Complete.String() + "; " + note
		}
		if len(r.Left) > 0 {
			note = strings.TrimSuffix("left after the test has returned: "+r.Left[0]+"; "+note, "; ")
		}
		if r.Ended {
			note = "stopped because -timeout is near"
		}
		return s.conclude(u, r, &Report{Note: strings.Join(append([]string{r.text()}, r.predictions.list()...), "\n  ")}, note)
	}
	if why := r.tooLong(); why != "" {
		return s.executeLong(c, r, why)
	}
	report := s.found(c, r, runner)
	if report.Note != "" {
		report.Note = strings.Join(append([]string{report.Note}, headline(r.Finding)[1:]...), "\n")
	}
	if report.Finding == "" && r.Finding.HasRace() {
		report.Finding = report.Note + "\n"
	}
	return s.conclude(u, r, report, strings.TrimPrefix(report.Note, "macemc: "))
}

// replayedAlone executes a schedule, and passes the outcome to the process that waits for it.
func replayedAlone(s *Settings, u *Unit, runner Runner) *Report {
	f, err := Load(s.schedule)
	if err != nil {
		s.write(&Outcome{Kind: Unexplored, Message: err.Error()})
		return &Report{}
	}
	if !u.owns(f) {
		return &Report{}
	}
	begins(s)
	o := alone(&f.Schedule, runner)
	s.write(o)
	if wantsNearest() {
		s.nearest(&f.Schedule, o, runner)
	}
	return &Report{}
}

// replayed executes the schedule that the user gave, and reports its outcome.
func replayed(s *Settings, c *Config, f *Stored, runner Runner) *Report {
	s.summarize(c.Unit, &Result{}, "") // for the command, which reports schedules that no test has executed
	o := alone(&f.Schedule, runner)
	o.Printed = o.Printed.hidden()
	if o.Kind == Passed {
		note := fmt.Sprintf("passes under %s: delete the file, or commit it as a regression test if the finding is fixed", s.shown(s.schedule))
		if lacks := s.lacks(f, c.Race, false); lacks != "" {
			note = fmt.Sprintf("passes, but the finding was not looked for: %s %s", s.shown(s.schedule), lacks)
		} else if n := len(f.Schedule.Switches); o.Followed < n {
			note = fmt.Sprintf("passes, but %s does not fit: %d of %s applied; the code may have changed",
				s.shown(s.schedule), o.Followed, program.Plural(n, "switch", "switches"))
		} else if n > 0 {
			note += "; calls of log and t.Log that were added shift its steps, those of fmt.Print do not"
		}
		s.summarize(c.Unit, &Result{}, note)
		return &Report{Note: "macemc: " + note}
	}
	m := &Minimized{Schedule: &f.Schedule, Outcome: o}
	if o.Hash == f.Hash {
		m.Critical = f.Critical(o.Trace)
	}
	return &Report{Finding: s.explain(c, m, "replayed from "+s.schedule, s.schedule)}
}

// ofModules reports whether a package belongs to one of the comma-separated modules.
func ofModules(pkg, modules string) bool {
	for m := range strings.SplitSeq(modules, ",") {
		if m != "" && (strings.TrimSuffix(pkg, "_test") == m || strings.HasPrefix(pkg, m+"/")) {
			return true
		}
	}
	return false
}

// found confirms, minimizes and describes a finding.
func (s *Settings) found(c *Config, r *Result, runner Runner) *Report {
	plain := func(sch *Schedule) *Outcome { return runner.Run(sch, false) }
	traced := func(sch *Schedule) *Outcome { return runner.Run(sch, true) }
	how := fmt.Sprintf("found by schedule %d (%s)", r.Schedules, r.predictions.by(r.By))
	changed := runner.Changed()
	if r.FromFile {
		how = "found by a schedule in " + s.shown(folder(c.Test))
	}
	s.storeUnconfirmed(c, r, r.Finding, "confirmed")
	if s.repeats(c, r) {
		s.discard("")
		return &Report{Note: fmt.Sprintf("macemc: it fails when it runs a second time, whatever the schedule: %s; its first run left something behind, for example a file or a setting of the process, which it should undo with t.Cleanup; only %s could be explored",
			r.Finding.Title(), program.Plural(r.Schedules-1, "schedule", "schedules"))}
	}
	s.SkipPatience = r.Finding.Patient
	defer func() { s.SkipPatience = false }()
	d := unconfirmed{how: how, changed: changed}
	again := s.replay(c, r.Found, withTrace)
	d.add(r.Found, again)
	if again == nil || !again.SameFinding(r.Finding) { // other tests may have run before, or the initialization by the first run is irrelevant
		other := *r.Found
		other.Warm = !other.Warm
		o := s.replay(c, &other, withTrace)
		d.add(&other, o)
		if o != nil && o.SameFinding(r.Finding) {
			r.Found, again = &other, o
		}
	}
	if again == nil || !again.SameFinding(r.Finding) || s.anyway(c, r) {
		return s.processes(c, r, &d)
	}
	m := &Minimized{Schedule: r.Found, Outcome: again, by: r.prediction}
	if !r.Finding.Spins { // each run of such a finding takes long
		s.storeUnconfirmed(c, r, again, "minimized")
		less := Minimize(r.Found, r.Finding, r.prediction, s.latest, plain, traced)
		s.SkipPatience = false // with fewer switches, a run may show the finding only if it does not wait
		if o := s.replay(c, less.Schedule, withTrace); o != nil && o.SameFinding(r.Finding) && !r.knows(o) {
			less.show(o)
			m = less
		} else if o := s.replay(c, r.Found); o != nil && o.Kind == Passed {
			return s.undetermined(again, how, s.trials(2, 1, func() *Outcome { return s.replay(c, r.Found) }))
		}
	}
	if r.Finding == r.First { // its output is shown
		m.Outcome.Printed = r.First.Printed.hidden()
	}
	return confirmed(s, c, m, how)
}

// repeats reports whether the schedule of the first run, which passed, shows the finding in new processes. The runs so far have then
// changed what the test finds outside of its process, or what processes inherit. A data race counts in any case: the detector can miss it in
// the first run.
func (s *Settings) repeats(c *Config, r *Result) bool {
	if r.First.Kind != Passed || r.Finding.HasRace() {
		return false
	}
	run := func() *Outcome { return s.replay(c, r.first) }
	if o := run(); o == nil || !o.SameFinding(r.Finding) {
		return false
	}
	t := s.trials(1, 1, run)
	return t.failed == t.executed
}

// anyway reports whether the second run of a process shows the finding even under the schedule of the first run, which passes. The finding
// is then not caused by the schedule.
func (s *Settings) anyway(c *Config, r *Result) bool {
	if !r.Found.Warm {
		return false
	}
	again := warmUp
	again.Warm = true
	if o := s.replay(c, &again); o == nil || !o.SameFinding(r.Finding) {
		return false
	}
	o := s.replay(c, &warmUp)
	return o != nil && o.Kind == Passed
}

// again returns a command that repeats an exploration up to its finding.
func (s *Settings) again(c *Config, r *Result) string {
	flags := fmt.Sprintf("-explore-seed %d -schedules %d", c.Seed, r.Schedules)
	if c.Delay > 0 {
		flags += fmt.Sprintf(" -explore-delay %v", c.Delay)
	}
	if c.Exhaustive {
		flags += " -exhaustive"
		if c.Preemptions < Unbounded {
			flags += fmt.Sprintf("=%d", c.Preemptions)
		}
	}
	before, args := s.command(c)
	return fmt.Sprintf("macemc test %s %s %s%s", before, flags, c.Package, args)
}

// Died returns the line that precedes the message of a panic of a goroutine outside the test, which ends the process.
func (s *Settings) Died() string {
	text := "macemc: a goroutine that a package has started ends the process during or after a run of " + s.running
	if s.runs != nil {
		text += "; to repeat: " + s.runs()
	}
	return text + "\n"
}

// write passes the outcome to the parent process.
func (s *Settings) write(o *Outcome) {
	if getenv(VariableTrace) == "" {
		o.Trace = nil
	}
	os.WriteFile(s.outcome, []byte(encode(o)), 0o600)
}
