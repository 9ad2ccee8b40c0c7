package explorer

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/testsched"
	"github.com/macemc/macemc/internal/testsched/program"
)

// suite is a report of Ginkgo about the specs of a suite.
type suite struct {
	SuiteDescription string
	SpecReports      []spec
}

// spec is a spec, or another node of a suite.
type spec struct {
	ContainerHierarchyTexts           []string
	LeafNodeType, LeafNodeText, State string
	IsInOrderedContainer              bool
}

// parseSuite returns the specs of a suite that Ginkgo has listed. It returns nil if there is no list.
func parseSuite(list string) *suite {
	var reports []suite
	if json.Unmarshal([]byte(list), &reports) != nil || len(reports) != 1 {
		return nil
	}
	s := &reports[0]
	s.SpecReports = slices.DeleteFunc(s.SpecReports, func(x spec) bool { return x.LeafNodeType != "It" || x.State != "passed" })
	return s
}

// units returns the names by which the specs are explored. Those of an ordered container are one unit.
func (s *suite) units(test string) (names []string) {
	for i := range s.SpecReports {
		x := &s.SpecReports[i]
		words := append(slices.Clone(x.ContainerHierarchyTexts), x.LeafNodeText)
		if x.IsInOrderedContainer {
			words = s.ordered(x)
		}
		words = slices.DeleteFunc(words, func(w string) bool { return w == "" })
		name := program.Spec(test, s.SuiteDescription+" "+strings.Join(words, " "), x.IsInOrderedContainer)
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// ordered returns the texts of the outermost container of a spec all of whose specs are in ordered containers, and of those around it. The
// list lacks which container is ordered. It is this one, or inside.
func (s *suite) ordered(x *spec) []string {
	texts := x.ContainerHierarchyTexts
	for n := range texts {
		if !slices.ContainsFunc(s.SpecReports, func(y spec) bool {
			return !y.IsInOrderedContainer && len(y.ContainerHierarchyTexts) > n && slices.Equal(y.ContainerHierarchyTexts[:n+1], texts[:n+1])
		}) {
			return slices.Clone(texts[:n+1])
		}
	}
	return slices.Clone(texts)
}

// divideSuite returns the division of a suite of specs after its first run. The result is nil if the test is not a suite, or if its flags
// do not select specs.
func divideSuite(s *Settings, c *Config, d testsched.Divisible, o *testsched.Outcome) *division {
	all := parseSuite(d.Specs())
	if all == nil {
		return nil
	}
	v := &division{suite: true, passed: map[string]bool{}}
	selected := program.ParseFlags("", s.binary.Args)
	units := all.units(c.Test)
	names := slices.DeleteFunc(slices.Clone(units), func(name string) bool { return !selected.Selects(name) })
	for i, name := range names {
		if program.CheckTest(name) != nil {
			v.whole = true
			continue
		}
		part := d.Part(name).(testsched.Divisible)
		if i == 0 && len(names) > 1 {
			if one := parseSuite(part.Specs()); one == nil || len(one.SpecReports) == len(all.SpecReports) {
				return nil
			}
		}
		v.passed[name] = o.Kind == testsched.Passed
		first := c.draw(0, 0)
		if first.Showing = testsched.Aside; len(names) == len(units) && ofGinkgo(part.Run(first, true)) {
			v.others++
		} else {
			v.units = append(v.units, name)
		}
	}
	v.failed = !slices.Contains([]testsched.Kind{testsched.Passed, testsched.Unexplored, testsched.NoEnd}, o.Kind)
	return v
}

// ofGinkgo reports whether a traced run of a spec has passed, and has only goroutines that Ginkgo has started. The spec then has no
// concurrency.
func ofGinkgo(o *testsched.Outcome) bool {
	return o.Kind == testsched.Passed && !o.Outside && !slices.ContainsFunc(o.Origins, func(g testsched.Origin) bool {
		return !g.Test && !strings.HasPrefix(g.Package, "github.com/onsi/ginkgo/")
	})
}
