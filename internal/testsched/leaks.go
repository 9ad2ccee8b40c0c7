package testsched

import (
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/testsched/program"
)

// Remaining describes the goroutines that the test left behind and that something reachable may wake.
type Remaining struct {
	Left         []LeftGoroutine
	OthersRemain bool // Passed, but goroutines remain that Schedule.Remain lacks
}

// LeftGoroutine is a goroutine that the test left behind.
type LeftGoroutine struct {
	Goroutine Goroutine `code:"-"`
	Text      string    // describes it
	As        string    // the same without its number
	At        uintptr   // its go statement
	Place     string    // of that, see GoStatement; empty means that the goroutine is not compared with those of other runs
}

// Leaves returns the description of a goroutine that the test left behind.
func Leaves(g Goroutine) LeftGoroutine {
	return LeftGoroutine{Goroutine: g, Text: g.String(), As: g.Identity(), At: g.Go, Place: GoStatement(g.Go)}
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
	var leaked []Goroutine
	for i := range o.Left {
		g := &o.Left[i]
		if g.Place == "" {
			continue
		}
		if k := match(remain, g.Place); k >= 0 {
			remain = slices.Delete(remain, k, k+1)
		} else if others = true; match(s.Ends, g.Place) >= 0 {
			leaked = append(leaked, g.Goroutine)
		}
	}
	if len(leaked) == 0 || len(remain) > 0 {
		o.OthersRemain = others
		return
	}
	o.Kind, o.Waiting = Leak, append(o.Waiting, leaked...)
	o.Message = program.Plural(len(leaked), "goroutine is left after the test has returned, and ends under other schedules",
		"goroutines are left after the test has returned, and end under other schedules")
	o.Where = strings.Join(s.Ends, " ")
}

// Passes reports whether the run passed and left behind only goroutines that also remain under the schedule of Schedule.Remain.
func (o *Outcome) Passes() bool { return o.Kind == Passed && !o.OthersRemain }
