package testsched

import (
	"slices"
	"time"
)

// Minimized is a finding with as few context switches as were found to lead to it, and what explains it.
type Minimized struct {
	Schedule *Schedule
	Outcome  *Outcome // traced
	Runs     int      // executions that it took
	Critical int      // number of the step, from 1 on, after which no continuation passed; 0 means unknown
	Passing  int      // of Tried continuations from before that step
	Tried    int
	Removed  *Switch // without it the run passes; nil means that no such switch is known
}

// Bounds of each part of minimization: it ends after minimizeMost, and before if minimizeTime and minimizeRuns are both used up.
const (
	minimizeTime  = 2 * time.Second
	minimizeMost  = 10 * time.Second
	minimizeRuns  = 1500
	continuations = 200
)

// budget limits a part of the work.
type budget struct {
	start stopwatch
	first int // runs before it
	m     *Minimized
}

func (m *Minimized) budget() budget { return budget{startWatch(), m.Runs, m} }

func (b budget) left() bool {
	return !b.start.over(minimizeTime) || !b.start.over(minimizeMost) && b.m.Runs-b.first < minimizeRuns
}

// Minimize removes switches while the finding stays, and looks for the step from which on no continuation passes. traced executes a run and
// records its events.
func Minimize(found *Schedule, finding *Outcome, run, traced func(*Schedule) *Outcome) *Minimized {
	m := &Minimized{Schedule: found, Outcome: finding}
	budget := m.budget()
	try := func(list []Switch) bool {
		s := *found
		s.Policy, s.Switches = Default, list
		m.Runs++
		return run(&s).Same(finding)
	}
	list := slices.Clone(found.Switches)
	if !try(list) {
		return m
	}
	list = remove(list, func(list []Switch) bool { return budget.left() && try(list) })
	list = m.shorter(list, finding, run, try)
	s := *found
	s.Switches = list
	m.Schedule = &s
	m.Runs++
	if o := traced(&s); o.Same(finding) {
		m.Outcome = o
	}
	for i := len(list) - 1; i >= 0 && budget.left(); i-- {
		less := s
		less.Switches = slices.Delete(slices.Clone(list), i, i+1)
		m.Runs++
		if run(&less).Kind == Passed {
			m.Removed = &list[i]
			break
		}
	}
	m.critical(run)
	return m
}

// fewSwitches is how many switches a schedule may have that is not replaced by another one.
const fewSwitches = 3

// shorter looks for another run with the finding that has fewer switches than list. Removing one switch after another ends in a local
// minimum: each of many switches may be needed because of the others. It samples schedules with few switches and minimizes those that show
// the finding.
func (m *Minimized) shorter(list []Switch, finding *Outcome, run func(*Schedule) *Outcome, try func([]Switch) bool) []Switch {
	budget := m.budget()
	for n := 0; len(list) > fewSwitches && budget.left(); n++ {
		s := *m.Schedule
		s.Policy, s.Every, s.Switches = Random, 8<<(n%7), nil
		s.Walk = mix(s.Seed ^ uint64(n)<<32)
		if n%2 == 1 {
			s.Policy, s.Drops = PCT, []uint64{1 + s.Walk%max(finding.Points, 1), 1 + mix(s.Walk)%max(finding.Points, 1)}
		}
		m.Runs++
		o := run(&s)
		if o.Lost || !o.Same(finding) {
			continue
		}
		if other := o.Switches; budget.left() && try(other) {
			other = remove(slices.Clone(other), func(list []Switch) bool { return budget.left() && try(list) })
			if len(other) < len(list) {
				list = other
			}
		}
	}
	return list
}

// remove makes a list as short as it gets while keep holds, by halves first (Zeller and Hildebrandt, TSE 2002).
func remove(list []Switch, keep func([]Switch) bool) []Switch {
	for size := (len(list) + 1) / 2; size > 0; {
		removed := false
		for from := 0; from < len(list); {
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

// critical finds the step after which no continuation passes, by bisection over the events of the run.
func (m *Minimized) critical(run func(*Schedule) *Outcome) {
	budget := m.budget()
	passes := func(until int) (passing, tried int) {
		for tried < continuations && budget.left() {
			s := *m.Schedule
			s.Policy, s.Every = Random, 1+uint32(tried%5)*3
			if until > 0 {
				s.Until = m.Outcome.Trace[until-1].Point
			}
			s.Walk = mix(uint64(until)<<32 ^ uint64(tried))
			m.Runs++
			tried++
			if run(&s).Kind == Passed {
				passing++
				if passing == 3 {
					break
				}
			}
		}
		return passing, tried
	}
	low, high := 0, len(m.Outcome.Trace) // a continuation from low passes, and none from high
	n, tried := passes(0)
	if n == 0 || high == 0 {
		return
	}
	if m.Outcome.Trace[high-1].Point < m.Outcome.Points {
		if later, _ := passes(high); later > 0 { // it is no event, or there was no room for it
			return
		}
	}
	m.Passing, m.Tried = n, tried
	for low+1 < high {
		mid := (low + high) / 2
		n, tried := passes(mid)
		if tried == 0 || n == 0 && tried < continuations {
			return
		}
		if n > 0 {
			low, m.Passing, m.Tried = mid, n, tried
		} else {
			high = mid
		}
	}
	m.Critical = high
}
