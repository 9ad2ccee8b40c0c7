package minimize

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"time"

	"github.com/macemc/macemc/internal/agents"
	"github.com/macemc/macemc/internal/explorer/schedulefile"
	"github.com/macemc/macemc/internal/predict"
	"github.com/macemc/macemc/internal/testsched"
)

// Result is a finding with a minimized number of context switches, and an explanation.
type Result struct {
	Schedule *testsched.Schedule
	Outcome  *testsched.Outcome  // traced
	Critical int                 // number of the step, starting at 1, after which none of the sampled continuations passes; 0 means unknown
	Unknown  string              // why Critical is 0; empty also if it is not looked for, or no schedule of the test passes
	Removed  *testsched.Switch   // switch without which the run passes; nil means unknown
	By       *predict.Prediction // that led to the finding; nil means none
	execute  Execute
	finding  *testsched.Outcome // that was found
	runs     int                // number of executions
	few      int                // number of switches below which no random schedule is tried: that of the holds of a directed schedule
	end      time.Time
}

// Show replaces the run by the same one in another process. The initialization of packages may have shifted the steps there: the critical
// one is the same occurrence of its operation. It is unknown if the traces of a long run begin elsewhere.
func (m *Result) Show(o *testsched.Outcome) {
	if o.Untraced != m.Outcome.Untraced {
		m.Critical = 0
	}
	if m.Critical > 0 {
		at := m.Outcome.Trace[m.Critical-1]
		same := func(e testsched.Event) bool { return e.Who == at.Who && e.Op == at.Op && e.At == at.At }
		n := 0
		for _, e := range m.Outcome.Trace[:m.Critical] {
			if same(e) {
				n++
			}
		}
		m.Critical = 0
		for i, e := range o.Trace {
			if same(e) {
				if n--; n == 0 {
					m.Critical = i + 1
				}
			}
		}
	}
	m.Outcome = o
}

// Execute executes a test under a schedule. With traced, it records the events.
type Execute func(s *testsched.Schedule, traced bool) *testsched.Outcome

// run executes a schedule.
func (m *Result) run(s *testsched.Schedule, traced bool) *testsched.Outcome {
	m.runs++
	return m.execute(s, traced)
}

// try reports whether the default order with some switches shows the finding.
func (m *Result) try(list []testsched.Switch) bool {
	s := *m.Schedule
	s.Policy, s.Switches = testsched.Default, list
	return m.run(&s, false).Equal(m.finding)
}

// Bounds of each phase of minimization. A phase may take phaseTime. If it has executed fewer than phaseRuns runs
// by then, it continues up to that number, or until Longest, while no more than phaseTime passes without progress.
const (
	phaseTime     = 2 * time.Second
	Longest       = 10 * time.Second
	phaseRuns     = 1500
	Continuations = 200 // sampled from a step before it counts as one from which no run passes
)

// budget limits a phase.
type budget struct {
	start  agents.Stopwatch
	recent agents.Stopwatch // since the latest progress
	first  int              // runs before the phase
	m      *Result
}

func (m *Result) budget() *budget {
	start := agents.StartWatch(m.end)
	return &budget{start, start, m.runs, m}
}

func (b *budget) left() bool {
	return !b.start.Over(phaseTime) ||
		!b.start.Over(Longest) && b.m.runs-b.first < phaseRuns && !b.recent.Over(phaseTime)
}

func (b *budget) progress() { b.recent = agents.StartWatch(b.m.end) }

// Run removes switches while the finding persists, and looks for the critical step unless it is a data race. No phase begins or continues
// after end; the zero time means no limit. by is the prediction that led to the finding, or nil.
func Run(found *testsched.Schedule, finding *testsched.Outcome, by *predict.Prediction, end time.Time, execute Execute) *Result {
	m := &Result{Schedule: found, Outcome: finding, By: by, execute: execute, finding: finding, end: end}
	if by != nil {
		m.few = len(by.Holds)
	}
	budget := m.budget()
	list := slices.Clone(found.Switches)
	if !m.try(list) {
		return m
	}
	list = Remove(list, budget.left, func(list []testsched.Switch) bool {
		ok := m.try(list)
		if ok {
			budget.progress()
		}
		return ok
	})
	list = m.shorter(m.predicted(list))
	s := *found
	s.Switches = list
	m.Schedule = &s
	if o := m.run(&s, true); o.Equal(finding) {
		m.Outcome = o
	}
	left := true
	i := Without(list, func(list []testsched.Switch) bool {
		less := s
		less.Switches, less.Brief = list, true
		passes := m.run(&less, false).Passes()
		left = passes || budget.left()
		return passes || !left
	})
	if left && i >= 0 {
		m.Removed = &list[i]
	}
	m.shortenDelay()
	if finding.Kind != testsched.Race { // both accesses explain it
		m.Critical, m.Unknown = m.critical()
	}
	return m
}

