package explorer

import (
	"cmp"
	"fmt"
	"time"

	"github.com/macemc/macemc/internal/agents"
	"github.com/macemc/macemc/internal/explorer/schedulefile"
	"github.com/macemc/macemc/internal/explorer/summary"
	"github.com/macemc/macemc/internal/explorer/systematic"
	"github.com/macemc/macemc/internal/testsched"
)

// Config configures the exploration of a test. A command determines the fields that JSON has.
type Config struct {
	testsched.Unit `json:"-"`
	Seed           uint64
	Schedules      int                    // maximum number; 0 means no limit
	Time           time.Duration          // 0 means no limit
	End            time.Time              `json:"-"` // no schedule begins after it; the zero time means no limit
	Race           bool                   `json:"-"` // the build has the race detector
	Corpus         []*schedulefile.Stored `json:"-"` // schedules to execute first
	Delay          time.Duration          // maximum delay of a goroutine that can run; 0 means [UsualDelay]
	Exhaustive     bool                   // schedules are sampled only if they cannot be enumerated, or if they draw
	NoLeaks        bool                   // leaks are noted and not reported as findings
	Intrinsics     bool                   `json:"-"` // functions of package sync/atomic are not scheduling points in the package
	Preemptions    int                    // maximum with Exhaustive; systematic.Unbounded means any number
	Progress       func(*Result)          `json:"-"` // called between runs, about once per second; nil means none
	Long           func(string)           `json:"-"` // called before a run that may take long; nil means none
	Agents         Agents                 `json:"-"` // execute several schedules together; nil means that each one is executed for itself
}

// Result is the result of an exploration.
type Result struct {
	Schedules int
	Orders    int  // number of distinct orders of goroutines
	Once      int  // number of orders that occurred once
	Saturated bool // no new order occurred for many runs
	Ended     bool // stopped at Config.End
	TooLong   int  // runs that exceeded the limit of points and would have ended under a fair schedule
	Elapsed   time.Duration
	Finding   *testsched.Outcome // nil means none
	Found     *testsched.Schedule
	origin
	known    []*accepted // of the corpus
	Saved    summary.Saved
	race     bool               // Config.Race
	noLeaks  bool               // Config.NoLeaks
	passed   int                // number of runs
	Stop     *testsched.Outcome // run that showed that the test cannot be explored
	Left     string             // describes the first reachable goroutine that a run left behind; empty means none
	First    *testsched.Outcome
	first    *testsched.Schedule // of First
	reported *Report             // of the finding
	Last     *testsched.Outcome
	Complete *systematic.Coverage // nil means that schedules may be missing
	Missing  string               // why schedules may be missing
	Delays   time.Duration        // maximum delay, if any run has Outcome.Delays; else 0
	effort
	lengths
	// Exhaustive means Config.Exhaustive.
	Exhaustive bool
}

// origin is how Finding was found.
type origin struct {
	By       testsched.Policy
	leftBy   int  // number of the run with a leak that another run has shown to be one; 0 means that Finding is that of the last run
	FromFile bool // Found comes from the corpus
}

// number returns the number of the run with the finding.
func (r *Result) number() int { return cmp.Or(r.leftBy, r.Schedules) }

type effort struct {
	sampled   int               // number of schedules that were drawn
	drawn     testsched.Sampled // Outcome.Sampled of all runs of an exhaustive exploration
	spent     bool              // the time limit ended the exploration
	processor time.Duration     // of the exploration
	slow      string            // why a run takes long; empty means that it does not
	raise     string            // what limited the time if not Config.Time of the command; empty means that this did
	points    uint64            // of all runs
	predictions
}

// lengths are limits of runs.
type lengths struct {
	limit   uint64 // maximum number of points; 0 means the default
	hurried uint64 // runs are hurried, because the first one exceeds this number of points otherwise; 0 means that they are not
}

// unhurriedLimit returns the maximum number of points of a run that is not hurried; 0 means the default.
func (l lengths) unhurriedLimit() uint64 { return max(l.limit, longer*l.hurried) }

// Bounds of an exploration that are not configurable.
const (
	minSaturated = 200     // runs without a new order before an exploration may stop
	maxOrders    = 1 << 16 // maximum number of orders that are counted
	longer       = 10      // factor of the limit of points for a test whose first run exceeds the usual limit
)

// execute executes a test under a schedule.
type execute func(*testsched.Schedule) *testsched.Outcome

// exploration is an exploration in progress.
type exploration struct {
	*Config
	result *Result
	run    execute
	start  agents.Stopwatch
	shown  time.Time      // of the latest call of Progress
	orders map[uint64]int // numbers of runs, by the hash of their order
	fresh  int            // number of the latest run with a new order
	leaks  leftovers
}

