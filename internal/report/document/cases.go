package document

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

const (
	assertionsHold = "assertions hold"
	noDeadlock     = "no deadlock"
)

// otherCase is the test case for a check other than a property.
type otherCase struct {
	kind sim.FindingKind
	name string
}

func otherCases() []otherCase {
	return []otherCase{
		{sim.Safety, assertionsHold},
		{sim.Panic, "no panic"},
		{sim.Divergence, "handlers return"},
		{sim.Deadlock, noDeadlock},
		{sim.Nondeterminism, "handlers are deterministic"},
	}
}

// Result is the result of a [Case].
type Result int

// Results of test cases.
const (
	Passed Result = iota
	Failed
	Errored
	Skipped
)

// Case is a test case: a property or another check.
type Case struct {
	Name    string
	Seconds float64
	Result  Result
	Type    string // of a failure or an error
	Message string // empty for passed cases
	Text    string // details, unless Of is set
	// Of is the document with the details. Nil means Text.
	Of *Document `json:"-"`
}

// cases builds the test cases of a report.
type cases struct {
	r        *report.Report
	findings []*Document
	found    []bool   // by finding: whether it has a case
	known    []bool   // the same for known findings
	unable   string   // why unviolated properties are not known to hold; an empty string means that they are
	ended    string   // how the search ended in that case
	left     []string // cases excluded from the search
	live     bool     // an Eventually property is checked
	list     []Case
}

// newCases returns the cases of a report, with an empty list.
func newCases(r *report.Report, properties []sim.Property) *cases {
	c := &cases{r: r, ended: "the search was interrupted"}
	verdict := r.Verdict
	if r.Findings != nil && verdict == search.Violation {
		verdict = verdictOnRest(r)
	}
	switch verdict {
	case search.Inconclusive:
		c.unable, c.ended = "the search is inconclusive", "the search ended before a verdict"
	case search.Interrupted:
		c.unable = c.ended
	case search.OutOfResource:
		c.unable, c.ended = "the search ran out of resources", "the search ran out of resources"+ended(r)
	}
	if r.Suspect != nil {
		c.ended = suspectLine(r.Suspect)
	}
	c.left = slices.Clone(r.Coverage.NotChecked)
	if slices.Contains(c.left, sim.AssertionProperty) {
		c.left = append(c.left, assertionsHold)
	}
	c.live = slices.ContainsFunc(properties, func(p sim.Property) bool { return p.Eventually != nil && !slices.Contains(c.left, p.Name) })
	return c
}

// verdictOnRest returns the verdict on what a search that continued after its findings did not find.
func verdictOnRest(r *report.Report) search.Verdict {
	open := []string{stats.StoppedStuck, stats.StoppedCrashes, stats.StoppedLost, stats.StoppedUnresponsive}
	whole := len(r.Missing) == 0 && !slices.ContainsFunc(r.Shards, func(p report.Part) bool {
		return p.Verdict != search.OK && p.Verdict != search.Violation
	})
	return search.Conclude(false, r.Stopped, whole && r.Undecided == 0 && !slices.Contains(open, r.Stopped))
}

// Cases returns a test case for each property and for each other kind of finding. A violated one fails. A search ends
// with the first violation unless it continues, so the other cases are skipped then. Sometimes properties that never
// held are skipped too, and so is everything that the search did not check. An inconclusive, interrupted or
// resource-limited search is an error of its own, and the other cases are unknown.
func (d *Document) Cases() []Case {
	c := newCases(d.Report, d.Properties)
	if c.findings = d.Findings; c.findings == nil {
		c.findings = []*Document{d}
	}
	c.found, c.known = make([]bool, len(c.findings)), make([]bool, len(c.r.Known))
	c.properties(d.Properties)
	c.abstractions()
	c.others()
	if c.unable != "" && c.r.Verdict != search.Violation {
		c.list = append(c.list, Case{Name: "the search is conclusive", Seconds: c.r.Seconds, Result: Errored,
			Type: string(c.r.Verdict), Message: cmp.Or(c.r.Message, c.ended), Of: d})
	}
	return c.list
}

