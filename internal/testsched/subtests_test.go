package testsched

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// toySuite is a test with subtests. Runs execute those that are selected, in order.
type toySuite struct {
	subtests []Subtest
	outcomes map[string]func(executed []string) *Outcome // of a subtest, after those that were executed; nil means that it passes
	only     string
	without  []string
	latest   []Subtest
	runs     *[]string
}

func (x *toySuite) Run(*Schedule, bool) *Outcome {
	x.latest = nil
	var executed []string
	o := &Outcome{Hash: 1}
	for _, l := range x.subtests {
		if x.only != "" && !strings.HasPrefix(l.Name+"/", x.only+"/") && !strings.HasPrefix(x.only+"/", l.Name+"/") ||
			slices.Contains(x.without, l.Name) {
			continue
		}
		end := &Outcome{}
		if f := x.outcomes[l.Name]; f != nil {
			end = f(executed)
		}
		l.Ended, l.Failed = end.Kind == Passed || end.Kind == Failed, end.Kind == Failed
		x.latest, executed = append(x.latest, l), append(executed, l.Name)
		if end.Kind != Passed {
			o = end
		}
		if !l.Ended {
			break
		}
	}
	*x.runs = append(*x.runs, strings.Join(executed, " "))
	return o
}

func (x *toySuite) Changed() []string   { return nil }
func (x *toySuite) Subtests() []Subtest { return x.latest }
func (x *toySuite) Part(only string) Runner {
	y := *x
	y.Select(only, nil, false)
	return &y
}
func (x *toySuite) Select(only string, without []string, _ bool) { x.only, x.without = only, without }

// leaf returns a subtest with choices.
func leaf(name string) Subtest { return Subtest{Name: name, Parent: -1, Leaf: true, Choices: 9} }

// A test is divided into its subtests. Those in which a run ends hide none of the others.
func TestDivision(t *testing.T) {
	ends := func(kind Kind) func([]string) *Outcome {
		return func([]string) *Outcome { return &Outcome{Kind: kind, Message: "it ends"} }
	}
	a, b, c := leaf("T/a"), leaf("T/b"), leaf("T/c")
	quiet := Subtest{Name: "T/q", Parent: -1, Leaf: true, Choices: 2}
	group := Subtest{Name: "T/g", Parent: -1}
	inGroup := Subtest{Name: "T/g/x", Parent: 1, Leaf: true, Parallel: true, Choices: 9}
	parallel := leaf("T/p")
	parallel.Parallel = true
	for name, x := range map[string]struct {
		list     []Subtest
		outcomes map[string]func([]string) *Outcome
		units    string // separated by blanks; empty means that the test is explored as one
		rest     string // not explored
		whole    bool
	}{
		"two":                {[]Subtest{a, b}, nil, "T/a T/b", "", false},
		"one":                {[]Subtest{a}, nil, "", "", true},
		"none is concurrent": {[]Subtest{quiet, quiet}, nil, "", "", true},
		"others":             {[]Subtest{a, quiet, b}, nil, "T/a T/b", "", false},
		"parallel in group":  {[]Subtest{a, group, inGroup}, nil, "T/a T/g", "", false},
		"parallel":           {[]Subtest{a, parallel}, nil, "T/a T", "", true},
		"refused":            {[]Subtest{a, b, c}, map[string]func([]string) *Outcome{"T/a": ends(Unexplored)}, "T/a T/b T/c", "T/a", false},
		"dependent": {[]Subtest{a, b}, map[string]func([]string) *Outcome{"T/b": func(executed []string) *Outcome {
			if len(executed) == 0 {
				return &Outcome{Kind: Panic}
			}
			return &Outcome{}
		}}, "T/a T/b", "", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			s := &Settings{only: -1, summary: map[string]string{}, summaries: t.TempDir(), fresh: func(*Config, ...string) *Outcome { return nil }}
			s.config = Config{Schedules: 2}
			var runs []string
			suite := &toySuite{subtests: x.list, outcomes: x.outcomes, runs: &runs}
			report := s.Test(Unit{Package: "p", Test: "T"}, false, time.Time{}, suite)
			if report == nil || report.Finding != "" || strings.Join(report.Rest, " ") != x.rest {
				t.Errorf("got %+v, want rest %q", report, x.rest)
			}
			for unit := range strings.FieldsSeq(x.units) {
				if _, ok := s.summary[unit]; !ok {
					t.Errorf("%s is not explored: %q", unit, s.summary)
				}
			}
			if _, ok := s.summary["T"]; ok != x.whole && name != "others" {
				t.Errorf("whole is %t, want %t: %q", ok, x.whole, s.summary)
			}
		})
	}
}

// A run that exceeds its limit of points is repeated without the subtests that took many of them.
func TestDivision_Long(t *testing.T) {
	v := &division{}
	list := []Subtest{leaf("T/a"), leaf("T/b"), leaf("T/c"), leaf("T/..")}
	list[0].Points, list[1].Points, list[2].Points, list[3].Points = 30, 5, 60, 900
	if got := v.long(list, &Outcome{Kind: NoEnd, Points: 200}, []string{"T/c"}); !slices.Equal(got, []string{"T/c", "T/a"}) || v.end != "T/a" {
		t.Errorf("got %q, end %q", got, v.end)
	}
}

// Subtests of a known finding's test are not explored one by one, and neither is the test in a process of its own.
func TestDivision_AsOne(t *testing.T) {
	t.Chdir(t.TempDir())
	var runs []string
	s := &Settings{only: -1, summary: map[string]string{}, outcome: "outcome"}
	s.config = Config{Schedules: 2}
	s.Test(Unit{Package: "p", Test: "T"}, false, time.Time{}, &toySuite{subtests: []Subtest{leaf("T/a"), leaf("T/b")}, runs: &runs})
	if slices.ContainsFunc(runs, func(r string) bool { return r != "T/a T/b" }) {
		t.Errorf("got %q", runs)
	}
}
