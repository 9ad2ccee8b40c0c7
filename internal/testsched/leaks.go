package testsched

import (
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/testsched/program"
)

// Remaining describes the goroutines that the test left behind and that something reachable may wake.
type Remaining struct {
	Left         []string
	LeftAt       []uintptr   // their go statements
	LeftPlaces   []string    // the places of these, see GoStatement
	LeftAs       []string    // the same goroutines without their numbers
	Behind       []Goroutine `code:"-"` // the same goroutines
	OthersRemain bool        // Passed, but goroutines remain that Schedule.Remain lacks
}

// GoStatement returns the place of a go statement or call of WaitGroup.Go. It returns an empty string for functions of the Go distribution,
// which keeps goroutines for reuse.
func GoStatement(at uintptr) string {
	f := Frames([]uintptr{at})
	if len(f) == 0 || program.Standard(f[0]) {
		return ""
	}
	return Brief(f.place())
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
	for i, name := range o.LeftPlaces {
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
		if i < len(o.Behind) {
			o.Waiting = append(o.Waiting, o.Behind[i])
		} else {
			o.Details = append(o.Details, o.Left[i])
		}
	}
	o.Kind = Leak
	o.Message = program.Plural(len(leaked), "goroutine is left after the test has returned, and ends under other schedules",
		"goroutines are left after the test has returned, and end under other schedules")
	o.Where = strings.Join(s.Ends, " ")
}

// passes reports whether the run passed and left behind only goroutines that also remain under the schedule of Schedule.Remain.
func (o *Outcome) Passes() bool { return o.Kind == Passed && !o.OthersRemain }
