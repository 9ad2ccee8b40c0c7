package agents

import "github.com/macemc/macemc/internal/testsched"

// Runs describes the runs of an exploration.
type Runs struct {
	Executed int // number of the latest one
	Dies     testsched.Dying
	Hasty    bool // see [testsched.Manner]
}

// Runner executes a test in a process. It implements [testsched.Runner].
type Runner struct {
	*Session
	Runs   *Runs
	Record string // see [testsched.Manner]
	part   string // subtest; empty means the whole test
}

// Run implements [testsched.Runner].
func (r *Runner) Run(s *testsched.Schedule, traced bool) *testsched.Outcome {
	return r.execute([]*testsched.Schedule{s}, &testsched.Request{Traced: traced, Executed: r.Runs.Executed}).Outcomes[0]
}

// execute executes the first of some schedules, at least one, by a request.
func (r *Runner) execute(list []*testsched.Schedule, q *testsched.Request) *testsched.Response {
	for _, s := range list {
		s.Hasty, s.Record = r.Runs.Hasty, r.Record
	}
	q.What, q.Part, q.Schedules, q.Dies = testsched.Run, r.part, list, r.Runs.Dies
	return r.ask(q)
}

// Debug executes a schedule in a process that a debugger stops. repeats means that the run before had the outcome of the first one.
func (r *Runner) Debug(s *testsched.Schedule, traced, repeats bool) *testsched.Outcome {
	return r.ask(&testsched.Request{What: testsched.Run, Part: r.part, Schedules: []*testsched.Schedule{s}, Traced: traced,
		Debugged: true, Repeats: repeats}).Outcomes[0]
}

// Changed implements [testsched.Runner].
func (r *Runner) Changed() []string {
	return r.ask(&testsched.Request{What: testsched.Changed, Part: r.part}).Names
}

// Locate returns the positions of program counters.
func (r *Runner) Locate(at []uintptr) []string {
	return r.ask(&testsched.Request{What: testsched.Located, Places: at}).Names
}

// Subtests implements [testsched.Runner].
func (r *Runner) Subtests() []testsched.Subtest {
	return r.ask(&testsched.Request{What: testsched.Subtests, Part: r.part}).Subtests
}

// Specs implements [testsched.Runner].
func (r *Runner) Specs() string {
	return r.ask(&testsched.Request{What: testsched.Specs, Part: r.part}).Names[0]
}

// Select implements [testsched.Runner].
func (r *Runner) Select(only string, without []string, shown bool) {
	r.ask(&testsched.Request{What: testsched.Select, Part: r.part, Only: only, Without: without, Shown: shown})
}

// Part implements [testsched.Runner].
func (r *Runner) Part(test string) testsched.Runner {
	return &Runner{Session: r.Session, Runs: r.Runs, Record: r.Record, part: test}
}
