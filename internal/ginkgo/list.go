// Package ginkgo reads the lists of specs that suites of Ginkgo write: -ginkgo.json-report with -ginkgo.dry-run.
package ginkgo

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/testsched/program"
)

// Suite is a list of the specs of a suite.
type Suite struct {
	SuiteDescription string
	SpecReports      []Spec
}

// Spec is a spec, or another node of a suite.
type Spec struct {
	ContainerHierarchyTexts           []string
	LeafNodeType, LeafNodeText, State string
	IsInOrderedContainer              *bool // lists of old versions lack it
}

// inOrdered reports whether a spec may be in an ordered container.
func (x *Spec) inOrdered() bool { return x.IsInOrderedContainer == nil || *x.IsInOrderedContainer }

// Parse returns the suite of a list, with the specs that runs execute. It returns nil if the text is not a list.
func Parse(list string) *Suite {
	var suites []Suite
	if json.Unmarshal([]byte(list), &suites) != nil || len(suites) != 1 {
		return nil
	}
	s := &suites[0]
	s.SpecReports = slices.DeleteFunc(s.SpecReports, func(x Spec) bool { return x.LeafNodeType != "It" || x.State != "passed" })
	return s
}

// Units returns the names by which the specs of a test are explored. Those of an ordered container are one unit.
func (s *Suite) Units(test string) (names []string) {
	for i := range s.SpecReports {
		x := &s.SpecReports[i]
		name := s.spec(test, x)
		if x.inOrdered() && len(x.ContainerHierarchyTexts) > 0 {
			name = s.container(test, s.outermost(x))
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// Containers returns the names of the containers directly around specs and containers, by the names of these.
func (s *Suite) Containers(test string) map[string]string {
	around := map[string]string{}
	for i := range s.SpecReports {
		x := &s.SpecReports[i]
		inner := s.spec(test, x)
		for n := len(x.ContainerHierarchyTexts); n > 0; n-- {
			if outer := s.container(test, x.ContainerHierarchyTexts[:n]); outer != inner {
				around[inner], inner = outer, outer
			}
		}
	}
	return around
}

func (s *Suite) spec(test string, x *Spec) string {
	return program.Spec(test, s.text(append(slices.Clone(x.ContainerHierarchyTexts), x.LeafNodeText)), false)
}

func (s *Suite) container(test string, texts []string) string {
	return program.Spec(test, s.text(texts), true)
}

// text returns the text by which flags of Ginkgo select a node with texts.
func (s *Suite) text(texts []string) string {
	words := slices.DeleteFunc(slices.Clone(texts), func(w string) bool { return w == "" })
	return s.SuiteDescription + " " + strings.Join(words, " ")
}

// outermost returns the texts of containers around a spec, down to the first one with only specs in ordered containers. The list does not
// show which container is ordered: it is this one, or one inside.
func (s *Suite) outermost(x *Spec) []string {
	texts := x.ContainerHierarchyTexts
	for n := range texts {
		if !slices.ContainsFunc(s.SpecReports, func(y Spec) bool {
			return !y.inOrdered() && len(y.ContainerHierarchyTexts) > n && slices.Equal(y.ContainerHierarchyTexts[:n+1], texts[:n+1])
		}) {
			return texts[:n+1]
		}
	}
	return texts
}
