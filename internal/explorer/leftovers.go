package explorer

import (
	"slices"

	"github.com/macemc/macemc/internal/testsched"
)

// leftovers compares, by go statement or call of WaitGroup.Go, the goroutines that runs leave behind when their test returns. Such a
// goroutine is a leak if another run ends all goroutines of its go statement and leaves behind only some of the others. Goroutines that
// every run leaves behind, such as those of a package, or in whose place others remain, are not leaks.
type leftovers struct {
	left   []leftover
	ended  map[uintptr][]counts // by go statement: what runs leave behind that ended all its goroutines; none includes another
	places map[uintptr]string   // of go statements, see [testsched.Outcome]
	known  bool                 // that possibleLeak returns nil
}

// leftover is the first run that leaves behind a goroutine of a go statement, among certain others.
type leftover struct {
	at       uintptr
	identity string
	all      counts
	schedule *testsched.Schedule
	by       testsched.Policy
	run      int
	refuted  bool // a repetition of the schedule did not leave it behind, or it is known
}

// counts is a multiset of go statements, each with the number of goroutines.
type counts map[uintptr]int

// within reports whether d includes c.
func (c counts) within(d counts) bool {
	for at, n := range c {
		if n > d[at] {
			return false
		}
	}
	return true
}

// add adds run number n, which must have passed.
func (l *leftovers) add(o *testsched.Outcome, s *testsched.Schedule, n int) {
	all := counts{}
	for _, g := range o.Left {
		if g.Place != "" {
			l.places[g.At] = g.Place
			all[g.At]++
		}
	}
	for _, g := range o.Left {
		if all[g.At] == 0 || slices.ContainsFunc(l.left, func(l leftover) bool {
			return l.at == g.At && l.identity == g.As && all.within(l.all)
		}) {
			continue
		}
		l.known = false
		l.left = append(l.left, leftover{at: g.At, identity: g.As, all: all, schedule: s.Replayed(o, n), by: s.Policy, run: n})
	}
	for _, at := range o.Ended {
		if all[at] > 0 || slices.ContainsFunc(l.ended[at], func(c counts) bool { return c.within(all) }) {
			continue
		}
		l.known = false
		l.ended[at] = append(slices.DeleteFunc(l.ended[at], func(c counts) bool { return all.within(c) }), all)
	}
}

// possibleLeak returns a run that leaves behind a goroutine that ends in another run, which leaves behind only some of the
// others, or nil.
func (l *leftovers) possibleLeak() *leftover {
	for i := 0; i < len(l.left) && !l.known; i++ {
		one := &l.left[i]
		if one.refuted {
			continue
		}
		if k := slices.IndexFunc(l.ended[one.at], func(c counts) bool { return c.within(one.all) }); k >= 0 {
			one.schedule.Ends, one.schedule.Remain = []string{l.places[one.at]}, nil
			for at, n := range l.ended[one.at][k] {
				one.schedule.Remain = append(one.schedule.Remain, slices.Repeat([]string{l.places[at]}, n)...)
			}
			slices.Sort(one.schedule.Remain)
			return one
		}
	}
	l.known = true
	return nil
}
