package testsched

import (
	"slices"
	"strings"
)

// leftovers compares which goroutines runs leave behind when their test has returned, by go statement. One that is left behind is a leak if all
// goroutines of its statement end under another schedule; goroutines that every run leaves behind, such as those of a package, are not.
type leftovers struct {
	left  []leftover
	ended []uintptr // all goroutines of these go statements ended in some run
}

// leftover is the first run that leaves a goroutine of a go statement behind.
type leftover struct {
	at       uintptr
	name     string
	schedule *Schedule
	by       Policy
	run      int
	refuted  bool // the same schedule did not leave it behind again
}

// add adds run number n, which passed.
func (l *leftovers) add(o *Outcome, s *Schedule, n int) {
	for _, at := range o.LeftAt {
		if slices.ContainsFunc(l.left, func(l leftover) bool { return l.at == at }) {
			continue
		}
		if name := goStatement(at); name != "" {
			l.left = append(l.left, leftover{at: at, name: name, schedule: s.found(o, n), by: s.Policy, run: n})
		}
	}
	for _, at := range o.Ended {
		if !slices.Contains(l.ended, at) && !slices.Contains(o.LeftAt, at) {
			l.ended = append(l.ended, at)
		}
	}
}

// suspect returns a run that leaves a goroutine behind that ends in another one; nil means that there is none.
func (l *leftovers) suspect() *leftover {
	for i := range l.left {
		if one := &l.left[i]; !one.refuted && slices.Contains(l.ended, one.at) {
			one.schedule.Ends = []string{one.name}
			return one
		}
	}
	return nil
}

// goStatement names the function with a go statement. It returns an empty string for functions of the Go distribution, which keeps goroutines
// for later use, but for WaitGroup.Go, which starts those of its caller.
func goStatement(at uintptr) string {
	f := Frames([]uintptr{at})
	if len(f) == 0 || standard(f[0]) && f[0].Function != "sync.(*WaitGroup).Go" {
		return ""
	}
	return f[0].Function
}

// Compare makes the outcome of a run that passed a leak if the run has left goroutines behind that the schedule says to end.
func (o *Outcome) Compare(s *Schedule) {
	if o.Kind != Passed {
		return
	}
	for i, at := range o.LeftAt {
		if slices.Contains(s.Ends, goStatement(at)) {
			o.Details = append(o.Details, o.Left[i])
		}
	}
	if n := len(o.Details); n > 0 {
		o.Kind = Leak
		o.Message = plural(n, "goroutine is left after the test has returned, and ends under other schedules", "goroutines are left after the test has returned, and end under other schedules")
		o.Where = strings.Join(s.Ends, " ")
	}
}
