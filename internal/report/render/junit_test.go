package render_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/report/document"
	"github.com/macemc/macemc/internal/report/render"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// The test suites of several searches have the searches' names, in one document with the total counts. A search
// without a report is an error in it.
func TestMergeJUnit(t *testing.T) {
	var one bytes.Buffer
	lease := report.Report{Settings: report.Settings{System: "lease", Nodes: 2}, Verdict: search.OK, Work: search.Work{Seconds: 1.5}}
	if err := render.JUnit(&one, document.New(&lease, []sim.Property{{Name: "safe"}})); err != nil {
		t.Fatal(err)
	}
	var all bytes.Buffer
	err := render.MergeJUnit(&all,
		[]render.Output{{Name: "a:TestLease", Text: one.Bytes()}, {Name: "b", Problem: "does not <build>"},
			{Name: "c:TestLease", Text: one.Bytes()}})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`<testsuites name="macemc" tests="13" failures="0" errors="1" skipped="2" time="3.000">`,
		`<testsuite name="a:TestLease" tests="6"`, `<testsuite name="c:TestLease"`,
		`<testcase classname="macemc.a:TestLease" name="safe"`, `<testcase classname="macemc.b" name="the search ends with a report"`,
		`message="does not &lt;build&gt;"`,
	} {
		if !strings.Contains(all.String(), want) {
			t.Errorf("%s is missing in\n%s", want, &all)
		}
	}
	if err := render.MergeJUnit(&all, []render.Output{{Name: "d", Text: []byte("<testsuites>")}}); err == nil ||
		!strings.Contains(err.Error(), "JUnit XML of d: ") {
		t.Errorf("%v", err)
	}
}
