package explorer

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/macemc/macemc/internal/agents"
	"github.com/macemc/macemc/internal/explorer/minimize"
	"github.com/macemc/macemc/internal/explorer/schedulefile"
	"github.com/macemc/macemc/internal/explorer/summary"
	"github.com/macemc/macemc/internal/explorer/systematic"
	"github.com/macemc/macemc/internal/testbudget"
	"github.com/macemc/macemc/internal/testflags"
	"github.com/macemc/macemc/internal/testsched"
	"github.com/macemc/macemc/internal/testsched/program"
)

// Settings are the settings from the environment, and the progress of the test that is explored.
type Settings struct {
	Options
	folder    string
	flags     testflags.Flags
	summary   map[string]*summary.Test // by test
	modules   string                   // see VariableModules
	limits    limits
	files     schedulefile.Writer
	unstored  error // why the latest schedule could not be stored
	unstarted error // the latest failure to start a new process; nil means none
	binary    binary
	runs      runs
	// fresh executes the test in a new process. It returns nil if the outcome is unknown.
	fresh func(c *Config, e execution) *testsched.Outcome
}

// binary is the test binary.
type binary struct {
	agents.Binary
	cores *agents.Cores
	read  []string // files that explorations depend on
}

// runs describes the runs of a test.
type runs struct {
	agents.Runs
	config *Config           // nil means that no exploration is in progress
	places map[uint64]string // positions of the operations of predictions
}

// FromEnvironment returns the settings of this process, which explores the tests of a binary with the given arguments.
func FromEnvironment(args []string) *Settings {
	var o Options
	json.Unmarshal([]byte(os.Getenv(variable)), &o) // without options, one that nothing limits
	s := &Settings{
		Options: o, summary: map[string]*summary.Test{}, folder: os.Getenv(program.VariableFolder),
		modules: os.Getenv(testsched.VariableModules), flags: testflags.ParseFlags(o.Tags, args),
	}
	if s.Summaries != "" {
		summary.Begin(s.Summaries)
	}
	s.limits.ledger = testbudget.Open(s.Summaries)
	return s
}

// Report is the result of the exploration of a test.
type Report struct {
	testsched.Verdict
	shows string         // identifies a finding whose schedule is stored; empty means none
	file  string         // of its schedule
	place *summary.Place // of the finding, once it is concluded
	// TimedOut, if not nil, means that the test is to be executed as go test does. If it does not end before -timeout, that is a finding.
	// TimedOut stores and describes it.
	TimedOut func() string
}

func findingReport(text string) *Report { return &Report{Verdict: testsched.Verdict{Finding: text}} }

func noteReport(text string) *Report { return &Report{Verdict: testsched.Verdict{Note: text}} }

// unexplored reports whether the test is to be executed as go test does.
func (r *Report) unexplored() bool { return r == nil || r.TimedOut != nil }

// Test explores a test until shortly before a deadline; the zero time means no deadline. It returns nil if the test is to be executed as go
// test does.
func (s *Settings) Test(u testsched.Unit, race bool, deadline time.Time, runner testsched.Runner) *Report {
	s.runs = runs{Runs: agents.Runs{Dies: dying(u)}}
	if s.binary.Stage == testsched.StagePlain {
		return nil
	}
	c := s.Config
	c.Unit, c.Race, c.End = u, race, s.limits.end(deadline)
	switch {
	case s.Outcome != "" && s.Options.Schedule != "":
		return replayedAlone(s, &u, runner)
	case s.Options.Schedule != "":
		s.binary.read = append(s.binary.read, s.Options.Schedule)
		f, err := schedulefile.Load(s.Options.Schedule)
		if err != nil {
			return findingReport(fmt.Sprintf("macemc: %s: %v\n", s.Options.Schedule, err))
		}
		if !executes(u, f.Unit, runner) {
			return nil
		}
		c.Test = f.Test
		return replayed(s, &c, f, runner)
	}
	defer s.limits.begin(&c)()
	return dividing(s, &c, runner)
}

