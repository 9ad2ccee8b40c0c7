package gotest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/internal/explorer"
	"github.com/macemc/macemc/internal/explorer/summary"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/report/document"
	"github.com/macemc/macemc/internal/report/render"
	"github.com/macemc/macemc/internal/task"
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/internal/version"
	"github.com/macemc/macemc/search"
)

// results are the results of packages for the formats for other programs.
type results struct {
	packages []*packageResult
	problems []string
}

// packageResult is what go test and the exploration report about a package.
type packageResult struct {
	pkg     string
	line    string   // of go test; empty means that it ended early
	failing []string // failed tests
	output  *testOutput
	sum     packageSummary
}

// resultFlags returns the names of the flags for formats for other programs.
func resultFlags() (names []string) {
	for _, f := range render.CollectedFormats() {
		names = append(names, f.Name)
	}
	return names
}

// collectedFlags removes the flags of formats for other programs from arguments of go test.
func collectedFlags(args []string) (c task.Collected, rest []string, err error) {
	c, rest = task.Collected{}, args
	for _, f := range render.CollectedFormats() {
		var file string
		var given bool
		if rest, file, given = takeFlag(rest, f.Name); given && file == "" {
			return nil, nil, fmt.Errorf("-%s needs a file, or - for standard output", f.Name)
		}
		if strings.HasPrefix(file, "-") && file != task.StandardOutput || strings.HasSuffix(file, "...") { // a flag or packages
			return nil, nil, fmt.Errorf("-%s needs a file before %s, or - for standard output", f.Name, file)
		}
		if given {
			c[f.Name] = file
		}
	}
	if len(c) == 0 {
		return c, rest, nil
	}
	_, value, asJSON := takeFlag(rest, "json")
	return c, rest, cmp.Or(c.Validate(asJSON && value != "false"), c.Check())
}

// testWithResults runs go test, and writes the results in the formats for other programs. If one of these goes to standard output, the
// output of go test goes to standard error.
func testWithResults(ctx context.Context, a Runner, args []string) error {
	c, args, err := collectedFlags(args)
	if err != nil {
		return err
	}
	stdout := a.Stdout
	if c.Printed() != "" {
		stdout = a.Stderr
	}
	var done *summaries
	a.collect = func(s *summaries) { done = s }
	err = a.goTest(ctx, args, stdout, a.Stderr, explorer.Passing{})
	exit, exited := errors.AsType[task.Exit](err)
	switch {
	case len(c) == 0 || err != nil && !exited:
		return err
	case done == nil:
		return a.StatusError(ctx, int(exit), errors.New("nothing was explored, so there are no results to write"))
	}
	folder, _ := folderFlag(args)
	all := resultsOf(done, int(exit))
	all.Folder = folder
	if e := c.Write(a.Process, all); e != nil {
		return a.StatusError(ctx, int(exit), e)
	}
	return err
}

// resultsOf returns the results after the command ended with a status.
func resultsOf(s *summaries, status int) render.Results {
	all := render.Results{Annotations: render.Annotations{Program: version.Current().String(), Problems: s.results.problems}}
	for _, pkg := range slices.Sorted(maps.Keys(s.failing)) {
		for _, name := range s.failing[pkg] {
			all.Problems = append(all.Problems, name+" fails")
		}
	}
	failed, errored := false, false
	packages := slices.SortedStableFunc(slices.Values(s.results.packages), func(p, q *packageResult) int { return strings.Compare(p.pkg, q.pkg) })
	for _, p := range packages {
		suite := p.suite(s.unscheduled())
		all.Suites = append(all.Suites, suite)
		for i, c := range suite.Cases {
			failed, errored = failed || c.Result == document.Failed, errored || c.Result == document.Errored
			if tests := p.sum.results; i < len(tests) && tests[i].Kind == summary.New {
				all.Findings = append(all.Findings, annotation(tests[i], p.pkg, tests[i].Place))
			} else if c.Result == document.Failed || c.Result == document.Errored {
				all.Problems = append(all.Problems, fmt.Sprintf("%s %s: %s", p.pkg, c.Name, textfmt.FirstLine(c.Message)))
			}
		}
	}
	if !errored {
		all.Suites = append(all.Suites, endedSuites(s.results.problems)...)
	}
	switch {
	case failed:
		all.Verdict = search.Violation
	case status == exitcode.OK && len(all.Problems) == 0:
		all.Verdict = search.OK
	case status > 128:
		all.Verdict = search.Interrupted
	default:
		all.Verdict = search.Inconclusive
	}
	all.Title = fmt.Sprintf("tests of %s: %s; %v", textfmt.Plural(len(packages), "package"), found(len(all.Findings), all.Verdict), s.total)
	if len(all.Findings) > 0 {
		all.Notes = []string{all.Title} // it is shown without findings only
	}
	all.Notes = slices.Concat(all.Notes, s.noteLines(true), []string{s.unscheduled()}, s.known, s.untried())
	for _, p := range packages {
		for _, t := range p.sum.results {
			for _, place := range t.Accepted {
				all.Findings = append(all.Findings, annotation(t, p.pkg, place))
			}
		}
	}
	return all
}

