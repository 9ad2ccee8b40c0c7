package explorer

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/explorer/summary"
	"github.com/macemc/macemc/internal/testsched"
)

// toySuite is a test with subtests. Runs execute those that are selected, in order.
type toySuite struct {
	subtests []testsched.Subtest
	outcomes map[string]func(executed []string) *testsched.Outcome // of a subtest, after those that were executed; nil means that it passes
	only     string
	without  []string
	stays    string // a subtest that cannot be left out
	latest   []testsched.Subtest
	runs     *[]string
	specs    func(only string) string // see [testsched.Runner]; nil means that it is not a suite of specs
	origins  []testsched.Origin
}

func (x *toySuite) Run(*testsched.Schedule, bool) *testsched.Outcome {
	x.latest = nil
	var executed []string
	o := &testsched.Outcome{Hash: 1, Origins: x.origins}
	for _, l := range x.subtests {
		if x.only != "" && !strings.HasPrefix(l.Name+"/", x.only+"/") && !strings.HasPrefix(x.only+"/", l.Name+"/") ||
			l.Name != x.stays && slices.Contains(x.without, l.Name) {
			continue
		}
		end := &testsched.Outcome{}
		if f := x.outcomes[l.Name]; f != nil {
			end = f(executed)
		}
		l.Ended, l.Failed = end.Kind == testsched.Passed || end.Kind == testsched.Failed, end.Kind == testsched.Failed
		x.latest, executed = append(x.latest, l), append(executed, l.Name)
		if end.Kind != testsched.Passed {
			o = end
		}
		if !l.Ended {
			break
		}
	}
	*x.runs = append(*x.runs, strings.Join(executed, " "))
	return o
}

func (x *toySuite) Changed() []string             { return nil }
func (x *toySuite) Subtests() []testsched.Subtest { return x.latest }
func (x *toySuite) Specs() string {
	if x.specs == nil {
		return ""
	}
	return x.specs(x.only)
}
func (x *toySuite) Part(only string) testsched.Runner {
	y := *x
	y.Select(only, nil, false)
	return &y
}
func (x *toySuite) Select(only string, without []string, _ bool) { x.only, x.without = only, without }

// leaf returns a subtest with choices.
func leaf(name string) testsched.Subtest {
	return testsched.Subtest{Name: name, Parent: -1, Leaf: true, Choices: 9}
}

// A test is divided into its subtests. Those in which a run ends hide none of the others.
func TestDivision(t *testing.T) {
	ends := func(kind testsched.Kind) func([]string) *testsched.Outcome {
		return func([]string) *testsched.Outcome { return &testsched.Outcome{Kind: kind, Message: "it ends"} }
	}
	a, b, c := leaf("T/a"), leaf("T/b"), leaf("T/c")
	quiet := testsched.Subtest{Name: "T/q", Parent: -1, Leaf: true, Choices: 2}
	group := testsched.Subtest{Name: "T/g", Parent: -1}
	inGroup := testsched.Subtest{Name: "T/g/x", Parent: 1, Leaf: true, Parallel: true, Choices: 9}
	parallel := leaf("T/p")
	parallel.Parallel = true
	for name, x := range map[string]struct {
		list     []testsched.Subtest
		outcomes map[string]func([]string) *testsched.Outcome
		units    string // separated by blanks; empty means that the test is explored as one
		rest     string // not explored
		whole    bool
	}{
		"two":                {[]testsched.Subtest{a, b}, nil, "T/a T/b", "", false},
		"one":                {[]testsched.Subtest{a}, nil, "", "", true},
		"none is concurrent": {[]testsched.Subtest{quiet, quiet}, nil, "", "", true},
		"others":             {[]testsched.Subtest{a, quiet, b}, nil, "T/a T/b", "", false},
		"parallel in group":  {[]testsched.Subtest{a, group, inGroup}, nil, "T/a T/g", "", false},
		"parallel":           {[]testsched.Subtest{a, parallel}, nil, "T/a T", "", true},
		"refused": {[]testsched.Subtest{a, b, c},
			map[string]func([]string) *testsched.Outcome{"T/a": ends(testsched.Unexplored)}, "T/a T/b T/c", "T/a", false},
		"dependent": {[]testsched.Subtest{a, b},
			map[string]func([]string) *testsched.Outcome{"T/b": func(executed []string) *testsched.Outcome {
				if len(executed) == 0 {
					return &testsched.Outcome{Kind: testsched.Panic}
				}
				return &testsched.Outcome{}
			}}, "T/a T/b", "", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			s := &Settings{summary: map[string]*summary.Test{}, Options: Options{Summaries: t.TempDir()}, fresh: func(*Config,
				execution) *testsched.Outcome {
				return nil
			}}
			s.Config = Config{Schedules: 2}
			var runs []string
			suite := &toySuite{subtests: x.list, outcomes: x.outcomes, runs: &runs}
			report := s.Test(testsched.Unit{Package: "p", Test: "T"}, false, time.Time{}, suite)
			if report == nil || report.Finding != "" || strings.Join(report.Rest, " ") != x.rest {
				t.Errorf("got %+v, want rest %q", report, x.rest)
			}
			for unit := range strings.FieldsSeq(x.units) {
				if _, ok := s.summary[unit]; !ok {
					t.Errorf("%s is not explored: %v", unit, s.summary)
				}
			}
			if _, ok := s.summary["T"]; ok != x.whole && name != "others" {
				t.Errorf("whole is %t, want %t: %v", ok, x.whole, s.summary)
			}
		})
	}
}