// Without removes one switch at a time, starting with the last, until stop returns true for the others. It returns the index of the removed
// switch, or -1 if stop never returned true.
func Without(list []testsched.Switch, stop func([]testsched.Switch) bool) int {
	for i := len(list) - 1; i >= 0; i-- {
		if stop(slices.Delete(slices.Clone(list), i, i+1)) {
			return i
		}
	}
	return -1
}

// pausesTried is the number of schedules with pauses with which one of at most FewSwitches switches is compared.
const pausesTried = 300

// shorter looks for another run with the finding that has fewer switches than list. Removing single switches ends in a local minimum,
// because switches may depend on each other. shorter therefore samples schedules with few switches or pauses and minimizes those that show
// the finding.
func (m *Result) shorter(list []testsched.Switch) []testsched.Switch {
	if len(list) <= max(1, m.few) {
		return list
	}
	budget := m.budget()
	s := *m.Schedule
	s.Switches = list
	some := pausesOf(m.run(&s, true).Trace)
	for n := 0; (len(list) > schedulefile.FewSwitches || len(list) > 1 && n < pausesTried) && budget.left(); n++ {
		s := *m.Schedule
		if n%3 == 2 || len(list) <= schedulefile.FewSwitches {
			if other := some.draw(testsched.Mix(s.Seed^uint64(n)<<32), min(1+n/3%3, len(list)-1)); m.try(other) {
				list = Remove(other, budget.left, m.try)
				budget.progress()
			}
			continue
		}
		s.Policy, s.Every, s.Switches = testsched.Random, 8<<(n%7), nil
		s.Walk = testsched.Mix(s.Seed ^ uint64(n)<<32)
		if n%2 == 1 {
			s.Policy, s.Drops = testsched.PCT, []uint64{1 + s.Walk%max(m.finding.Points, 1), 1 + testsched.Mix(s.Walk)%max(m.finding.Points, 1)}
		}
		o := m.run(&s, false)
		if o.Incomplete || !o.Equal(m.finding) {
			continue
		}
		if other := o.Switches; budget.left() && m.try(other) {
			other = Remove(slices.Clone(other), budget.left, m.try)
			if len(other) < len(list) {
				list = other
				budget.progress()
			}
		}
	}
	return list
}

// predictedTries is the maximum number of predictions from a failing run that Result.predicted executes.
const predictedTries = 64

// predicted looks for a directed schedule with the finding that has fewer switches than list. It analyses the failing run.
func (m *Result) predicted(list []testsched.Switch) []testsched.Switch {
	if len(list) <= max(1, m.few) {
		return list
	}
	budget, p := m.budget(), predict.New(int64(cmp.Or(m.Schedule.Delay, testsched.UsualDelay)))
	s := *m.Schedule
	s.Policy, s.Switches, s.Recorded = testsched.Default, list, true
	p.Add(m.run(&s, false).Events, 1, nil)
	s.Recorded = false
	for range predictedTries {
		if s.Prediction = p.Best(); s.Prediction == nil || !budget.left() {
			break
		}
		for _, base := range [][]testsched.Switch{nil, list} {
			s.Switches = base
			o := m.run(&s, false)
			if o.Incomplete || !o.Equal(m.finding) || len(o.Switches) >= len(list) && base == nil || !m.try(o.Switches) {
				continue
			}
			other := Remove(slices.Clone(o.Switches), budget.left, m.try)
			if len(other) < len(list) {
				list, m.few = other, len(s.Prediction.Holds)
				budget.progress()
				if len(list) <= m.few {
					return list
				}
			}
		}
	}
	return list
}

// pausesBefore are the pauses before the operations of a run: of the user's code, and of all.
type pausesBefore struct{ direct, all []testsched.Switch }

