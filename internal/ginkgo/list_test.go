package ginkgo

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// listOf returns a list of Ginkgo, of nodes of the suite "S".
func listOf(nodes ...string) string {
	return `[{"SuiteDescription":"S","SpecReports":[` + strings.Join(nodes, ",") + `]}]`
}

// nodeOf returns a spec of such a list. The last of the texts is not that of a container.
func nodeOf(ordered bool, texts ...string) string {
	return fmt.Sprintf(`{"ContainerHierarchyTexts":["%s"],"LeafNodeType":"It","LeafNodeText":"%s","State":"passed","IsInOrderedContainer":%t}`,
		strings.Join(texts[:len(texts)-1], `","`), texts[len(texts)-1], ordered)
}

func TestSuite_Units(t *testing.T) {
	list := listOf(
		`{"LeafNodeType":"BeforeSuite","State":"passed"}`,
		`{"LeafNodeType":"It","LeafNodeText":"pends","State":"pending"}`,
		`{"LeafNodeType":"It","LeafNodeText":"is\tonly_text","State":"passed","IsInOrderedContainer":false}`,
		nodeOf(false, "a", "", "b"), nodeOf(false, "a", "b"),
		nodeOf(true, "a", "list", "begins"), nodeOf(true, "a", "list", "inner", "ends"),
		nodeOf(true, "all", "one", "x"), nodeOf(true, "all", "two", "x"),
	)
	want := []string{"T/S_is_only_text", "T/S_a_b", "T/S_a_list/...", "T/S_all/..."}
	got := Parse(list).Units("T")
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	around := Parse(list).Containers("T")
	for inner, want := range map[string]string{"T/S_is_only_text": "", "T/S_a_b": "T/S_a/...", "T/S_a_list_inner_ends": "T/S_a_list_inner/...",
		"T/S_a_list_inner/...": "T/S_a_list/...", "T/S_a_list/...": "T/S_a/...", "T/S_a/...": ""} {
		if got := around[inner]; got != want {
			t.Errorf("%q is in %q, want %q", inner, got, want)
		}
	}
	const old = `{"ContainerHierarchyTexts":["a","b"],"LeafNodeType":"It","LeafNodeText":"c","State":"passed"}`
	if got := Parse(listOf(old, `{"LeafNodeType":"It","LeafNodeText":"d","State":"passed"}`)).Units("T"); !slices.Equal(got,
		[]string{"T/S_a/...", "T/S_d"}) {
		t.Errorf("got %q for an old version", got)
	}
	if Parse("") != nil || Parse("[]") != nil {
		t.Error("a suite without a list")
	}
}
