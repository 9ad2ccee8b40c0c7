package testsched

import (
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/testsched/program"
)

// leftovers compares, by go statement or call of WaitGroup.Go, the goroutines that runs leave behind when their test returns. Such a goroutine is a leak if all
// goroutines of its go statement end under another schedule. Goroutines that every run leaves behind, such as those of a package, are not
// leaks.
type leftovers struct {
	left  []leftover
	ended []uintptr // go statements all of whose goroutines ended in some run
}

// leftover is the first run that leaves behind a goroutine of a go statement.
type leftover struct {
	at       uintptr
	identity string
	name     string
	schedule *Schedule
	by       Policy
	run      int
	refuted  bool // a repetition of the schedule did not leave it behind, or it is known
}

// add adds run number n, which must have passed.
func (l *leftovers) add(o *Outcome, s *Schedule, n int) {
	for i, at := range o.LeftAt {
		identity := ""
		if i < len(o.Behind) {
			identity = o.Behind[i].identity()
		}
		if slices.ContainsFunc(l.left, func(l leftover) bool { return l.at == at && l.identity == identity }) {
			continue
		}
		if name := goStatement(at); name != "" {
			l.left = append(l.left, leftover{at: at, identity: identity, name: name, schedule: s.found(o, n), by: s.Policy, run: n})
		}
	}
	for _, at := range o.Ended {
		if !slices.Contains(l.ended, at) && !slices.Contains(o.LeftAt, at) {
			l.ended = append(l.ended, at)
		}
	}
}

// suspect returns a run that leaves behind a goroutine that ends in another run; nil means that there is none.
func (l *leftovers) suspect() *leftover {
	for i := range l.left {
		if one := &l.left[i]; !one.refuted && slices.Contains(l.ended, one.at) {
			one.schedule.Ends = []string{one.name}
			return one
		}
	}
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

// Compare turns a passed outcome into a leak if the run left behind goroutines of the go statements in s.Ends.
func (o *Outcome) Compare(s *Schedule) {
	if o.Kind != Passed {
		return
	}
	for i, at := range o.LeftAt {
		if name := goStatement(at); name != "" && slices.ContainsFunc(s.Ends, func(end string) bool {
			return end == name || strings.HasPrefix(name, end+" ") // a file may have only the function
		}) {
			o.Details = append(o.Details, o.Left[i])
			o.Waiting = append(o.Waiting, o.Behind[min(i, len(o.Behind)):min(i+1, len(o.Behind))]...)
		}
	}
	if n := len(o.Details); n > 0 {
		o.Kind = Leak
		o.Message = plural(n, "goroutine is left after the test has returned, and ends under other schedules",
			"goroutines are left after the test has returned, and end under other schedules")
		o.Where = strings.Join(s.Ends, " ")
	}
}