func pausesOf(trace []testsched.Event) (p pausesBefore) {
	for _, e := range trace {
		s := testsched.Switch{Who: e.Who, Place: e.Place, To: testsched.Pauses}
		p.all = append(p.all, s)
		if e.Direct {
			p.direct = append(p.direct, s)
		}
	}
	return p
}

// draw returns up to n random pauses, three of four in the user's code.
func (p pausesBefore) draw(seed uint64, n int) (list []testsched.Switch) {
	for range n {
		seed = testsched.Mix(seed)
		from := p.all
		if len(p.direct) > 0 && seed>>62 > 0 {
			from = p.direct
		}
		if len(from) == 0 {
			return list
		}
		if s := from[seed%uint64(len(from))]; !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

// Remove removes parts of a list for which keep returns true without them, starting with halves (Zeller and Hildebrandt, TSE 2002). It ends
// when left returns false.
func Remove(list []testsched.Switch, left func() bool, keep func([]testsched.Switch) bool) []testsched.Switch {
	for size := (len(list) + 1) / 2; size > 0; {
		removed := false
		for from := 0; from < len(list); {
			if !left() {
				return list
			}
			less := slices.Delete(slices.Clone(list), from, min(from+size, len(list)))
			if keep(less) {
				list, removed = less, true
			} else {
				from += size
			}
		}
		if size == 1 && !removed {
			break
		}
		size = (size + 1) / 2
	}
	return list
}

// convincing is the number of random continuations from the state before the critical step that pass. With fewer, that none of those after
// it passes may be chance.
const convincing = 5

// critical finds the step after which none of the sampled continuations passes, by bisection over the events of the run. A passing
// continuation may exist nevertheless. The first continuation has the default order, which random ones rarely have.
func (m *Result) critical() (step int, unknown string) {
	budget := m.budget()
	sample := func(until, first, enough int) (passed, tried int) {
		for tried = first; passed < enough && tried < Continuations && budget.left(); {
			s := *m.Schedule
			s.Policy, s.Every, s.Brief = testsched.Random, 1+uint32(tried%5)*3, true
			s.Walk = testsched.Mix(uint64(until)<<32 ^ uint64(tried))
			if until > 0 {
				s.Until = m.Outcome.Trace[until-1].Count
			} else {
				s.Seed, s.Switches = s.Walk, nil
			}
			if tried < 0 {
				s.Policy = testsched.Default
			}
			tried++
			if m.run(&s, false).Passes() {
				passed++
			}
		}
		return passed, tried
	}
	passes := func(until int) (bool, int) {
		passed, tried := sample(until, -1, 1)
		return passed > 0, tried
	}
	low, high := 0, len(m.Outcome.Trace) // some continuation from low passes, and none from high
	if passed, _ := passes(0); !passed || high == 0 {
		return 0, ""
	}
	budget.progress()
	if m.Outcome.Trace[high-1].Count < m.Outcome.Executed {
		if later, _ := passes(high); later { // it is not an event, or the trace was full
			return 0, "the test can pass after the last recorded step"
		}
	}
	for low+1 < high {
		mid := (low + high) / 2
		passed, tried := passes(mid)
		if !passed && tried < Continuations {
			return 0, "the time for its search was used up"
		}
		budget.progress()
		if passed {
			low = mid
		} else {
			high = mid
		}
	}
	if low == 0 && m.Outcome.Untraced > 0 {
		return 0, "it may be before the recorded steps"
	}
	if passed, tried := sample(low, 0, convincing); passed < convincing {
		return 0, fmt.Sprintf("before step %d, only %d of %d random continuations pass, and after it none:\n> step %[1]d: %[4]v",
			high, passed, tried, &m.Outcome.Trace[high-1])
	}
	return high, ""
}

// shortenDelay looks for the shortest delay with which the run has the finding, to a millisecond.
func (m *Result) shortenDelay() {
	const unit = testsched.UsualDelay
	most := int((m.Schedule.Delay + unit - 1) / unit)
	with := func(n int) *testsched.Schedule {
		s := *m.Schedule
		if s.Delay = time.Duration(n) * unit; n == 1 {
			s.Delay = 0
		}
		return &s
	}
	n := 1 + sort.Search(most-1, func(i int) bool { return m.run(with(i+1), false).Equal(m.finding) })
	if n >= most {
		return
	}
	if s := with(n); m.run(s, true).Equal(m.finding) {
		m.Schedule, m.Outcome = s, m.run(s, true)
	}
}
