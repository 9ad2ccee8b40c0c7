package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/macemc/macemc/replay"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// JUnitMark is in the first lines of all that [JUnit] writes.
const JUnitMark = `<testsuites name="macemc"`

type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Errors   int          `xml:"errors,attr"`
		Skipped  int          `xml:"skipped,attr"`
		Time     string       `xml:"time,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name       string          `xml:"name,attr"`
		Tests      int             `xml:"tests,attr"`
		Failures   int             `xml:"failures,attr"`
		Errors     int             `xml:"errors,attr"`
		Skipped    int             `xml:"skipped,attr"`
		Time       string          `xml:"time,attr"`
		Properties []junitProperty `xml:"properties>property"`
		Cases      []junitCase     `xml:"testcase"`
		Out        junitText       `xml:"system-out"`
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		Time    string        `xml:"time,attr"`
		Failure *junitProblem `xml:"failure"`
		Error   *junitProblem `xml:"error"`
		Skipped *junitProblem `xml:"skipped"`
	}
	junitText struct {
		Text string `xml:",cdata"`
	}
	junitProblem struct {
		Type    string `xml:"type,attr,omitempty"`
		Message string `xml:"message,attr"`
		Text    string `xml:",cdata"`
	}
)

// otherCases are the test cases of what is checked besides properties.
func otherCases() []struct {
	kind sim.FindingKind
	name string
} {
	return []struct {
		kind sim.FindingKind
		name string
	}{
		{sim.Safety, "assertions hold"},
		{sim.Panic, "handlers do not panic"},
		{sim.Divergence, "handlers return"},
		{sim.Deadlock, "no deadlock"},
		{sim.Nondeterminism, "handlers are functions of their state"},
	}
}

// JUnit writes the report as JUnit XML: one test suite for the system, with a test case for each of its
// properties and for each other kind of finding. What was violated fails, with the report for people as
// its text. A search ends with the first violation unless it is told to go on, so the other cases are skipped then, as are Sometimes
// properties that were never seen, and what the search did not check. A search that is inconclusive, ran out of a resource or was
// interrupted, is an error of its own, and can tell nothing of the other cases.
func JUnit(w io.Writer, r *Report, properties []sim.Property) error {
	var text strings.Builder
	if err := Terminal(&text, r, Style{}); err != nil {
		return err
	}
	s := junitSuite{Name: r.name(), Time: junitTime(r.Seconds), Out: junitText{printable(text.String())}, Properties: []junitProperty{
		{"nodes", fmt.Sprint(r.Nodes)}, {"timing", r.Timing}, {"strategy", r.Strategy}, {"seed", fmt.Sprint(r.Seed)},
		{"paths", fmt.Sprint(r.Paths)}, {"states", fmt.Sprint(r.States)}, {"events", fmt.Sprint(r.Events)}, {"stopped", r.Stopped},
		{"complete", fmt.Sprint(r.Coverage.Complete)},
	}}
	if r.CrashCut != "" {
		s.Properties = append(s.Properties, junitProperty{"crash_cut", r.CrashCut})
	}
	for _, what := range r.Coverage.BySample {
		s.Properties = append(s.Properties, junitProperty{"checked_in_a_sample", what})
	}
	if d := r.Coverage.Reduced; d != nil {
		s.Properties = append(s.Properties, junitProperty{"reduced", string(d.Used)}, junitProperty{"states_passed", fmt.Sprint(d.Passed)},
			junitProperty{"chains", fmt.Sprint(d.Chains)}, junitProperty{"reduction_rounds", fmt.Sprint(d.Rounds)})
		if d.Why != "" {
			s.Properties = append(s.Properties, junitProperty{"reduced_less_because", d.Why})
		}
		if d.Permutations > 0 {
			s.Properties = append(s.Properties, junitProperty{"permutations", fmt.Sprint(d.Permutations)})
		}
		if d.Asymmetry != "" {
			s.Properties = append(s.Properties, junitProperty{"no_symmetry_because", printable(d.Asymmetry)})
		}
	}
	if c := r.Coverage.Crashes; c != nil {
		s.Properties = append(s.Properties, junitProperty{"crash_model", string(c.Model)}, junitProperty{"crashes_left_out", replay.ListNodes(c.Implicit)},
			junitProperty{"crashes_left_out_proven", fmt.Sprint(c.Proven)})
		for _, o := range c.Opaque {
			s.Properties = append(s.Properties, junitProperty{"crashes_matter", printable(fmt.Sprintf("n%d: %s", o.Node, o.Why))})
		}
		if c.Why != "" {
			s.Properties = append(s.Properties, junitProperty{"no_crashes_left_out_because", printable(c.Why)})
		}
	}
	if d := r.Coverage.Shortest; d != nil {
		s.Properties = append(s.Properties, junitProperty{"shortest", fmt.Sprint(d.Least)})
		if d.Why != "" {
			s.Properties = append(s.Properties, junitProperty{"shortest_unknown_because", printable(d.Why)})
		}
	}
	if f := r.Coverage.Fair; f != nil {
		judged := "judged"
		if !f.Judged {
			judged = "not judged: " + r.Coverage.unjudged()
		}
		s.Properties = append(s.Properties, junitProperty{"fair_runs", judged})
	}
	for _, d := range r.Coverage.Sampled {
		s.Properties = append(s.Properties, junitProperty{"sampled", fmt.Sprintf("%s: %d alternatives", printable(d.Label), d.Arity)})
	}
	if r.Uncovered != "" {
		s.Properties = append(s.Properties, junitProperty{"not_covered", printable(r.Uncovered)})
	}
	findings := []*Report{r}
	if r.Findings != nil {
		findings = r.Findings
	}
	found := make([]bool, len(findings)) // they have cases
	ended := "the search was interrupted"
	unable := "" // why what was not violated is not said to hold, either
	switch r.Verdict {
	case search.Inconclusive:
		unable, ended = "the search is inconclusive", "the search ended before it could tell"
	case search.Interrupted:
		unable = ended
	case search.OutOfResource:
		unable, ended = "the search ran out of a resource", "the search ran out of a resource"+r.ended()
	}
	add := func(name string, liveness bool, violated func(*Report) bool) error {
		c := junitCase{Class: "macemc." + r.System, Name: name, Time: junitTime(0)}
		failures := 0
		for i, f := range findings {
			if r.Verdict != search.Violation || found[i] || !violated(f) {
				continue
			}
			found[i] = true
			var text strings.Builder
			if err := Terminal(&text, f, Style{}); err != nil {
				return err
			}
			failed := c
			if failures++; failures > 1 { // cases have different names
				failed.Name = fmt.Sprintf("%s (%d)", name, failures)
			}
			failed.Failure = &junitProblem{Type: string(f.Kind), Message: firstOf(f.Message, kindNames[f.Kind]), Text: printable(text.String())}
			failed.Time = junitTime(f.Seconds)
			s.Cases = append(s.Cases, failed)
		}
		if failures > 0 {
			return nil
		}
		switch {
		case r.Verdict == search.Violation && (r.Findings == nil || r.Ended != ""):
			c.Skipped = &junitProblem{Message: "the search ended with a violation of something else"}
		case r.Verdict != search.OK && r.Verdict != search.Violation:
			c.Skipped = &junitProblem{Message: unable}
		case slices.Contains(r.Coverage.NotChecked, name):
			c.Skipped = &junitProblem{Message: "not checked: the search was told to leave it out"}
		case r.Coverage.leavesOpen(name):
			c.Skipped = &junitProblem{Message: "not judged in fair runs without end: " + r.Coverage.unjudged()}
		case liveness && r.Coverage.Unchecked != "":
			c.Skipped = &junitProblem{Message: "not checked: " + r.Coverage.Unchecked}
		}
		s.Cases = append(s.Cases, c)
		return nil
	}
	seen := map[string]int{}
	for _, p := range r.Coverage.Sometimes {
		seen[p.Property] = p.Runs
	}
	for i := range properties {
		p := &properties[i]
		if seen[p.Name] > 0 && unable != "" {
			s.Cases = append(s.Cases, junitCase{Class: "macemc." + r.System, Name: p.Name, Time: junitTime(0)}) // this much it can tell
			continue
		}
		if err := add(p.Name, p.Eventually != nil, func(f *Report) bool { return f.Kind != sim.Deadlock && f.Property == p.Name }); err != nil {
			return err
		}
		if c := &s.Cases[len(s.Cases)-1]; p.Sometimes != nil && seen[p.Name] == 0 && c.Skipped == nil {
			c.Skipped = &junitProblem{Message: "never seen in what was searched"}
			if r.Cluster != "" {
				c.Skipped.Message = "not gathered: the workers at " + r.Cluster + " searched"
			}
		}
	}
	for i := range r.Coverage.Assumed {
		a := &r.Coverage.Assumed[i]
		c := junitCase{Class: "macemc." + r.System, Name: "abstraction: " + a.Name, Time: junitTime(0)}
		switch {
		case a.Wrong():
			c.Failure = &junitProblem{Type: "abstraction", Message: a.line(), Text: printable(a.line())}
		case a.Verdict != "no difference":
			c.Skipped = &junitProblem{Message: a.line()}
		}
		s.Cases = append(s.Cases, c)
	}
	for _, name := range r.Monitors {
		if err := add(name, false, func(f *Report) bool {
			return (f.Kind == sim.Safety || f.Kind == sim.Starvation) && f.Property == name
		}); err != nil {
			return err
		}
	}
	for _, other := range otherCases() {
		if err := add(other.name, other.kind == sim.Deadlock, func(f *Report) bool {
			return f.Kind == other.kind && (f.Kind != sim.Safety || f.Property == sim.AssertionProperty)
		}); err != nil {
			return err
		}
	}
	for i, f := range findings {
		if r.Verdict != search.Violation || found[i] { // else of a monitor, or "messages are values"
			continue
		}
		if err := add(firstOf(f.Property, string(f.Kind)), false, func(g *Report) bool { return g == f }); err != nil {
			return err
		}
	}
	if unable != "" {
		s.Cases = append(s.Cases, junitCase{Class: "macemc." + r.System, Name: "the search is conclusive", Time: junitTime(r.Seconds),
			Error: &junitProblem{Type: string(r.Verdict), Message: firstOf(r.Message, ended), Text: printable(text.String())}})
	}
	for i := range s.Cases {
		s.Tests++
		switch c := &s.Cases[i]; {
		case c.Failure != nil:
			s.Failures++
		case c.Error != nil:
			s.Errors++
		case c.Skipped != nil:
			s.Skipped++
		}
	}
	return writeJUnit(w, []junitSuite{s}, r.Seconds)
}

// JUnitPart is what one of several searches wrote as JUnit XML.
type JUnitPart struct {
	Name    string // of the system
	XML     []byte // nil: nothing, because of Problem
	Problem string
}

// MergeJUnit writes one document with the test suites of several searches, which take the names of their parts. A search that wrote nothing is an error.
func MergeJUnit(w io.Writer, parts []JUnitPart) error {
	var suites []junitSuite
	total := 0.0
	for _, p := range parts {
		if p.XML == nil {
			suites = append(suites, junitSuite{Name: p.Name, Tests: 1, Errors: 1, Time: junitTime(0), Cases: []junitCase{{
				Class: "macemc." + p.Name, Name: "the search ends with a report", Time: junitTime(0),
				Error: &junitProblem{Type: "error", Message: printable(p.Problem)},
			}}})
			continue
		}
		var d junitSuites
		if err := xml.Unmarshal(p.XML, &d); err != nil {
			return fmt.Errorf("JUnit XML of %s: %w", p.Name, err)
		}
		for _, s := range d.Suites {
			s.Name = p.Name
			for i := range s.Cases {
				s.Cases[i].Class = "macemc." + p.Name
			}
			suites = append(suites, s)
		}
		seconds, err := strconv.ParseFloat(d.Time, 64)
		if err != nil {
			return fmt.Errorf("JUnit XML of %s: %w", p.Name, err)
		}
		total += seconds
	}
	return writeJUnit(w, suites, total)
}

func writeJUnit(w io.Writer, suites []junitSuite, seconds float64) error {
	all := junitSuites{Name: "macemc", Time: junitTime(seconds), Suites: suites}
	for _, s := range suites {
		all.Tests, all.Failures, all.Errors, all.Skipped = all.Tests+s.Tests, all.Failures+s.Failures, all.Errors+s.Errors, all.Skipped+s.Skipped
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func junitTime(s float64) string { return fmt.Sprintf("%.3f", s) }
