package explorer

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/explorer/schedulefile"
	"github.com/macemc/macemc/internal/explorer/summary"
	"github.com/macemc/macemc/internal/testsched"
)

// toy is a test whose outcome depends on the seed or, in the default order, on switches.
func toy(bad func(*testsched.Schedule) bool) func(*testsched.Schedule) *testsched.Outcome {
	return func(s *testsched.Schedule) *testsched.Outcome {
		o := &testsched.Outcome{Points: 20, Choices: 10, Hash: s.Seed}
		if bad(s) {
			o.Kind = testsched.Deadlock
			o.Switches = s.Switches
			if s.Policy != testsched.Default {
				o.Switches = []testsched.Switch{{Who: 1, Place: 2, To: 3}, {Who: 4, Place: 5, To: 6}, {Who: 7, Place: 8, To: 9}}
			}
		}
		return o
	}
}

func TestExplore_StopsAtFinding(t *testing.T) {
	n := 0
	r := Explore(Config{Seed: 1, Schedules: 100}, toy(func(s *testsched.Schedule) bool { n++; return n == 40 }))
	if r.Schedules != 40 || r.Finding == nil || r.Finding.Kind != testsched.Deadlock || len(r.Found.Switches) != 3 {
		t.Errorf("%+v", r)
	}
}

func TestExplore_Limits(t *testing.T) {
	pass := toy(func(*testsched.Schedule) bool { return false })
	if r := Explore(Config{Seed: 1, Schedules: 100}, pass); r.Schedules != 100 || r.Orders != 100 || r.Finding != nil || r.Saturated {
		t.Errorf("%+v", r)
	}
	same := func(s *testsched.Schedule) *testsched.Outcome {
		o := pass(s)
		o.Hash, o.Long = s.Seed%3, s.Policy == testsched.Systematic
		return o
	}
	if r := Explore(Config{Seed: 1, Schedules: 10000}, same); !r.Saturated || r.Orders != 3 || r.Schedules > 300 {
		t.Errorf("three orders: %+v", r)
	}
	only := func(s *testsched.Schedule) *testsched.Outcome { return &testsched.Outcome{Points: 5} }
	if r := Explore(Config{Seed: 1, Schedules: 10000}, only); r.Orders != 1 || r.Schedules > 4 || r.Complete == nil {
		t.Errorf("one order: %+v", r)
	}
}

// A test that has one order of goroutines, but draws random numbers, is explored as usual.
func TestExplore_OneOrder(t *testing.T) {
	draws := func(s *testsched.Schedule) *testsched.Outcome {
		return &testsched.Outcome{Points: 5, Sampled: testsched.SampledNumbers}
	}
	if r := Explore(Config{Seed: 1, Schedules: 10000}, draws); r.Orders != 1 || r.Schedules < minSaturated || r.Complete != nil {
		t.Errorf("%+v", r)
	}
}

// A run that reaches the limit of points is a finding if a fair schedule does not end it either.
func TestExplore_NoEnd(t *testing.T) {
	for _, c := range []struct {
		long    func(run int) bool
		endless bool
		finding bool
		tooLong int
	}{
		{func(n int) bool { return n == 5 }, false, false, 1},
		{func(n int) bool { return n == 5 }, true, true, 0},
		{func(n int) bool { return n%3 == 0 }, false, false, 6},
	} {
		n, checks := 0, 0
		r := Explore(Config{Seed: 1, Schedules: 20}, func(s *testsched.Schedule) *testsched.Outcome {
			if s.Limit != 0 {
				checks++
				if s.Limit != 10*500 || s.Until != 500 || s.Policy != testsched.Random || len(s.Switches) != 1 {
					t.Errorf("continued by %+v", s)
				}
				if c.endless {
					return &testsched.Outcome{Kind: testsched.NoEnd, Points: s.Limit}
				}
				return &testsched.Outcome{Points: 700}
			}
			n++
			o := &testsched.Outcome{Points: 5, Choices: 500, Hash: uint64(n)}
			if c.long(n) {
				o.Kind, o.Points, o.Switches = testsched.NoEnd, 500, []testsched.Switch{{Who: 1, Place: 2, To: 3}}
			}
			return o
		})
		if (r.Finding != nil) != c.finding || r.TooLong != c.tooLong || checks > 3 || strings.Contains(r.text(),
			"did not end") != (c.tooLong > 0) {
			t.Errorf("%+v: %+v, %d checks: %s", c, r, checks, r.text())
		}
	}
}