// endedSuites returns a test suite for each reason for which the command ended before all tests.
func endedSuites(causes []string) (list []render.Suite) {
	const name = "macemc test"
	for _, cause := range causes {
		ends := document.Case{Name: "all tests are executed", Result: document.Errored, Type: "error", Message: cause}
		list = append(list, render.Suite{Name: name, Class: name, Cases: []document.Case{ends}})
	}
	return list
}

// found describes the number of findings, and the verdict.
func found(n int, v search.Verdict) string {
	switch {
	case n > 0:
		return textfmt.Plural(n, "new finding")
	case v == search.OK:
		return "no new finding"
	}
	return fmt.Sprintf("no new finding, %s", strings.ToUpper(string(v)))
}

// suite returns the test suite of a package. Its first cases are those of p.tests.
func (p *packageResult) suite(assumed string) render.Suite {
	s := render.Suite{Name: p.pkg, Class: p.pkg, Seconds: p.sum.elapsed.Seconds(), Text: p.sum.String()}
	property := func(name, value string) {
		s.Properties = append(s.Properties, render.Property{Name: name, Value: value})
	}
	property("schedules", fmt.Sprint(p.sum.schedules))
	property("tests", fmt.Sprint(p.sum.tests))
	property("complete", fmt.Sprint(p.sum.complete))
	property("assumed", assumed)
	fails := p.failures()
	for _, t := range p.sum.results {
		c := testCase(t, fails[function(t.Test)])
		if c.Message == plainFailure {
			c.Message, c.Text = p.output.failure(function(t.Test))
		}
		s.Cases = append(s.Cases, c)
		delete(fails, function(t.Test))
		if t.Note != "" && t.Kind != summary.New {
			property("not_covered", t.Test+": "+t.Note)
		}
		if t.Delayed != nil {
			property("not_covered", t.Test+": "+t.Delayed.Text)
		}
		if text := shortNote(t.Short); text != "" {
			property("not_covered", t.Test+": "+text)
		}
		for _, line := range slices.Concat(t.Known, t.Fixed) {
			property("known", t.Test+": "+line)
		}
	}
	for _, t := range p.sum.results {
		accepted := t.Unsought
		if t.Kind != summary.Hidden { // whose case has the known findings
			accepted = slices.Concat(t.Known, t.Unsought)
		}
		for i, line := range accepted {
			name := fmt.Sprintf("%s (known finding %d)", t.Test, i+1)
			s.Cases = append(s.Cases, document.Case{Name: name, Result: document.Skipped, Message: line})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(fails)) {
		c := document.Case{Name: name, Result: document.Failed, Type: "failed test"}
		c.Message, c.Text = p.output.failure(name)
		s.Cases = append(s.Cases, c)
	}
	s.Cases = append(s.Cases, p.problem(s.Cases)...)
	return s
}

// failures returns the names of the failed tests that no finding explains, without those that have failed subtests.
func (p *packageResult) failures() map[string]bool {
	fails := map[string]bool{}
	for _, name := range p.failing {
		below := slices.ContainsFunc(p.failing, func(other string) bool { return strings.HasPrefix(other, name+"/") })
		explained := slices.ContainsFunc(p.sum.results, func(t *summary.Test) bool { return explains(t) && concerns(name, t.Test) })
		if !below && !explained {
			fails[name] = true
		}
	}
	return fails
}

// problem returns a case for a package without a verdict on its tests, or none.
func (p *packageResult) problem(tests []document.Case) (list []document.Case) {
	failed := slices.ContainsFunc(tests, func(c document.Case) bool { return c.Result == document.Failed || c.Result == document.Errored })
	excused := len(p.sum.excused) > 0
	one := func(name string, result document.Result, kind, message string) []document.Case {
		return []document.Case{{Name: name, Result: result, Type: kind, Message: message}}
	}
	switch {
	case strings.HasSuffix(p.line, " failed]"):
		return one("the tests are built", document.Errored, "build", "the tests cannot be built; go test reports why")
	case strings.HasPrefix(p.line, "FAIL") && !failed && !excused:
		return one("the tests end", document.Errored, "error", "the package fails without a failed test; go test reports why")
	case len(tests) == 0 && strings.Contains(p.line, "(cached)"):
		return one("exploration", document.Skipped, "",
			"the cached result has no explored test, or its summary is missing; -count=1 executes the tests again")
	case len(tests) == 0:
		return one("exploration", document.Skipped, "", "no test was explored")
	}
	return nil
}

// testCase returns the test case of a test. fails means that it fails without a finding.
func testCase(t *summary.Test, fails bool) document.Case {
	c := document.Case{Name: t.Test, Seconds: t.Elapsed.Seconds(), Text: t.Text}
	set := func(r document.Result, kind, message string) { c.Result, c.Type, c.Message = r, kind, message }
	switch {
	case t.Kind == summary.New:
		p := cmp.Or(t.Place, &summary.Place{})
		set(document.Failed, p.Kind, cmp.Or(p.Title, "a new finding was stored"))
		c.Text = t.Finding
	case fails:
		set(document.Failed, "failed test", plainFailure)
	case t.Kind == summary.Suspect || strings.HasSuffix(t.Note, summary.Exploring):
		set(document.Errored, "error", t.Note)
	case t.Kind == summary.Damaged:
		set(document.Errored, "error", "a stored schedule cannot be read")
	case t.Kind == summary.Hidden:
		set(document.Skipped, "", "a known finding occurs in every schedule, which hides all others: "+strings.Join(t.Known, "; "))
	case t.Skipped:
		set(document.Skipped, "", "the test skips itself")
	case strings.HasPrefix(t.Note, unexplored):
		set(document.Skipped, "", t.Note)
	}
	return c
}

// explains reports whether the result of the exploration explains that the test fails.
func explains(t *summary.Test) bool {
	return slices.Contains([]string{summary.New, summary.Suspect, summary.Hidden, summary.Damaged}, t.Kind)
}

// annotation returns the finding of a test at its source line.
func annotation(t *summary.Test, pkg string, p *summary.Place) render.Annotation {
	p = cmp.Or(p, &summary.Place{})
	line := fmt.Sprintf("%s of %s: %s", t.Test, pkg, cmp.Or(p.Title, "a new finding"))
	a := render.Annotation{Rule: cmp.Or(p.Kind, "finding"), Title: t.Test, Headline: textfmt.Printable(line), Text: line,
		Look: p.Command, Replay: p.Command}
	if p.File != "" {
		short := replay.NewPlaces().Short(fmt.Sprintf("%s:%d", p.File, p.Line))
		if p.Known != "" {
			a.Accepted = fmt.Sprintf("%s (%s)", p.Known, strings.TrimSuffix(short, ":1"))
		}
		a.Positions = []document.Position{{File: p.File, Line: p.Line, Short: short, Text: p.Text}}
	}
	return a
}
