package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

const (
	assertionsHold = "assertions hold"
	noDeadlock     = "no deadlock"
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
		{sim.Safety, assertionsHold},
		{sim.Panic, "handlers do not panic"},
		{sim.Divergence, "handlers return"},
		{sim.Deadlock, noDeadlock},
		{sim.Nondeterminism, "handlers are deterministic"},
	}
}

// junitCases makes the test cases of a report.
type junitCases struct {
	r        *Report
	findings []*Report
	found    []bool   // by finding: it has a case
	unable   string   // why what was not violated is not said to hold, either; "": it is
	ended    string   // and how the search ended then
	left     []string // cases of what was left out
	live     bool     // an Eventually property is checked
	list     []junitCase
}

// newJUnitCases returns the cases of a report, none of which is made yet.
func newJUnitCases(r *Report, properties []sim.Property) *junitCases {
	c := &junitCases{r: r, findings: r.Findings, ended: "the search was interrupted"}
	if c.findings == nil {
		c.findings = []*Report{r}
	}
	c.found = make([]bool, len(c.findings))
	switch r.Verdict {
	case search.Inconclusive:
		c.unable, c.ended = "the search is inconclusive", "the search ended before a verdict"
	case search.Interrupted:
		c.unable = c.ended
	case search.OutOfResource:
		c.unable, c.ended = "the search ran out of resources", "the search ran out of resources"+r.ended()
	}
	if r.Suspect != nil {
		c.ended = r.Suspect.line()
	}
	c.left = slices.Clone(r.Coverage.NotChecked)
	if slices.Contains(c.left, sim.AssertionProperty) {
		c.left = append(c.left, assertionsHold)
	}
	c.live = slices.ContainsFunc(properties, func(p sim.Property) bool { return p.Eventually != nil && !slices.Contains(c.left, p.Name) })
	return c
}

// junitCasesOf are all cases; text is the report for people.
func junitCasesOf(r *Report, properties []sim.Property, text string) ([]junitCase, error) {
	c := newJUnitCases(r, properties)
	if err := c.properties(properties); err != nil {
		return nil, err
	}
	c.abstractions()
	if err := c.others(); err != nil {
		return nil, err
	}
	if c.unable != "" {
		of := c.named("the search is conclusive")
		of.Time = junitTime(r.Seconds)
		of.Error = &junitProblem{Type: string(r.Verdict), Message: cmp.Or(r.Message, c.ended), Text: text}
		c.list = append(c.list, of)
	}
	return c.list, nil
}

func (c *junitCases) named(name string) junitCase {
	return junitCase{Class: "macemc." + c.r.System, Name: name, Time: junitTime(0)}
}

// properties adds the cases of properties.
func (c *junitCases) properties(properties []sim.Property) error {
	seen := map[string]int{}
	for _, p := range c.r.Coverage.Sometimes {
		seen[p.Property] = p.Runs
	}
	for i := range properties {
		p := &properties[i]
		if seen[p.Name] > 0 && c.unable != "" {
			c.list = append(c.list, c.named(p.Name)) // this much it can tell
			continue
		}
		if err := c.add(p.Name, p.Eventually != nil, func(f *Report) bool { return f.Kind != sim.Deadlock && f.Property == p.Name }); err != nil {
			return err
		}
		if last := &c.list[len(c.list)-1]; p.Sometimes != nil && seen[p.Name] == 0 && last.Skipped == nil {
			last.Skipped = &junitProblem{Message: "never held in any state that was searched"}
			if c.r.Cluster != "" {
				last.Skipped.Message = "not collected by the workers at " + c.r.Cluster
			}
		}
	}
	for _, name := range c.r.Coverage.NotChecked {
		listed := name == sim.AssertionProperty || slices.Contains(c.r.Monitors, name) || slices.ContainsFunc(properties, func(p sim.Property) bool { return p.Name == name })
		if listed {
			continue
		}
		if err := c.add(name, false, func(*Report) bool { return false }); err != nil {
			return err
		}
	}
	return nil
}

// abstractions adds the cases of what abstractions assume.
func (c *junitCases) abstractions() {
	for i := range c.r.Coverage.Assumed {
		a := &c.r.Coverage.Assumed[i]
		of := c.named("abstraction: " + a.Name)
		switch {
		case a.Wrong():
			of.Failure = &junitProblem{Type: "abstraction", Message: a.line(), Text: textfmt.Printable(a.line())}
		case a.Verdict != "no difference":
			of.Skipped = &junitProblem{Message: a.line()}
		}
		c.list = append(c.list, of)
	}
}

// others adds the cases of monitors, of what is checked besides, and of what was found and has none yet.
func (c *junitCases) others() error {
	for _, name := range c.r.Monitors {
		if err := c.add(name, false, func(f *Report) bool {
			return (f.Kind == sim.Safety || f.Kind == sim.Starvation) && f.Property == name
		}); err != nil {
			return err
		}
	}
	for _, other := range otherCases() {
		if err := c.add(other.name, other.kind == sim.Deadlock, func(f *Report) bool {
			return f.Kind == other.kind && (f.Kind != sim.Safety || f.Property == sim.AssertionProperty)
		}); err != nil {
			return err
		}
	}
	for i, f := range c.findings {
		if c.r.Verdict != search.Violation || c.found[i] { // else of a monitor, or "messages are values"
			continue
		}
		if err := c.add(cmp.Or(f.Property, string(f.Kind)), false, func(g *Report) bool { return g == f }); err != nil {
			return err
		}
	}
	return nil
}

// add adds a case for each finding that violated it and has none yet, or one that holds or was skipped.
func (c *junitCases) add(name string, liveness bool, violated func(*Report) bool) error {
	r := c.r
	of := c.named(name)
	failures := 0
	for i, f := range c.findings {
		if r.Verdict != search.Violation || c.found[i] || !violated(f) {
			continue
		}
		c.found[i] = true
		var text strings.Builder
		if err := Terminal(&text, f, Style{}); err != nil {
			return err
		}
		failed := of
		if failures++; failures > 1 { // cases have different names
			failed.Name = fmt.Sprintf("%s (%d)", name, failures)
		}
		failed.Failure = &junitProblem{Type: string(f.Kind), Message: cmp.Or(f.Message, kindNames[f.Kind]), Text: textfmt.Printable(text.String())}
		failed.Time = junitTime(f.Seconds)
		c.list = append(c.list, failed)
	}
	if failures > 0 {
		return nil
	}
	switch {
	case r.Verdict == search.Violation && (r.Findings == nil || r.Ended != ""):
		of.Skipped = &junitProblem{Message: "the search ended with another violation"}
	case r.Verdict != search.OK && r.Verdict != search.Violation:
		of.Skipped = &junitProblem{Message: c.unable}
	default:
		if why := c.unchecked(name, liveness); why != "" {
			of.Skipped = &junitProblem{Message: why}
		} else if limit := r.onlySampled(name); limit != "" {
			of.Out = &junitText{textfmt.Printable(limit)}
		}
	}
	c.list = append(c.list, of)
	return nil
}

// unchecked returns why the search did not check something; the empty string means that it did.
func (c *junitCases) unchecked(name string, liveness bool) string {
	switch r := c.r; {
	case slices.Contains(c.left, name):
		return "not checked: excluded from this search"
	case name == noDeadlock && !c.live:
		return "not checked: deadlocks need a liveness property, and none is checked"
	case r.Coverage.leavesOpen(name):
		return "not judged on infinite fair runs: " + r.Coverage.unjudged()
	case liveness && r.Coverage.Unchecked != "":
		return "not checked: " + r.Coverage.Unchecked
	}
	return ""
}
