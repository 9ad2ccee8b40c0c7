package explorer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/macemc/macemc/internal/agents"
	"github.com/macemc/macemc/internal/testbudget"
	"github.com/macemc/macemc/internal/testflags"
	"github.com/macemc/macemc/internal/testsched"
	"github.com/macemc/macemc/internal/testsched/program"
)

// division is a test whose subtests are explored one by one, as go test -run TEST/SUBTEST executes them.
type division struct {
	units  []string           // subtests without others below them, or a common parent of parallel ones
	suite  bool               // units are specs of Ginkgo instead, which do not need others
	around map[string]string  // names of the containers of specs and containers
	passed map[string]bool    // subtests that passed in a run of the whole test, or specs if that has not failed
	failed *testsched.Outcome // that run failed when all had ended; nil means that it did not
	whole  bool               // the whole test is explored, too
	end    string             // subtest in which runs of the whole test end
	rest   Result             // of runs of the other subtests, which have no concurrency
	others int                // number of these
}

// divided ends the exploration of a test whose subtests are explored.
var divided = &testsched.Outcome{Kind: testsched.Unexplored}

// dividing explores a test, as one or by its subtests. Known findings of the whole test may occur in its subtests, so that it is explored
// as one.
func dividing(s *Settings, c *Config, d testsched.Runner) *Report {
	var v *division
	report := explored(s, c, d, func(sch *testsched.Schedule, o *testsched.Outcome) *testsched.Outcome {
		if sch.Showing != testsched.Muted {
			v = divide(s, c, d, sch, o)
		}
		if v == nil {
			return nil
		}
		return divided
	})
	if v == nil {
		return report
	}
	return v.explore(s, c, d)
}

// maxLeftOut is the maximum number of subtests that a division leaves out of runs to discover those that follow.
const maxLeftOut = 100

// divide returns the division of a test after its first run. The result is nil if the test is explored as one.
func divide(s *Settings, c *Config, d testsched.Runner, sch *testsched.Schedule, o *testsched.Outcome) *division {
	var without []string
	v := divideSuite(s, c, d, o)
	if v == nil {
		v = &division{passed: map[string]bool{}}
		without = v.discover(c, d, sch, o)
	}
	few := (without == nil || v.others == 0) && !strings.Contains(s.flags.Run, "/")
	apart := v.suite && v.others > 0
	if n := len(v.units); !apart && (n == 0 || n == 1 && (v.units[0] == c.Test || few)) {
		v = nil
	} else if v.others > 0 {
		v.draw(c, d)
	}
	if without != nil || v != nil {
		d.Select("", nil, false)
	}
	return v
}

// discover adds the subtests of a test after its first run. While a run ends in a subtest, it is repeated without that one, to discover the
// others. It returns the subtests that were left out.
func (v *division) discover(c *Config, d testsched.Runner, sch *testsched.Schedule, o *testsched.Outcome) (without []string) {
	for {
		list := d.Subtests()
		v.add(c.Test, list)
		if o.Kind == testsched.Passed {
			return without
		}
		at := unended(c.Test, list)
		stays := slices.Contains(without, at) // it cannot be left out
		if at != "" && o.Kind == testsched.NoEnd && !o.Spins && o.Advances == 0 {
			without = v.long(list, o, without)
		}
		if at == "" && slices.Contains([]testsched.Kind{testsched.Failed, testsched.Leak, testsched.Race}, o.Kind) {
			v.failed = o
			return without
		}
		if at == "" || at == c.Test || stays || len(without) >= maxLeftOut {
			v.units = nil
			return without
		}
		if !slices.Contains(v.units, at) {
			v.units = append(v.units, at)
		}
		if v.end = cmp.Or(v.end, at); !slices.Contains(without, at) {
			without = append(without, at)
		}
		d.Select("", without, true)
		again := *sch
		o = d.Run(&again, false)
	}
}

// drawnRuns is the number of runs of the subtests without concurrency.
const drawnRuns = 20

// draw executes the subtests without concurrency with other draws. One that fails becomes a unit.
func (v *division) draw(c *Config, d testsched.Runner) {
	start := agents.StartWatch(time.Time{})
	defer func() { v.rest.Elapsed = time.Since(start.Start) }()
	d.Select("", v.units, false)
	runs := drawnRuns
	if c.Schedules > 0 {
		runs = min(runs, c.Schedules)
	}
	for v.rest.Schedules = 1; v.rest.Schedules < runs && !v.rest.over(c, start, 1); v.rest.Schedules++ {
		sch := c.draw(v.rest.Schedules, 0)
		sch.Showing = testsched.Muted
		if o := d.Run(sch, false); o.Kind == testsched.Passed {
			continue
		}
		n := len(v.units)
		for _, l := range d.Subtests() {
			if l.Leaf && (l.Failed || !l.Ended) && testflags.CheckTest(l.Name) == nil {
				v.units = append(v.units, l.Name)
			}
		}
		if v.others -= len(v.units) - n; n == len(v.units) || v.others <= 0 {
			v.whole = v.whole || n == len(v.units)
			return
		}
		d.Select("", v.units, false)
	}
}

// long adds the subtests to a list that took many of the points of a run that exceeded its limit of points. Others would end further runs.
func (v *division) long(list []testsched.Subtest, o *testsched.Outcome, without []string) []string {
	for _, l := range list {
		if l.Leaf && !l.Parallel && l.Points > o.Points/20 && testflags.CheckTest(l.Name) == nil && !slices.Contains(without, l.Name) {
			without = append(without, l.Name)
			v.end = cmp.Or(v.end, l.Name)
		}
	}
	return without
}

