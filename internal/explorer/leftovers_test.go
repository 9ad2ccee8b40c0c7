package explorer

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/explorer/summary"
	"github.com/macemc/macemc/internal/testsched"
)

func one(c chan bool) { go func() { <-c }() }

// leave returns goroutines of go statements.
func leave(list []uintptr) (left []testsched.LeftGoroutine) {
	for _, at := range list {
		left = append(left, testsched.Leaves(testsched.Goroutine{Go: at}))
	}
	return left
}

// A goroutine that one run leaves behind is a leak if all goroutines of its go statement end in an earlier or later run.
func TestLeftovers(t *testing.T) {
	mine := reflect.ValueOf(one).Pointer() + 1
	library := reflect.ValueOf(strings.Cut).Pointer() + 1
	group := reflect.ValueOf(strings.Cut).Pointer() // stands for a statement that is never left behind
	name := "github.com/macemc/macemc/internal/explorer.one `func one(c chan bool) { go func() { <-c }() }`"
	for _, c := range []struct {
		what     string
		at       uintptr
		left     func(run int) bool
		ended    func(run int) bool
		again    bool // the run leaves it behind again
		runs     int  // number of the run with the finding; 0 means no finding
		executed int
	}{
		{"some runs leave it, later ones do not", mine, func(n int) bool { return n == 3 }, func(n int) bool { return n > 3 }, true, 3, 5},
		{"the last one leaves it", mine, func(n int) bool { return n == 10 }, func(n int) bool { return n < 10 }, true, 10, 11},
		{"all leave it", mine, func(int) bool { return true }, func(int) bool { return false }, true, 0, 10},
		{"all leave one, and one ends", mine, func(int) bool { return true }, func(int) bool { return true }, true, 0, 10},
		{"others do not start it", mine, func(n int) bool { return n == 3 }, func(int) bool { return false }, true, 0, 10},
		{"the same run does not leave it again", mine, func(n int) bool { return n == 3 }, func(n int) bool { return n != 3 }, false, 0,
			11},
		{"the distribution starts it", library, func(n int) bool { return n == 3 }, func(n int) bool { return n != 3 }, true, 0, 10},
	} {
		n, executed := 0, 0
		run := func(s *testsched.Schedule) *testsched.Outcome {
			executed++
			o := &testsched.Outcome{Points: 5, Choices: 5, Hash: uint64(executed), Switches: []testsched.Switch{{Who: 1, Place: 2, To: 3}}}
			again := s.Ends != nil
			if !again {
				n++
			}
			if !again && c.left(n) || again && c.again {
				o.Left = leave([]uintptr{c.at})
			}
			if !again && c.ended(n) {
				o.Ended = []uintptr{group, c.at}
			}
			o.Compare(s)
			return o
		}
		r := Explore(Config{Seed: 1, Schedules: 10}, run)
		if c.runs == 0 {
			if r.Finding != nil || executed != c.executed {
				t.Errorf("%s: finding %v, %d runs", c.what, r.Finding, executed)
			}
			continue
		}
		if r.Finding == nil || r.Finding.Kind != testsched.Leak || r.leftBy != c.runs || r.Schedules != executed-1 || executed != c.executed ||
			!slices.Equal(r.Found.Ends, []string{name}) ||
			len(r.Found.Switches) != 1 || len(r.Finding.Waiting) != 1 || r.Finding.Waiting[0].Go != c.at {
			t.Errorf("%s: %+v, finding %+v, %d runs", c.what, r, r.Finding, executed)
		}
	}
}