// properties adds the cases of properties.
func (c *cases) properties(properties []sim.Property) {
	seen := map[string]int{}
	for _, p := range c.r.Coverage.Sometimes {
		seen[p.Property] = p.Runs
	}
	for i := range properties {
		p := &properties[i]
		if seen[p.Name] > 0 && c.unable != "" {
			c.list = append(c.list, Case{Name: p.Name}) // this is known
			continue
		}
		c.add(p.Name, p.Eventually != nil, func(f *report.Report) bool { return f.Kind != sim.Deadlock && f.Property == p.Name })
		if last := &c.list[len(c.list)-1]; p.Sometimes != nil && seen[p.Name] == 0 && last.Result != Skipped {
			last.Result, last.Message = Skipped, "never held in any state that was searched"
			if c.r.Cluster != "" {
				last.Message = "not collected by the workers at " + c.r.Cluster
			}
		}
	}
	for _, name := range c.r.Coverage.NotChecked {
		listed := name == sim.AssertionProperty || slices.Contains(c.r.Monitors, name) ||
			slices.ContainsFunc(properties, func(p sim.Property) bool { return p.Name == name })
		if listed {
			continue
		}
		c.add(name, false, func(*report.Report) bool { return false })
	}
}

// abstractions adds the cases of abstractions.
func (c *cases) abstractions() {
	for i := range c.r.Coverage.Assumed {
		a := &c.r.Coverage.Assumed[i]
		of := Case{Name: "abstraction: " + a.Name}
		switch {
		case a.Wrong():
			of.Result, of.Type, of.Message, of.Text = Failed, "abstraction", assumptionLine(*a), assumptionLine(*a)
		case a.Verdict != "no difference":
			of.Result, of.Message = Skipped, assumptionLine(*a)
		}
		c.list = append(c.list, of)
	}
}

// others adds the cases of monitors and of other checks, and those of findings without a case.
func (c *cases) others() {
	for _, name := range c.r.Monitors {
		c.add(name, false, func(f *report.Report) bool {
			return (f.Kind == sim.Safety || f.Kind == sim.Starvation) && f.Property == name
		})
	}
	for _, other := range otherCases() {
		c.add(other.name, other.kind == sim.Deadlock, func(f *report.Report) bool {
			return f.Kind == other.kind && (f.Kind != sim.Safety || f.Property == sim.AssertionProperty)
		})
	}
	for i, d := range c.findings {
		if f := d.Report; c.r.Verdict == search.Violation && !c.found[i] { // of a monitor, or "messages are values"
			c.add(cmp.Or(f.Property, string(f.Kind)), false, func(g *report.Report) bool { return g == f })
		}
	}
	for i := range c.r.Known {
		if k := &c.r.Known[i]; k.Status == report.Recurs && !c.known[i] {
			c.add(cmp.Or(k.Property, string(k.Kind)), false, func(g *report.Report) bool { return g.Kind == k.Kind && g.Property == k.Property })
		}
	}
}