// A test is explored as one if runs end in a subtest that cannot be left out.
func TestDivision_Stays(t *testing.T) {
	refused := func([]string) *testsched.Outcome {
		return &testsched.Outcome{Kind: testsched.Unexplored, Message: "it is refused"}
	}
	var runs []string
	suite := &toySuite{subtests: []testsched.Subtest{leaf("T/a"), leaf("T/b"), leaf("T/c")}, runs: &runs, stays: "T/b",
		outcomes: map[string]func([]string) *testsched.Outcome{"T/b": refused}}
	v := &division{passed: map[string]bool{}}
	without := v.discover(&Config{Unit: testsched.Unit{Test: "T"}}, suite, &testsched.Schedule{}, suite.Run(nil, false))
	if len(v.units) > 0 || !slices.Equal(without, []string{"T/b"}) || !slices.Equal(runs, []string{"T/a T/b", "T/a T/b"}) {
		t.Errorf("units %q, left out %q, after %q", v.units, without, runs)
	}
}

// A failure of the first run counts, although the state that it depends on has changed when the subtests are explored.
func TestDivision_FirstFailure(t *testing.T) {
	t.Chdir(t.TempDir())
	failure := &testsched.Outcome{Kind: testsched.Failed, Message: "it fails"}
	s := &Settings{summary: map[string]*summary.Test{}, Options: Options{Summaries: t.TempDir()}}
	s.fresh = func(*Config, execution) *testsched.Outcome { return failure }
	s.Config = Config{Schedules: 2}
	n := 0
	var runs []string
	suite := &toySuite{subtests: []testsched.Subtest{leaf("T/a"), leaf("T/b")}, runs: &runs,
		outcomes: map[string]func([]string) *testsched.Outcome{"T/a": func([]string) *testsched.Outcome {
			if n++; n > 1 {
				return &testsched.Outcome{}
			}
			return failure
		}}}
	report := s.Test(testsched.Unit{Package: "p", Test: "T"}, false, time.Time{}, suite)
	if !strings.Contains(report.Finding+report.Note, "FAILED TEST: it fails") || len(runs) < 4 {
		t.Errorf("got %+v after %q", report, runs)
	}
}

// A run that exceeds its limit of points is repeated without the subtests that took many of them.
func TestDivision_Long(t *testing.T) {
	v := &division{}
	list := []testsched.Subtest{leaf("T/a"), leaf("T/b"), leaf("T/c"), leaf("T/..")}
	list[0].Points, list[1].Points, list[2].Points, list[3].Points = 30, 5, 60, 900
	if got := v.long(list, &testsched.Outcome{Kind: testsched.NoEnd, Points: 200}, []string{"T/c"}); !slices.Equal(got, []string{"T/c",
		"T/a"}) || v.end != "T/a" {
		t.Errorf("got %q, end %q", got, v.end)
	}
}

// The exploration that a new process repeats does not divide the test.
func TestExecution_AsOne(t *testing.T) {
	var runs []string
	c := &Config{Unit: testsched.Unit{Package: "p", Test: "T"}}
	execution{schedules: 2}.in(&Settings{}, c, &toySuite{subtests: []testsched.Subtest{leaf("T/a"), leaf("T/b")}, runs: &runs})
	if len(runs) != 2 || slices.ContainsFunc(runs, func(r string) bool { return r != "T/a T/b" }) {
		t.Errorf("got %q", runs)
	}
}