// If the first run exceeds the limit of points, all runs of the test have a higher limit.
func TestExplore_Long(t *testing.T) {
	limits := map[uint64]int{}
	test := func(points uint64) *Result {
		clear(limits)
		return Explore(Config{Seed: 1, Schedules: 20}, func(s *testsched.Schedule) *testsched.Outcome {
			if !s.Hurried {
				limits[s.Limit]++
			}
			if limit := cmp.Or(s.Limit, 500); points > limit || s.Hurried {
				return &testsched.Outcome{Kind: testsched.NoEnd, Points: limit, Choices: 500}
			}
			return &testsched.Outcome{Points: points, Choices: 500, Hash: s.Seed}
		})
	}
	if r := test(3000); r.Finding != nil || r.Schedules != 20 || r.TooLong != 0 || limits[0] != 1 || limits[5000] != 20 {
		t.Errorf("%+v, limits %v", r, limits)
	}
	if r := test(6000); r.Finding == nil || r.Finding.Kind != testsched.NoEnd || r.Schedules != 1 || r.Found.Limit != 5000 {
		t.Errorf("%+v, limits %v", r, limits)
	}
}

// If the first run exceeds the limit of points, and passes if it is hurried, all runs are hurried. Their findings count if they recur without
// hurry, with a higher limit.
func TestExplore_Hurried(t *testing.T) {
	for _, recurs := range []bool{false, true} {
		unhurried := 0
		r := Explore(Config{Seed: 1, Schedules: 20}, func(s *testsched.Schedule) *testsched.Outcome {
			o := &testsched.Outcome{Points: 400, Choices: 500, Hash: s.Seed}
			switch {
			case s.Hurried && s.Policy == testsched.Random:
				o.Kind, o.Switches = testsched.Failed, []testsched.Switch{{Who: 1, Place: 2, To: 3}}
			case s.Hurried:
			case len(s.Switches) > 0:
				if unhurried++; recurs && s.Limit == 5000 {
					o.Kind = testsched.Failed
				}
			default:
				o.Kind, o.Points = testsched.NoEnd, 500
			}
			return o
		})
		if recurs && (r.Finding == nil || r.Found.Hurried || r.Found.Limit != 5000 || unhurried != 1) {
			t.Errorf("it recurs: %+v, %+v", r, r.Found)
		}
		if !recurs && (r.Finding != nil || r.Schedules != 20 || r.TooLong != unhurried || unhurried == 0) {
			t.Errorf("it does not recur: %+v, %d runs without hurry", r, unhurried)
		}
	}
}

// The first run is not repeated with a higher limit of points if it exceeded another limit, or if there is no time. Long runs are
// announced.
func TestExplore_LongOnce(t *testing.T) {
	for _, c := range []struct {
		advances int
		end      time.Duration
		runs     int
		text     string
	}{
		{0, time.Hour, 3, "the first run passes more than 3000 scheduling points; it is repeated with 10 times as many"},
		{0, 20 * time.Millisecond, 2, ""},
		{100, time.Hour, 1, ""},
	} {
		runs, text := 0, ""
		r := Explore(Config{Seed: 1, End: time.Now().Add(c.end), Long: func(s string) { text += s }},
			func(*testsched.Schedule) *testsched.Outcome {
				runs++
				time.Sleep(10 * time.Millisecond)
				return &testsched.Outcome{Kind: testsched.NoEnd, Points: 3001, Exceeded: testsched.Exceeded{Advances: c.advances}}
			})
		if runs != c.runs || text != c.text || r.Finding == nil {
			t.Errorf("%+v: %d runs, %q, %v", c, runs, text, r.Finding)
		}
	}
}

// The progress of an exploration is shown between runs.
func TestExplore_Progress(t *testing.T) {
	var shown []int
	Explore(Config{Seed: 1, Schedules: 4, Progress: func(r *Result) {
		if shown = append(shown, r.Schedules); r.Elapsed < time.Second {
			t.Errorf("after %v", r.Elapsed)
		}
	}}, func(s *testsched.Schedule) *testsched.Outcome {
		time.Sleep(600 * time.Millisecond)
		return &testsched.Outcome{Points: 5, Choices: 500, Hash: s.Seed}
	})
	if !slices.Equal(shown, []int{2}) {
		t.Errorf("shown after %v schedules", shown)
	}
}

// With NoLeaks, leaks are only noted.
func TestExplore_NoLeaks(t *testing.T) {
	r := Explore(Config{Seed: 1, Schedules: 20, NoLeaks: true}, func(s *testsched.Schedule) *testsched.Outcome {
		return &testsched.Outcome{Kind: testsched.Leak, Points: 5, Choices: 500, Hash: s.Seed, Details: []string{"goroutine 2 waits"}}
	})
	if r.Finding != nil || r.Schedules != 20 || r.Left != "goroutine 2 waits" {
		t.Errorf("%+v", r)
	}
}