// add adds the subtests of a run of the whole test. Parallel ones overlap, so that their parent is explored.
func (v *division) add(test string, list []testsched.Subtest) {
	others := 0
	defer func() { v.others = others }()
	for _, l := range list {
		if l.Ended && !l.Failed {
			v.passed[l.Name] = true
		}
		if l.Sequential() {
			others++
		}
		if !l.Leaf || l.Sequential() {
			continue
		}
		for l.Parallel && l.Parent >= 0 {
			l = list[l.Parent]
		}
		if l.Parallel || testflags.CheckTest(l.Name) != nil {
			l.Name = test
		}
		if !slices.Contains(v.units, l.Name) {
			v.units = append(v.units, l.Name)
		}
	}
}

// unended returns the innermost subtest in which a run has ended, or the parent of parallel ones. An empty string means that all have ended.
func unended(test string, list []testsched.Subtest) (name string) {
	for _, l := range list {
		switch {
		case l.Ended:
		case !l.Parallel:
			name = l.Name
		case name == "" && l.Parent < 0:
			name = test
		case name == "":
			name = list[l.Parent].Name
		}
	}
	if testflags.CheckTest(name) != nil && name != "" {
		return test
	}
	return name
}

// assumption ends the findings of specs of a suite whose first run does not fail.
const assumption = "executed alone, as -ginkgo.focus executes it; the whole suite does not fail in the default order\n"

// dependence is the reason for which a subtest that needs others is not explored.
const dependence = "it fails without other subtests of the test"

// explore explores the units of the division, and the whole test if that is necessary.
func (v *division) explore(s *Settings, c *Config, d testsched.Runner) *Report {
	all := &Report{}
	s.limits.divide(c, max(1, len(v.units)))
	start, limit := agents.StartWatch(time.Time{}), c.Time*time.Duration(len(v.units))*5/4 // a unit ends late, after its last schedules
	for i := 0; i < len(v.units); i++ {
		name := v.units[i]
		if name == c.Test {
			v.whole = true
			continue
		}
		u := *c
		u.Test = name
		if c.Time > 0 && start.Over(limit) {
			u.Time = max(time.Millisecond, c.Time/10)
			s.limits.share = testbudget.Share{Time: u.Time, Full: c.Time, By: "-explore-time"}
		}
		part := d.Part(name)
		dependent := false
		report := explored(s, &u, part, func(_ *testsched.Schedule, o *testsched.Outcome) *testsched.Outcome {
			if dependent = v.dependent(name, part, o); dependent {
				return &testsched.Outcome{Kind: testsched.Unexplored, Message: dependence}
			}
			return nil
		})
		switch {
		case dependent:
			v.widen(name)
		case report.unexplored():
			all.Rest = append(all.Rest, name)
		default:
			if report.Finding != "" && v.suite && v.passed[name] {
				report.Finding += assumption
			}
			all.add(name, report)
		}
	}
	if !v.exploreWhole(s, c, d, all) || len(v.units) > 0 && len(all.Rest) == len(v.units) {
		return nil
	}
	if v.others > 0 && !v.whole {
		what := "subtest"
		if v.suite {
			what = "spec"
		}
		s.summarize(c.Unit, &v.rest, "")
		all.add(c.Test, noteReport(fmt.Sprintf("macemc: %s without concurrency: %s, no finding",
			program.Plural(v.others, "other "+what, "other "+what+"s"), program.Plural(v.rest.Schedules, "schedule", "schedules"))))
	}
	return all
}

// exploreWhole explores the whole test if that is necessary, after its units. It returns false if the test is to be executed without
// exploration, with the subtests that need others.
func (v *division) exploreWhole(s *Settings, c *Config, d testsched.Runner, all *Report) bool {
	switch {
	case !v.whole && (v.failed == nil || all.Finding != ""):
	case v.end != "":
		v.whole = true
		s.summarize(c.Unit, &Result{}, "not explored: as a whole, because its runs end in "+v.end)
	default:
		report := explored(s, c, d, v.again)
		if report.unexplored() {
			return all.Finding != "" || v.failed != nil
		}
		all.add(c.Test, report)
	}
	return true
}

// again returns the outcome of the run of the whole test that failed, if its repetition passes. What it depends on may have changed
// meanwhile, so that a new process executes it.
func (v *division) again(_ *testsched.Schedule, o *testsched.Outcome) *testsched.Outcome {
	if o.Kind == testsched.Passed {
		return v.failed
	}
	return nil
}

// dependent reports whether the first run of a unit shows that it depends on other subtests: it is missing, or fails, although it has passed
// with the others.
func (v *division) dependent(name string, part testsched.Runner, o *testsched.Outcome) bool {
	executed := v.suite || slices.ContainsFunc(part.Subtests(), func(l testsched.Subtest) bool { return l.Name == name })
	switch o.Kind {
	case testsched.Unexplored:
		return false
	case testsched.Passed, testsched.Leak, testsched.Race:
		return !executed
	}
	return !executed || v.passed[name]
}

// add adds the report of a unit.
func (r *Report) add(name string, unit *Report) {
	named := func(text string) string {
		if rest, ok := strings.CutPrefix(text, "macemc: "); ok {
			return "macemc: " + name + ": " + rest
		}
		return text
	}
	if unit.Finding != "" {
		r.Failing = append(r.Failing, name)
	}
	r.Finding += named(unit.Finding)
	r.Known += named(unit.Known)
	if unit.Note != "" {
		r.Note = strings.TrimPrefix(r.Note+"\n"+named(unit.Note), "\n")
	}
}
