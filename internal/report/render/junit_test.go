package render_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"maps"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/report/document"
	"github.com/macemc/macemc/internal/report/render"
	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/internal/test/golden"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// severally renders the results of several searches, passed on as JSON.
func severally(t *testing.T, format string, all ...render.Results) string {
	t.Helper()
	var passed []render.Results
	if text, err := json.Marshal(all); err != nil {
		t.Fatal(err)
	} else if err := json.Unmarshal(text, &passed); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	for _, f := range render.CollectedFormats() {
		if f.Name == format {
			if err := f.Results(&b, passed); err != nil {
				t.Fatal(err)
			}
		}
	}
	return b.String()
}

// resultsOf returns the results of a search. A name is that of one of several searches.
func resultsOf(t *testing.T, name string, r *report.Report, properties ...sim.Property) render.Results {
	t.Helper()
	all, err := render.ResultsOf(document.New(r, properties))
	if err != nil {
		t.Fatal(err)
	}
	if name != "" {
		all.SetName(name)
	}
	return all
}

// The test suites of several searches have the searches' names, in one document with the total counts. A search
// without a report is an error in it.
func TestJUnit_SeveralSearches(t *testing.T) {
	lease := report.Report{Settings: report.Settings{System: "lease", Nodes: 2}, Verdict: search.OK, Work: search.Work{Seconds: 1.5}}
	all := severally(t, "junit", resultsOf(t, "a:TestLease", &lease, sim.Property{Name: "safe"}), render.Missing("b", "does not <build>"),
		resultsOf(t, "c:TestLease", &lease, sim.Property{Name: "safe"}))
	for _, want := range []string{
		`<testsuites name="macemc" tests="13" failures="0" errors="1" skipped="2" time="3.000">`,
		`<testsuite name="a:TestLease" tests="6"`, `<testsuite name="c:TestLease"`,
		`<testcase classname="macemc.a:TestLease" name="safe"`, `<testcase classname="macemc.b" name="the search ends with a report"`,
		`message="does not &lt;build&gt;"`,
	} {
		if !strings.Contains(all, want) {
			t.Errorf("%s is missing in\n%s", want, all)
		}
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

// junitSuites is the part of a JUnit document that tests read.
type junitSuites struct {
	Tests    int `xml:"tests,attr"`
	Failures int `xml:"failures,attr"`
	Errors   int `xml:"errors,attr"`
	Skipped  int `xml:"skipped,attr"`
	Cases    []struct {
		Name    string `xml:"name,attr"`
		Skipped *struct {
			Message string `xml:"message,attr"`
		} `xml:"skipped"`
		Failure *struct {
			Type string `xml:"type,attr"`
			Text string `xml:",chardata"`
		} `xml:"failure"`
	} `xml:"testsuite>testcase"`
}

func parseJUnit(t *testing.T, text []byte) (s junitSuites) {
	t.Helper()
	if err := xml.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestJUnit(t *testing.T) {
	props := []sim.Property{
		{Name: "not lit", Always: func(*sim.View) bool { return true }},
		{Name: "lit thrice", Eventually: func(*sim.View) bool { return true }},
		{Name: "burns", Sometimes: func(*sim.View) bool { return true }},
		{Name: "glows", Sometimes: func(*sim.View) bool { return true }},
	}
	junit := func(r *report.Report) []byte { return printedWith(t, render.JUnit, r, props, document.Style{}) }
	if text := string(junit(nothingFound())); !strings.Contains(text,
		`<property name="checked_in_a_sample" value="When has no side effects">`) {
		t.Errorf("the report does not mention samples:\n%s", text)
	}
	ok := report.Report{Settings: report.Settings{System: "bomb", Nodes: 1, Timing: "AnyOrder", Strategy: "deepening"}, Seed: 1,
		Verdict: search.OK, Work: search.Work{Seconds: 1.5}, Stopped: "time"}
	ok.Coverage.Sometimes = []stats.Sometimes{{Property: "burns", Runs: 3}, {Property: "glows"}}
	golden.Compare(t, "junit-ok.xml", junit(&ok))

	// Readers of counts also see the information in the exit status.
	full := ok
	full.Verdict, full.Stopped = search.OutOfResource, stats.StoppedMemory
	if text := string(junit(&full)); !strings.Contains(text, `errors="1"`) ||
		!strings.Contains(text, "ran out of resources, stopped at the memory limit") {
		t.Errorf("out of memory:\n%s", text)
	}

	lost := ok
	lost.Verdict, lost.Message = search.Inconclusive, "the process is gone"
	golden.Compare(t, "junit-inconclusive.xml", junit(&lost))

	// Without walks, a search of states claims nothing about liveness before it has visited all states.
	bounded := ok
	bounded.Coverage.Unchecked = "liveness properties, deadlocks"
	suite := parseJUnit(t, junit(&bounded))
	skipped := map[string]string{}
	for _, c := range suite.Cases {
		if c.Skipped != nil {
			skipped[c.Name] = c.Skipped.Message
		}
	}
	unchecked := "not checked: liveness properties, deadlocks"
	if want := map[string]string{"lit thrice": unchecked, "no deadlock": unchecked, "glows": "never held in any state that was searched"}; !maps.Equal(skipped, want) || suite.Skipped != 3 {
		t.Errorf("%d are skipped: %q, want %q", suite.Skipped, skipped, want)
	}

	// A monitor without a violation is a case, and an excluded check is skipped.
	chosen := ok
	chosen.Monitors, chosen.Coverage.NotChecked = []string{"monitor votes", "monitor terms"}, []string{"not lit", "lit thrice", "monitor terms", "dim", sim.AssertionProperty}
	var lines []string
	for _, c := range parseJUnit(t, junit(&chosen)).Cases {
		if c.Skipped != nil && strings.Contains(c.Skipped.Message, "not checked") {
			lines = append(lines, c.Name+" skipped")
		} else if strings.HasPrefix(c.Name, "monitor") {
			lines = append(lines, c.Name)
		}
	}
	if got, want := strings.Join(lines, ", "), "not lit skipped, lit thrice skipped, dim skipped, monitor votes, monitor terms skipped, assertions hold skipped, no deadlock skipped"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if text := string(printed(t, render.Terminal, &chosen)); !strings.Contains(text,
		"not checked: not lit; lit thrice; monitor terms; dim; assertion") {
		t.Errorf("the text does not say what was left out:\n%s", text)
	}

	// kind and property -> the case that fails
	for _, c := range []struct {
		kind     sim.FindingKind
		property string
		failing  string
	}{
		{sim.Safety, "not lit", "not lit"}, {sim.Safety, sim.AssertionProperty, "assertions hold"}, {sim.Safety, "messages are values", "messages are values"},
		{sim.Liveness, "lit thrice", "lit thrice"}, {sim.Deadlock, "lit thrice", "no deadlock"}, {sim.Panic, "", "no panic"},
		{sim.Divergence, "", "handlers return"}, {sim.Nondeterminism, "", "handlers are deterministic"},
	} {
		bad := ok
		bad.Verdict, bad.Kind, bad.Property, bad.Message = search.Violation, c.kind, c.property, "a <b> \x1b"
		out := junit(&bad)
		if c.kind == sim.Safety && c.property == "not lit" {
			golden.Compare(t, "junit-safety.xml", out)
		}
		x := parseJUnit(t, out)
		if x.Tests != len(x.Cases) || x.Failures != 1 || x.Errors != 0 || x.Skipped != x.Tests-1 {
			t.Errorf("%+v: %d tests, %d failures, %d errors, %d skipped", c, x.Tests, x.Failures, x.Errors, x.Skipped)
		}
		for _, tc := range x.Cases {
			if failed := tc.Failure != nil; failed != (tc.Name == c.failing) || failed && (tc.Failure.Type != string(c.kind) || !strings.Contains(tc.Failure.Text, "bomb: ")) {
				t.Errorf("%+v: case %q: %+v", c, tc.Name, tc.Failure)
			}
		}
	}
}