// Explore executes a test under many schedules, until a run fails or a limit is reached. run executes the test once.
func Explore(c Config, run execute) *Result {
	r, start := &Result{Exhaustive: c.Exhaustive, race: c.Race, noLeaks: c.NoLeaks}, agents.StartWatch(time.Time{})
	x := &exploration{Config: &c, result: r, run: run, start: start, shown: start.Start, orders: map[uint64]int{},
		leaks: leftovers{ended: map[uintptr][]counts{}, places: map[uintptr]string{}}}
	if !x.replayStored() {
		x.explore()
	}
	if r.Finding == nil && r.Stop == nil {
		x.confirmLeak()
	}
	r.Elapsed, r.processor = time.Since(start.Start), start.Spent()
	return r
}

// replayStored executes the stored schedules, and reports whether one of them ends the exploration.
func (x *exploration) replayStored() bool {
	r := x.result
	for _, f := range x.Corpus {
		if f.Known != "" {
			r.known = append(r.known, &accepted{Stored: f})
		}
	}
	for _, f := range x.Corpus {
		s := f.Schedule
		if s.Warm && r.Schedules == 0 && x.step(&warmUp, nil) {
			return true
		}
		if x.step(&s, nil) {
			r.FromFile = r.Finding != nil
			return true
		}
		applied := r.Last.Followed >= len(s.Switches)
		if f.Known == "" && r.Last.Kind == testsched.Passed {
			r.Saved.Pass(f.File, f.Race != x.Race, applied)
		}
		for _, k := range r.known {
			if k.Stored == f {
				k.executed, k.applied = true, applied
			}
		}
	}
	return false
}

// explore executes schedules until a limit is reached: drawn ones, and all of a small test or of an exhaustive exploration.
func (x *exploration) explore() {
	r, d := x.result, newDirector(x)
	if x.Exhaustive {
		d.drawn = 1 // the first run of exhaust has the default order
		if d.exhaust(0) || x.spent() {
			return
		}
	}
	for !d.sample() {
		small := d.drawn == 3 && r.Orders == 1 && r.First.Choices == 0 || d.drawn == minSaturated+1 && r.First.Choices <= exhaustiveChoices
		if !x.Exhaustive && small && d.exhaustSmall() || x.spent() {
			return
		}
		drawn := x.Exhaustive && r.Complete != nil // other draws may fail in known orders
		if since := r.Schedules - x.fresh; since >= minSaturated && since >= 4*r.Orders && r.Once*20 <= r.Orders && (!drawn || x.drawnEnough()) {
			r.Saturated = true
			return
		}
	}
}

// drawnEnough reports whether an exhaustive exploration without a number of schedules has drawn enough of them.
func (x *exploration) drawnEnough() bool {
	return x.Schedules == 0 && x.result.sampled >= exhaustiveRuns
}

// spent reports whether a limit of the exploration is reached.
func (x *exploration) spent() bool {
	r := x.result
	return x.Exhaustive && x.drawnEnough() && r.Complete == nil || x.Schedules > 0 && r.Schedules >= x.Schedules || r.over(x.Config, x.start, 1)
}

// confirmLeak reports whether a goroutine that a run left behind is a leak, which is then the finding.
func (x *exploration) confirmLeak() bool {
	r := x.result
	for l := x.leaks.possibleLeak(); l != nil && !x.NoLeaks; l = x.leaks.possibleLeak() {
		if o := x.run(l.schedule); o.Kind == testsched.Leak && !r.accept(o, 1) && !r.excuses(l.schedule, o, l.run, x.Delay, x.run) {
			r.Finding, r.By, r.Found, r.leftBy = o, l.by, l.schedule, l.run
			return true
		}
		l.refuted = true
	}
	return false
}

// step adds a run, and reports whether it ends the exploration. Without an outcome, it executes the schedule.
func (x *exploration) step(s *testsched.Schedule, o *testsched.Outcome) bool {
	if x.confirmLeak() {
		return true
	}
	r, begun := x.result, time.Now()
	if x.Progress != nil && begun.Sub(x.shown) >= time.Second {
		if r.Elapsed = begun.Sub(x.start.Start); r.Schedules > 0 {
			x.Progress(r)
		}
		x.shown, begun = begun, time.Now()
	}
	if o == nil {
		bound(r, s)
		o = x.run(s)
	}
	if o.Lengthy() && o.Advances == 0 && r.Schedules == 0 && s.Policy == testsched.Default {
		o = r.lengthen(x.Config, s, o, time.Since(begun), x.run)
	}
	r.Schedules, r.points, r.Last = r.Schedules+1, r.points+o.Points, o
	if o.Delays {
		r.Delays = cmp.Or(x.Delay, testsched.UsualDelay)
	}
	if r.First == nil {
		r.First, r.first = o, s
	}
	if o.Kind == testsched.Unexplored {
		r.Stop = o
		return true
	}
	if len(o.Left) > 0 && r.Left == "" {
		r.Left = o.Left[0].Text
	}
	x.count(o.Hash)
	return x.judge(s, o)
}