// Explorations with the same seed draw the same schedules, and those with different seeds draw different ones.
func TestExplore_SeedDecides(t *testing.T) {
	drawn := func(seed uint64) (all []testsched.Schedule) {
		Explore(Config{Seed: seed, Schedules: 50, Race: true}, func(s *testsched.Schedule) *testsched.Outcome {
			all = append(all, *s)
			return &testsched.Outcome{Points: 100, Choices: 1, Hash: s.Seed}
		})
		return all
	}
	if a, b := drawn(1), drawn(1); !reflect.DeepEqual(a, b) {
		t.Error("one seed, two explorations")
	}
	if a, b := drawn(1), drawn(2); reflect.DeepEqual(a, b) {
		t.Error("two seeds, one exploration")
	}
	policies := map[testsched.Policy]int{}
	for _, s := range drawn(1) {
		policies[s.Policy]++
	}
	for _, p := range []testsched.Policy{testsched.Random, testsched.PCT, testsched.POS, testsched.SURW} {
		if policies[p] < 5 {
			t.Errorf("%v orders %d of 50 runs", p, policies[p])
		}
	}
	// Each policy comes with passing time and without it.
	for _, p := range []testsched.Policy{testsched.Random, testsched.PCT, testsched.POS, testsched.SURW} {
		for _, passes := range []uint32{0, 16} {
			if !slices.ContainsFunc(drawn(1)[:20], func(s testsched.Schedule) bool { return s.Policy == p && s.Passes == passes }) {
				t.Errorf("none of the first schedules has policy %v and time that passes with 1/%d", p, passes)
			}
		}
	}
	if s := drawn(1)[1]; s.Policy != testsched.Local || !s.Unfair {
		t.Errorf("%+v, want the local order", s)
	}
}

// Saved schedules that pass are counted, with those that do not apply.
func TestExplore_Saved(t *testing.T) {
	list := []*schedulefile.Stored{{File: "a.path", Schedule: testsched.Schedule{Switches: []testsched.Switch{{Who: 4, Place: 1, To: 8}}}}, {}, {Known: "issue 12"},
		{Race: true, File: "b.path"}}
	r := Explore(Config{Corpus: list, Schedules: 4}, func(*testsched.Schedule) *testsched.Outcome { return &testsched.Outcome{} })
	if want := (summary.Saved{Passing: 2, Unfit: 1, Unlike: 1, UnfitFile: "a.path", UnlikeFile: "b.path"}); r.Saved != want {
		t.Errorf("got %+v, want %+v", r.Saved, want)
	}
	for want, saved := range map[string]summary.Saved{"": {}, "1 saved schedule passes": {Passing: 1},
		"2 saved schedules pass, but the code may have changed for a.path; not looked for, as -race changes its run: the finding of b.path": r.Saved,
		"2 saved schedules pass, but the code may have changed for a.path and 1 more":                                                       {Passing: 2, Unfit: 2, UnfitFile: "a.path"},
		"not looked for, as -race changes its run: the finding of b.path":                                                                   {Unlike: 1, UnlikeFile: "b.path"}} {
		if got := saved.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if text := r.text(); !strings.Contains(text, "; 2 saved schedules pass") {
		t.Error(text)
	}
}

// The text of sampled schedules states that timers were too far away to fire.
func TestExplore_Delays(t *testing.T) {
	for _, delays := range []bool{false, true} {
		r := Explore(Config{Seed: 1, Schedules: 20}, func(s *testsched.Schedule) *testsched.Outcome {
			return &testsched.Outcome{Points: 5, Choices: 500, Hash: s.Seed, Delays: delays && s.Passes > 0}
		})
		if text := r.text(); strings.Contains(text, "; delays above 1ms are not tried") != delays {
			t.Errorf("delays %v: %s", delays, text)
		}
	}
}

// An exploration that executes several schedules for a request has the result of one that does not.
func TestExplore_Together(t *testing.T) {
	for seed := range uint64(60) {
		run := func(s *testsched.Schedule) *testsched.Outcome {
			x := testsched.Mix(s.Walk ^ s.Seed ^ seed)
			o := &testsched.Outcome{Choices: 500, Points: 50, Hash: x % 300}
			switch {
			case x%(40*seed+17) == 1:
				o.Kind = testsched.Failed
			case x%31 == 2:
				o.Kind, o.Points = testsched.NoEnd, 500_000
			}
			return o
		}
		one := Explore(Config{Seed: seed, Schedules: 1500}, run)
		many := Explore(Config{Seed: seed, Schedules: 1500, Agents: inTurn(run)}, run)
		if one.Schedules != many.Schedules || one.By != many.By || one.Orders != many.Orders || one.Once != many.Once ||
			one.TooLong != many.TooLong || one.Saturated != many.Saturated || (one.Finding == nil) != (many.Finding == nil) {
			t.Errorf("seed %d: %+v, want %+v", seed, many, one)
		}
	}
}