// A note about a leak that no new process shows has the number of the run that left the goroutine, and a command that repeats the exploration
// up to the run that shows it to be a leak.
func TestLeftovers_Once(t *testing.T) {
	t.Chdir(t.TempDir())
	mine := reflect.ValueOf(one).Pointer() + 1
	s := &Settings{summary: map[string]*summary.Test{}, fresh: func(*Config, execution) *testsched.Outcome { return passes() }}
	s.Config = Config{Seed: 1, Schedules: 10}
	runs := 0
	r := s.Test(testsched.Unit{Package: "p", Test: "TestX"}, false, time.Time{}, runner(func(s *testsched.Schedule) *testsched.Outcome {
		runs++
		o := &testsched.Outcome{Points: 5, Choices: 500, Hash: uint64(runs)}
		if s.Ends != nil || runs == 2 {
			o.Left = leave([]uintptr{mine})
		} else if runs == 5 {
			o.Ended = []uintptr{mine}
		}
		o.Compare(s)
		return o
	}))
	if !strings.HasPrefix(r.Note, "macemc: schedule 2 ended with LEAK") || !strings.Contains(r.Note, "-schedules 5 ") {
		t.Errorf("got %+v", r)
	}
}

func two(c chan bool) { go func() { <-c }() }

// A goroutine is only a leak if another run leaves behind a strict subset of the same goroutines. A schedule whose run leaves behind others
// instead does not pass.
func TestLeftovers_Others(t *testing.T) {
	a, b := reflect.ValueOf(one).Pointer()+1, reflect.ValueOf(two).Pointer()+1
	for _, c := range []struct {
		what string
		left [][]uintptr // by run, in turn
		want []string    // Schedule.Remain; nil means no finding
	}{
		{"one or the other remains", [][]uintptr{{a}, {b}}, nil},
		{"another one remains twice", [][]uintptr{{a, b}, {b, b}}, nil},
		{"the other one always remains", [][]uintptr{{a, b}, {b}}, []string{testsched.GoStatement(b)}},
		{"the other one remains at least once", [][]uintptr{{a, b, b}, {b}}, []string{testsched.GoStatement(b)}},
		{"some schedule leaves none", [][]uintptr{{a}, {b}, {}}, []string{}},
		{"a later run leaves more", [][]uintptr{{a}, {b}, {a, b}}, []string{testsched.GoStatement(b)}},
	} {
		n, ran := 0, map[uint64][]uintptr{}
		r := Explore(Config{Seed: 1, Schedules: 2 * len(c.left)}, func(s *testsched.Schedule) *testsched.Outcome {
			if s.Ends == nil { // it is not a repetition
				ran[s.Seed] = c.left[n%len(c.left)]
				n++
			}
			o := &testsched.Outcome{Choices: 500, Hash: uint64(n), Remaining: testsched.Remaining{Left: leave(ran[s.Seed])}}
			for _, at := range []uintptr{a, b} {
				if !slices.Contains(ran[s.Seed], at) {
					o.Ended = append(o.Ended, at)
				}
			}
			o.Compare(s)
			return o
		})
		if c.want == nil {
			if r.Finding != nil {
				t.Errorf("%s: finding %+v", c.what, r.Finding)
			}
			continue
		}
		if r.Finding == nil || !slices.Equal(r.Found.Remain, c.want) {
			t.Errorf("%s: finding %+v, schedule %+v", c.what, r.Finding, r.Found)
		}
	}
	for _, c := range []struct {
		left   []uintptr
		kind   testsched.Kind
		passes bool
	}{{[]uintptr{b}, testsched.Passed, true}, {nil, testsched.Passed, true}, {[]uintptr{a, b}, testsched.Leak, false}, {[]uintptr{a},
		testsched.Passed, false}, {[]uintptr{b, b}, testsched.Passed, false}} {
		o := &testsched.Outcome{Remaining: testsched.Remaining{Left: leave(c.left)}}
		o.Compare(&testsched.Schedule{Leaving: testsched.Leaving{Ends: []string{testsched.GoStatement(a)},
			Remain: []string{testsched.GoStatement(b)}}})
		if o.Kind != c.kind || o.Passes() != c.passes {
			t.Errorf("%x remain: kind %q, passes %v", c.left, o.Kind, o.Passes())
		}
	}
}