// count counts the order of a run.
func (x *exploration) count(order uint64) {
	r := x.result
	switch x.orders[order]++; {
	case x.orders[order] == 1 && len(x.orders) <= maxOrders:
		x.fresh = r.Schedules
		r.Orders++
		r.Once++
	case x.orders[order] == 1:
		delete(x.orders, order)
	case x.orders[order] == 2:
		r.Once--
	}
}

// judge reports whether a run has a new finding, which is then that of the exploration.
func (x *exploration) judge(s *testsched.Schedule, o *testsched.Outcome) bool {
	r := x.result
	switch {
	case o.Cut:
		return false
	case o.Kind == testsched.Passed:
		r.passed++
		x.leaks.add(o, s, r.Schedules)
		return false
	case o.Kind == testsched.Leak && x.NoLeaks:
		r.passed++
		if r.Left == "" && len(o.Details) > 0 {
			r.Left = o.Details[0]
		}
		return false
	case o.Lengthy() && r.Schedules > 1 && (r.limit+r.hurried > 0 || r.ends(s, o, x.run)):
		r.TooLong++
		return false
	case r.accept(o, 1), r.excuses(s, o, r.Schedules, x.Delay, x.run):
		return false
	}
	found := s.Replayed(o, r.Schedules)
	if o = r.unhurried(s, found, o, x.run); o == nil {
		return false
	}
	r.Finding, r.By, r.Found, r.prediction = o, s.Policy, found, s.Prediction
	r.Found.Ends, r.Found.Remain = s.Ends, s.Remain
	return true
}

// lengthen repeats the first run of a test, which has exceeded the limit of points. If a hurried run passes, all others are hurried, too: a
// finding of such a run counts if it recurs without hurry. Otherwise the limit is raised. took is the duration of the run.
func (r *Result) lengthen(c *Config, s *testsched.Schedule, o *testsched.Outcome, took time.Duration, run execute) *testsched.Outcome {
	if len(s.Switches) == 0 {
		s.Hurried = true
		if hurried := run(s); hurried.Kind == testsched.Passed {
			r.hurried = o.Points
			return hurried
		}
		s.Hurried = false
	}
	if !c.End.IsZero() && time.Until(c.End) <= longer*took {
		return o
	}
	if c.Long != nil {
		c.Long(fmt.Sprintf("the first run %s; it is repeated with %d times as many", o.LimitExceeded(), longer))
	}
	r.limit = longer * o.Points
	s.Limit = r.limit
	return run(s)
}

// unhurried returns the outcome of a run, or of its repetition without hurry. nil means that the repetition differs: the run lacked time.
func (r *Result) unhurried(s, found *testsched.Schedule, o *testsched.Outcome, run execute) *testsched.Outcome {
	if !s.Hurried {
		return o
	}
	found.Limit = r.unhurriedLimit()
	if again := run(found); again.SameFinding(o) {
		return again
	}
	r.TooLong++
	return nil
}

// tooLong describes how the first run of a test exceeds the limits, in the default order, if that is the finding.
func (r *Result) tooLong() string {
	if r.Finding.Kind != testsched.NoEnd || r.First.Kind != testsched.NoEnd || r.First.Clock > 0 || r.FromFile && len(r.Found.Switches) > 0 {
		return ""
	}
	return r.First.LimitExceeded()
}

// over reports whether the time limit, or one of parts equal parts of Config.Time, is used up.
func (r *Result) over(c *Config, start agents.Stopwatch, parts int) bool {
	r.Ended = !c.End.IsZero() && !time.Now().Before(c.End)
	r.spent = c.Time > 0 && start.Over(c.Time/time.Duration(parts))
	return r.Ended || r.spent
}

// ends reports whether a run that exceeded the limit of points ends if a random walk continues it. Such a run is long, or its schedule is
// unfair.
func (r *Result) ends(s *testsched.Schedule, o *testsched.Outcome, run execute) bool {
	if r.TooLong >= 3 {
		return true // as earlier runs did
	}
	c := s.Replayed(o, r.Schedules)
	c.Policy, c.Every, c.Walk, c.Until, c.Limit, c.Unfair = testsched.Random, 3, s.Seed, o.Points, longer*o.Points, false
	return run(c).Kind != testsched.NoEnd
}

// knownShare returns the estimated share of further runs with a known order (Good, 1953).
func (r *Result) knownShare() float64 {
	if r.Schedules == 0 {
		return 0
	}
	return 1 - float64(r.Once)/float64(r.Schedules)
}

// outcome returns the outcome of an exploration that [Settings.recurs] repeats.
func (r *Result) outcome() *testsched.Outcome {
	rest := &testsched.Outcome{}
	if r.Ended {
		rest.Kind = testsched.Unexplored
	}
	return cmp.Or(r.Stop, r.Finding, rest)
}