// add adds a case for each finding without one that violated the check. Otherwise it adds a case that holds or is
// skipped.
func (c *cases) add(name string, liveness bool, violated func(*report.Report) bool) {
	r := c.r
	failures := 0
	unique := func() string { // names of cases are unique
		if failures++; failures > 1 {
			return fmt.Sprintf("%s (%d)", name, failures)
		}
		return name
	}
	for i, d := range c.findings {
		f := d.Report
		if r.Verdict != search.Violation || c.found[i] || !violated(f) {
			continue
		}
		c.found[i] = true
		c.list = append(c.list, Case{Name: unique(), Seconds: f.Seconds, Result: Failed, Type: string(f.Kind),
			Message: cmp.Or(f.Message, kindNames[f.Kind]), Of: d})
	}
	for i := range r.Known {
		k := &r.Known[i]
		if k.Status != report.Recurs || c.known[i] || !violated(&report.Report{Kind: k.Kind, Property: k.Property}) {
			continue
		}
		c.known[i] = true
		c.list = append(c.list, Case{Name: unique(), Result: Skipped, Message: KnownLine(r, k)})
	}
	if failures > 0 {
		return
	}
	of := Case{Name: name}
	switch elsewhere := c.failsElsewhere(name); {
	case elsewhere != "":
		of.Message = fmt.Sprintf("does not hold in the run of %q", elsewhere)
	case r.Verdict == search.Violation && (r.Findings == nil || r.Ended != ""):
		of.Message = "the search ended with another violation"
	case c.unable != "":
		of.Message = c.unable
	default:
		if of.Message = c.unchecked(name, liveness); of.Message == "" {
			of.Text = onlySampled(r, name)
		}
	}
	if of.Message != "" {
		of.Result = Skipped
	}
	c.list = append(c.list, of)
}

// failsElsewhere returns the name of another case whose run never satisfies an Eventually property again: a deadlock has
// a case of its own, and a dead run violates all the properties that the text of its finding names. An empty string
// means none.
func (c *cases) failsElsewhere(property string) string {
	for _, d := range c.findings {
		f := d.Report
		if f.Kind != sim.Liveness && f.Kind != sim.Deadlock ||
			!slices.ContainsFunc(neverAgain(f), func(never Fact) bool { return never.Text == property }) {
			continue
		}
		if f.Kind == sim.Deadlock {
			return noDeadlock
		}
		return f.Property
	}
	return ""
}

// unchecked returns why the search did not check something. An empty string means that it did.
func (c *cases) unchecked(name string, liveness bool) string {
	switch r, fair := c.r, c.r.Coverage.Fair; {
	case slices.Contains(c.left, name):
		return "not checked: excluded from this search"
	case name == noDeadlock && !c.live:
		return "not checked: deadlocks need a liveness property, and none is checked"
	case fair != nil && !fair.Judged && slices.Contains(fair.Obligations, name):
		return "not judged on infinite fair runs: " + WhyFairRunsUnjudged(&r.Coverage)
	case liveness && r.Coverage.Unchecked != "":
		return "not checked: " + r.Coverage.Unchecked
	}
	return ""
}

// SampledLines returns, for each sampled choice, how many alternatives were taken.
func SampledLines(r *report.Report) (list []string) {
	for _, d := range r.Coverage.Sampled {
		taken, arity := textfmt.Number(d.Taken), textfmt.Number(d.Arity)
		if d.Taken >= choose.EnumeratedArity || len(r.Shards) > 0 {
			taken = "at least " + taken
		}
		if d.Arity >= choose.MaxArity {
			arity = "arbitrarily many"
		}
		list = append(list, fmt.Sprintf("%q: %s of %s alternatives", d.Label, taken, arity))
	}
	return list
}

// NoteSampled records the checks that cover only the sampled alternatives. It excludes Sometimes properties, which
// hold once they are seen.
func NoteSampled(r *report.Report, properties []sim.Property) {
	if len(r.Coverage.Sampled) == 0 {
		return
	}
	c := newCases(r, properties)
	note := func(name string, liveness bool) {
		if c.unchecked(name, liveness) == "" {
			r.Coverage.OnlySampled = append(r.Coverage.OnlySampled, name)
		}
	}
	for i := range properties {
		if p := &properties[i]; p.Sometimes == nil {
			note(p.Name, p.Eventually != nil)
		}
	}
	for _, name := range r.Monitors {
		note(name, false)
	}
	for _, other := range otherCases() {
		note(other.name, other.kind == sim.Deadlock)
	}
}

// onlySampled describes how sampling limits a check without a finding. An empty string means that it does not.
func onlySampled(r *report.Report, name string) string {
	if !slices.Contains(r.Coverage.OnlySampled, name) {
		return ""
	}
	return "checked only for the sampled alternatives" + prefixed(": ", join(SampledLines(r)...))
}