// explored explores a unit. first is called after the first run that is not of a stored schedule: its outcome ends the exploration, and nil
// continues it. The result is nil if the unit cannot be explored.
func explored(s *Settings, c *Config, runner testsched.Runner, first func(*testsched.Schedule,
	*testsched.Outcome) *testsched.Outcome) *Report {
	u := c.Unit
	corpus, err := schedulefile.List(u)
	s.binary.read = append(s.binary.read, schedulefile.Folder(u.Test))
	for _, f := range corpus {
		s.binary.read = append(s.binary.read, f.File)
	}
	if err != nil {
		s.summarizeAs(summary.Damaged, u, &Result{}, "")
		return findingReport(fmt.Sprintf("macemc: %v\n", err))
	}
	c.Corpus, c.Intrinsics = corpus, !ofModules(u.Package, s.modules)
	c.Progress = func(r *Result) { s.summarize(u, r, summary.EndedEarly) }
	c.Progress(&Result{}) // reserves room for a finding
	c.Long = func(text string) { s.announce(u.Package + " " + u.String() + ": " + text) }
	s.runs = runs{Runs: agents.Runs{Dies: dying(u)}, config: c}
	before, after := s.repetition(c)
	s.runs.Dies.Before, s.runs.Dies.After = s.runs.Dies.Before+"; to repeat: "+before, after
	r := explore(s, *c, runner, first)
	return concluded(s, c, r, runner)
}

// explore explores a test by a runner, and by other processes if it is one of a process.
func explore(s *Settings, c Config, runner testsched.Runner, first func(*testsched.Schedule,
	*testsched.Outcome) *testsched.Outcome) (result *Result) {
	showing := showing(c.Corpus)
	run := func(sch *testsched.Schedule) *testsched.Outcome {
		s.runs.Executed++
		sch.Showing = showing
		return runner.Run(sch, false)
	}
	if r, ok := runner.(*agents.Runner); ok {
		pool := agents.NewPool(r, opening(s, &c), s.binary.cores, showing)
		defer func() { pool.Close(result != nil && result.Ended) }()
		run, c.Agents = pool.Run, pool
	}
	return Explore(c, func(sch *testsched.Schedule) *testsched.Outcome {
		o := run(sch)
		if first != nil && len(sch.Switches) == 0 {
			stop := first(sch, o)
			if first = nil; stop != nil {
				return stop
			}
		}
		return o
	})
}

// concluded reports the result of an exploration.
func concluded(s *Settings, c *Config, r *Result, runner testsched.Runner) *Report {
	r.predictions.locate(runner)
	s.runs.places, s.runs.config = r.predictions.places, nil
	r.raise = s.limits.short(r)
	for _, file := range []*string{&r.Saved.UnfitFile, &r.Saved.UnlikeFile} {
		if *file != "" {
			*file = s.shown(*file)
		}
	}
	u := c.Unit
	if r.Finding == nil && r.Stop == nil {
		r.repeat(func(sch *testsched.Schedule) *testsched.Outcome { return s.replay(c, sch) })
	}
	switch {
	case r.Stop == divided:
		if delete(s.summary, u.String()); r.Saved != (summary.Saved{}) {
			s.summarize(u, r, "")
		}
		return nil
	case r.Stop != nil:
		s.summarize(u, r, "not explored: "+r.Stop.Message)
		return nil
	case r.Finding == nil:
		r.slow = slowness(r, func(runs int) string { return busiest(s, c, runs) })
		left, complete, note := "", "", r.incomplete()
		if r.Left != "" {
			left = "left after the test has returned: " + r.Left
		}
		if note != "" && r.Complete != nil {
			complete = r.Complete.String()
		}
		if note = summary.Joined(slowNote(r), left, complete, note); r.Ended {
			note = nearTimeout
		}
		return s.conclude(u, r, noteReport(strings.Join(append([]string{r.text()}, r.predictions.list()...), "\nmacemc: ")), note)
	}
	if why := r.tooLong(); why != "" {
		return s.executeLong(c, r, why)
	}
	report := s.found(c, r, runner)
	if report == nil {
		return nil
	}
	if report.Note != "" {
		report.Note = strings.Join(append([]string{report.Note}, headline(r.Finding)[1:]...), "\n")
	}
	if report.Finding == "" && r.Finding.HasRace() {
		report.Finding = report.Note + "\n"
	}
	return s.conclude(u, r, report, strings.TrimPrefix(report.Note, "macemc: "))
}

