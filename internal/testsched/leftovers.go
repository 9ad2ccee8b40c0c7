package testsched

import (
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/testsched/program"
)

// leftovers compares, by go statement or call of WaitGroup.Go, the goroutines that runs leave behind when their test returns. Such a
// goroutine is a leak if another run ends all goroutines of its go statement and leaves behind only some of the others. Goroutines that
// every run leaves behind, such as those of a package, or in whose place others remain, are not leaks.
type leftovers struct {
	left  []leftover
	ended map[uintptr][]counts // by go statement: what runs leave behind that ended all its goroutines; none includes another
	known bool                 // that possibleLeak returns nil
}

// leftover is the first run that leaves behind a goroutine of a go statement, among certain others.
type leftover struct {
	at       uintptr
	identity string
	name     string
	all      counts
	schedule *Schedule
	by       Policy
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
func (l *leftovers) add(o *Outcome, s *Schedule, n int) {
	all := counts{}
	for _, at := range o.LeftAt {
		if goStatement(at) != "" {
			all[at]++
		}
	}
	for i, at := range o.LeftAt {
		identity := ""
		if i < len(o.Behind) {
			identity = o.Behind[i].identity()
		}
		if all[at] == 0 || slices.ContainsFunc(l.left, func(l leftover) bool {
			return l.at == at && l.identity == identity && all.within(l.all)
		}) {
			continue
		}
		l.known = false
		l.left = append(l.left, leftover{at: at, identity: identity, name: goStatement(at), all: all,
			schedule: s.found(o, n), by: s.Policy, run: n})
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
			one.schedule.Ends, one.schedule.Remain = []string{one.name}, nil
			for at, n := range l.ended[one.at][k] {
				one.schedule.Remain = append(one.schedule.Remain, slices.Repeat([]string{goStatement(at)}, n)...)
			}
			slices.Sort(one.schedule.Remain)
			return one
		}
	}
	l.known = true
	return nil
}

// goStatement returns the place of a go statement or call of WaitGroup.Go. It returns an empty string for functions of the Go distribution,
// which keeps goroutines for reuse.
func goStatement(at uintptr) string {
	f := Frames([]uintptr{at})
	if len(f) == 0 || program.Standard(f[0]) {
		return ""
	}
	return brief(f.place())
}

// match returns the index of the name of a go statement, whose file may have only its function; -1 means none.
func match(names []string, place string) int {
	return slices.IndexFunc(names, func(name string) bool { return name == place || strings.HasPrefix(place, name+" ") })
}

// Compare turns a passed outcome into a leak if the run left behind goroutines of the go statements in s.Ends and all of those in s.Remain.
// If it left behind others in their place, it sets o.OthersRemain.
func (o *Outcome) Compare(s *Schedule) {
	if o.Kind != Passed || len(s.Ends) == 0 {
		return
	}
	remain, others := slices.Clone(s.Remain), false
	var leaked []int
	for i, at := range o.LeftAt {
		name := goStatement(at)
		if name == "" {
			continue
		}
		if k := match(remain, name); k >= 0 {
			remain = slices.Delete(remain, k, k+1)
		} else if others = true; match(s.Ends, name) >= 0 {
			leaked = append(leaked, i)
		}
	}
	if len(leaked) == 0 || len(remain) > 0 {
		o.OthersRemain = others
		return
	}
	for _, i := range leaked {
		o.Details = append(o.Details, o.Left[i])
		o.Waiting = append(o.Waiting, o.Behind[min(i, len(o.Behind)):min(i+1, len(o.Behind))]...)
	}
	o.Kind = Leak
	o.Message = program.Plural(len(leaked), "goroutine is left after the test has returned, and ends under other schedules",
		"goroutines are left after the test has returned, and end under other schedules")
	o.Where = strings.Join(s.Ends, " ")
}

// passes reports whether the run passed and left behind only goroutines that also remain under the schedule of Schedule.Remain.
func (o *Outcome) passes() bool { return o.Kind == Passed && !o.OthersRemain }
