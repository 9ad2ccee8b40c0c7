package explorer

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/explorer/summary"
	"github.com/macemc/macemc/internal/testsched"
)

// suiteOf returns the list of a suite "S" with some specs, see package ginkgo.
func suiteOf(specs ...string) string {
	for i, text := range specs {
		specs[i] = fmt.Sprintf(`{"LeafNodeType":"It","LeafNodeText":%q,"State":"passed","IsInOrderedContainer":false}`, text)
	}
	return `[{"SuiteDescription":"S","SpecReports":[` + strings.Join(specs, ",") + `]}]`
}

// A suite is divided into its specs, if flags select them. Specs whose goroutines are all of Ginkgo are explored together.
func TestDivideSuite(t *testing.T) {
	two := suiteOf("a", "b")
	own := []testsched.Origin{{Number: 2, Package: "example.org/x"}}
	for name, x := range map[string]struct {
		args    []string
		all     string
		one     string // the list for a spec
		origins []testsched.Origin
		units   string // separated by blanks
		others  int
		divided bool
	}{
		"concurrent":  {nil, two, suiteOf("a"), own, "T/S_a T/S_b", 0, true},
		"sequential":  {nil, two, suiteOf("a"), nil, "", 2, true},
		"selected":    {[]string{"-test.run=^T$/^S_b$"}, two, suiteOf("b"), nil, "T/S_b", 0, true},
		"other flags": {nil, two, two, own, "", 0, false},
		"no suite":    {nil, "", "", own, "", 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			var runs []string
			list := func(only string) string {
				if only == "" {
					return x.all
				}
				return x.one
			}
			s := &Settings{}
			s.binary.Args = x.args
			c := &Config{Unit: testsched.Unit{Package: "p", Test: "T"}}
			v := divideSuite(s, c, &toySuite{runs: &runs, specs: list, origins: x.origins}, &testsched.Outcome{})
			if v == nil {
				v = &division{}
			}
			if got := strings.Join(v.units, " "); v.suite != x.divided || got != x.units || v.others != x.others || v.failed != nil {
				t.Errorf("got %+v", v)
			}
		})
	}
}

// Each spec is explored and reported like a subtest.
func TestDivision_Specs(t *testing.T) {
	t.Chdir(t.TempDir())
	s := &Settings{summary: map[string]*summary.Test{}, Options: Options{Summaries: t.TempDir()}, fresh: func(*Config, execution) *testsched.Outcome { return nil }}
	s.Config = Config{Schedules: 2}
	var runs []string
	suite := &toySuite{runs: &runs, origins: []testsched.Origin{{Number: 2}}, specs: func(only string) string {
		if only != "" {
			return suiteOf("a")
		}
		return suiteOf("a", "b")
	}}
	report := s.Test(testsched.Unit{Package: "p", Test: "T"}, false, time.Time{}, suite)
	for _, name := range []string{"T/S_a", "T/S_b"} {
		if _, ok := s.summary[name]; !ok || !strings.Contains(report.Note, "macemc: "+name+": ") {
			t.Errorf("%s is missing in %v and %q", name, s.summary, report.Note)
		}
	}
	if _, ok := s.summary["T"]; ok {
		t.Errorf("the suite is explored as one: %v", s.summary)
	}
}

// Specs without concurrency are not explored as one: other goroutines are those of Ginkgo.
func TestDivision_SequentialSpecs(t *testing.T) {
	t.Chdir(t.TempDir())
	s := &Settings{summary: map[string]*summary.Test{}, Options: Options{Summaries: t.TempDir()}, fresh: func(*Config, execution) *testsched.Outcome { return nil }}
	var runs []string
	suite := &toySuite{runs: &runs, specs: func(only string) string {
		if only != "" {
			return suiteOf("a")
		}
		return suiteOf("a", "b")
	}}
	report := s.Test(testsched.Unit{Package: "p", Test: "T"}, false, time.Time{}, suite)
	if want := "macemc: T: 2 other specs without concurrency: 20 schedules, no finding"; report.unexplored() || report.Note != want {
		t.Errorf("got %+v, want %q", report, want)
	}
}

// The specs of a container are explored together if one of them fails alone, and does not in the run of the suite.
func TestDivision_DependentSpecs(t *testing.T) {
	for name, kind := range map[string]testsched.Kind{"suite passes": testsched.Passed, "suite is not explored": testsched.Unexplored} {
		t.Run(name, func(t *testing.T) { checkDependentSpecs(t, kind) })
	}
}

// checkDependentSpecs explores a suite whose second spec needs the first one. whole is the outcome of the suite's first run.
func checkDependentSpecs(t *testing.T, whole testsched.Kind) {
	t.Chdir(t.TempDir())
	s := &Settings{summary: map[string]*summary.Test{}, Options: Options{Summaries: t.TempDir()}, fresh: func(*Config, execution) *testsched.Outcome { return nil }}
	s.Config = Config{Schedules: 2}
	var runs []string
	fails := func(executed []string) *testsched.Outcome {
		if len(executed) == 0 {
			return &testsched.Outcome{Kind: testsched.Failed, Message: "nothing is made"}
		}
		return &testsched.Outcome{Kind: whole}
	}
	suite := &toySuite{runs: &runs, origins: []testsched.Origin{{Number: 2}}, subtests: []testsched.Subtest{leaf("T/S_c_makes"), leaf("T/S_c_uses")},
		outcomes: map[string]func([]string) *testsched.Outcome{"T/S_c_uses": fails}, specs: func(only string) string {
			if only != "" {
				return suiteOf("a")
			}
			return strings.ReplaceAll(suiteOf("makes", "uses"), `{"Leaf`, `{"ContainerHierarchyTexts":["c"],"Leaf`)
		}}
	report := s.Test(testsched.Unit{Package: "p", Test: "T"}, false, time.Time{}, suite)
	if report.Finding != "" || s.summary["T"] != nil || s.summary["T/S_c/..."] == nil || s.summary["T/S_c_makes"] == nil {
		t.Errorf("got %+v, explored %v", report, s.summary)
	}
}