// found confirms, minimizes and describes a finding. It returns nil if there is none, and the test is to be executed as go test does.
func (s *Settings) found(c *Config, r *Result, runner testsched.Runner) *Report {
	how := fmt.Sprintf("found by schedule %d (%s)", r.number(), r.predictions.by(r.By))
	changed := runner.Changed()
	if r.FromFile {
		how = "found by a schedule in " + s.shown(schedulefile.Folder(c.Test))
	}
	s.storeUnconfirmed(c, r, r.Finding, "confirmed")
	if plainlyPasses(s, c, r, runner) {
		s.files.Discard()
		why := r.Finding.Message
		r.Finding = nil
		s.summarize(c.Unit, r, "not explored: it fails in each schedule, but not without exploration: "+why)
		return nil
	}
	if s.repeats(c, r) {
		s.files.Discard()
		return noteReport(fmt.Sprintf("macemc: it fails when it runs a second time, whatever the schedule: %s; its first run left something behind, for example a file or a setting of the process, which it should undo with t.Cleanup; only %s could be explored",
			r.Finding.Title(), program.Plural(r.Schedules-1, "schedule", "schedules")))
	}
	s.runs.Hasty = r.Finding.Patient
	defer func() { s.runs.Hasty = false }()
	d := unconfirmed{how: how, changed: changed}
	again := s.replay(c, r.Found)
	d.add(r.Found, again)
	if again == nil || !again.SameFinding(r.Finding) { // other tests may have run before, or the initialization by the first run is irrelevant
		other := *r.Found
		other.Warm = !other.Warm
		o := s.replay(c, &other)
		d.add(&other, o)
		if o != nil && o.SameFinding(r.Finding) {
			r.Found, again = &other, o
		}
	}
	if again == nil || !again.SameFinding(r.Finding) || s.anyway(c, r) {
		return s.processes(c, r, &d)
	}
	m := &minimize.Result{Schedule: r.Found, Outcome: again, By: r.prediction}
	if !r.Finding.Spins { // each run of such a finding takes long
		s.storeUnconfirmed(c, r, again, "minimized")
		less := minimize.Run(r.Found, r.Finding, r.prediction, s.limits.latest, runner.Run)
		s.runs.Hasty = false // with fewer switches, a run may show the finding only if it does not wait
		if o := s.replay(c, less.Schedule); o != nil && o.SameFinding(r.Finding) && !r.knows(o) {
			less.Show(o)
			m = less
		} else if o := s.replay(c, r.Found); o != nil && o.Kind == testsched.Passed {
			return s.undetermined(again, how, s.trials(2, 1, func() *testsched.Outcome { return s.replay(c, r.Found) }))
		}
	}
	if r.Finding == r.First { // its output is shown
		m.Outcome.Printed = r.First.Printed.HiddenLines()
	}
	return confirmed(s, c, m, how+onlyWarm(s, c, r, m, changed, runner))
}

// repeats reports whether the schedule of the first run, which passed, shows the finding in new processes. The runs so far have then
// changed what the test finds outside of its process, or what processes inherit. A data race counts in any case: the detector can miss it
// in the first run.
func (s *Settings) repeats(c *Config, r *Result) bool {
	if r.First.Kind != testsched.Passed || r.Finding.HasRace() {
		return false
	}
	run := func() *testsched.Outcome { return s.replay(c, r.first) }
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
	return o != nil && o.Kind == testsched.Passed
}

// again returns a command that repeats an exploration up to its finding.
func (s *Settings) again(c *Config, r *Result) string {
	before, after := s.repetition(c)
	return before + strconv.Itoa(r.Schedules) + after
}

// repetition returns a command that repeats an exploration, before and after the number of schedules.
func (s *Settings) repetition(c *Config) (before, after string) {
	if c.Delay > 0 {
		after += fmt.Sprintf(" -explore-delay %v", c.Delay)
	}
	if c.Exhaustive {
		after += " -exhaustive"
		if c.Preemptions < systematic.Unbounded {
			after += fmt.Sprintf("=%d", c.Preemptions)
		}
	}
	flags, args := s.command(c)
	return fmt.Sprintf("macemc test %s -explore-seed %d -schedules ", flags, c.Seed), after + " " + c.Package + args
}
