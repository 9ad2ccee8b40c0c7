package render_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/report/document"
	"github.com/macemc/macemc/internal/report/render"
	"github.com/macemc/macemc/internal/search/stats"
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

// A property that does not hold in the run of another case does not pass beside it, in a search that continues after
// a finding.
func TestJUnit_PropertyFailsInAnotherCase(t *testing.T) {
	var properties []sim.Property
	dead := &replay.Trace{Nodes: 1}
	for _, name := range []string{"lit", "warm", "paid"} {
		properties = append(properties, sim.Property{Name: name, Eventually: sim.Each(func(sim.NodeID, sim.Service) bool { return true })})
		dead.Properties = append(dead.Properties, replay.PropertyState{Name: name, Kind: "eventually"})
	}
	dead.Boot.Failing = []string{"lit", "warm"}
	for _, c := range []struct {
		kind sim.FindingKind
		want string
	}{
		{sim.Deadlock, `lit: does not hold in the run of "no deadlock"; warm: does not hold in the run of "no deadlock"`},
		{sim.Liveness, `warm: does not hold in the run of "lit"`},
	} {
		found := &report.Report{Verdict: search.Violation, Kind: c.kind, Property: "lit", Dead: dead}
		r := report.Report{Settings: report.Settings{System: "lamps", Nodes: 1}, Verdict: search.Violation, Findings: []*report.Report{found}}
		var got []string
		failed := 0
		for _, tc := range document.New(&r, properties).Cases() {
			switch tc.Result {
			case document.Failed:
				failed++
			case document.Skipped:
				got = append(got, tc.Name+": "+tc.Message)
			}
		}
		if text := strings.Join(got, "; "); text != c.want || failed != 1 {
			t.Errorf("%s: %d fail, and skipped are %s, want %s", c.kind, failed, text, c.want)
		}
	}
}

// A search that continued after a finding, and then ended before a verdict, does not pass the other cases.
func TestJUnit_EndsAfterFinding(t *testing.T) {
	found := &report.Report{Verdict: search.Violation, Kind: sim.Safety, Property: "lit"}
	properties := []sim.Property{{Name: "lit", Always: func(*sim.View) bool { return true }}, {Name: "warm", Always: func(*sim.View) bool { return true }}}
	for _, c := range []struct {
		name string
		r    report.Report
		want string
	}{
		{"complete", report.Report{Stopped: stats.StoppedComplete}, ""},
		{"time limit", report.Report{Stopped: stats.StoppedTime}, ""},
		{"interrupted", report.Report{Stopped: stats.StoppedInterrupted}, "the search was interrupted"},
		{"out of memory", report.Report{Stopped: stats.StoppedMemory}, "the search ran out of resources"},
		{"its process died", report.Report{Stopped: stats.StoppedLost}, "the search is inconclusive"},
		{"a suspect is open", report.Report{Stopped: stats.StoppedTime, Undecided: 1}, "the search is inconclusive"},
		{"a shard is missing", report.Report{Stopped: stats.StoppedTime, Missing: []int{2}}, "the search is inconclusive"},
		{"a shard was interrupted", report.Report{Stopped: stats.StoppedTime, Shards: []report.Part{{Verdict: search.Interrupted}}}, "the search is inconclusive"},
	} {
		c.r.Settings, c.r.Verdict, c.r.Findings = report.Settings{System: "lamps", Nodes: 1}, search.Violation, []*report.Report{found}
		cases := document.New(&c.r, properties).Cases()
		for _, of := range cases {
			if of.Name == "warm" && of.Message != c.want || of.Name == "lit" && of.Result != document.Failed || of.Result == document.Errored {
				t.Errorf("%s: %q has result %d and message %q, want %q for \"warm\"", c.name, of.Name, of.Result, of.Message, c.want)
			}
		}
	}
}
