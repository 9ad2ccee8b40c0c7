package render_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/report/render"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// checkSARIF checks the schema's rules for the members of a log: the required ones and their allowed values.
func checkSARIF(text []byte) error {
	var log map[string]any
	if err := json.Unmarshal(text, &log); err != nil {
		return err
	}
	var rules []string
	required := map[string][]string{
		"": {"version", "runs"}, "runs": {"tool"}, "tool": {"driver"}, "driver": {"name"}, "rules": {"id"}, "shortDescription": {"text"},
		"invocations": {"executionSuccessful"}, "toolExecutionNotifications": {"message"}, "results": {"message", "locations"},
		"message": {"text"}, "locations": {"physicalLocation"}, "relatedLocations": {"physicalLocation"},
		"physicalLocation": {"artifactLocation", "region"}, "artifactLocation": {"uri"}, "region": {"startLine"},
	}
	var check func(name string, v any) error
	check = func(name string, v any) error {
		switch v := v.(type) {
		case []any:
			for i, e := range v {
				if err := check(name, e); err != nil {
					return fmt.Errorf("%d: %w", i, err)
				}
			}
		case map[string]any:
			members, known := required[name]
			if !known {
				return fmt.Errorf("%s is unknown", name)
			}
			for _, m := range members {
				if _, ok := v[m]; !ok {
					return fmt.Errorf("%s has no %s", name, m)
				}
			}
			for m, e := range v {
				if err := check(m, e); err != nil {
					return fmt.Errorf("%s: %w", m, err)
				}
			}
			if name == "rules" {
				rules = append(rules, fmt.Sprint(v["id"]))
			}
		case string:
			_, err := url.Parse(v)
			switch {
			case name == "version" && v == "":
				return fmt.Errorf("an empty version")
			case name == "uri" && err != nil:
				return err
			case name == "level" && !slices.Contains([]string{"none", "note", "warning", "error"}, v), name == "text" && v == "":
				return fmt.Errorf("%q is not allowed", v)
			}
		case float64:
			if name == "startLine" && v < 1 || v != float64(int(v)) {
				return fmt.Errorf("%v is not allowed", v)
			}
		}
		return nil
	}
	if err := check("", log); err != nil {
		return err
	}
	if log["version"] != "2.1.0" {
		return fmt.Errorf("version %v", log["version"])
	}
	for _, run := range log["runs"].([]any) {
		for _, result := range run.(map[string]any)["results"].([]any) {
			if id := fmt.Sprint(result.(map[string]any)["ruleId"]); !slices.Contains(rules, id) {
				return fmt.Errorf("there is no rule %s", id)
			}
		}
	}
	return nil
}

// All logs conform to the schema and describe the coverage of a search without findings.
func TestSARIF(t *testing.T) {
	safety := report.Report{Settings: report.Settings{System: "bomb", Nodes: 1}, Verdict: search.Violation, Kind: sim.Safety,
		Property: "not lit", Dead: trace(t, bombs(), "action n0 light")}
	unknown := report.Report{Settings: report.Settings{System: "bomb", Nodes: 1}, Verdict: search.Violation, Kind: sim.Divergence,
		Message: "a\x1bb", PathFile: "out/a b.path"}
	several := report.Report{Settings: report.Settings{System: "bomb"}, Verdict: search.Violation,
		Findings: []*report.Report{&safety, &unknown, &safety}}
	interrupted := nothingFound()
	interrupted.Verdict = search.Interrupted
	panics := report.Report{Settings: report.Settings{System: "bomb"}, Verdict: search.Violation, Kind: sim.Panic, Message: "boom",
		Stack: "goroutine 1 [running]:\npanic(...)\n\t/go/src/runtime/panic.go:1\nexample.com/bomb.(*B).Light(...)\n\t/elsewhere/bomb.go:41 +0x1\n"}
	for _, c := range []struct {
		name    string
		r       *report.Report
		wants   []string
		results int
	}{
		{"safety", &safety, []string{`"uri": "internal/report/render/bomb_test.go"`, `"uriBaseId": "%SRCROOT%"`,
			`"executionSuccessful": true`}, 1},
		{"a path file alone", &unknown, []string{`"uri": "internal/report/render/out/a%20b.path"`, `"startLine": 1`, `a\ufffdb`}, 1},
		{"several", &several, []string{`"id": "safety-violation"`, `"id": "divergence"`, "3 DIFFERENT VIOLATIONS"}, 3},
		{"panic", &panics, []string{`"uri": "file:///elsewhere/bomb.go"`, `"startLine": 41`}, 1},
		{"nothing", nothingFound(), []string{`"level": "note"`, "bounded, NOT a proof", `"rules": []`, `"results": []`}, 0},
		{"interrupted", interrupted, []string{`"level": "error"`, "INTERRUPTED", `"executionSuccessful": false`}, 0},
	} {
		text := printed(t, render.SARIF, c.r)
		if err := checkSARIF(text); err != nil {
			t.Errorf("%s: %v in\n%s", c.name, err, text)
		}
		decoded := strings.ReplaceAll(string(text), "\ufffd", `\ufffd`)
		contains(t, decoded, true, c.wants...)
		if got := strings.Count(string(text), `"ruleId"`); got != c.results {
			t.Errorf("%s: %d results, want %d", c.name, got, c.results)
		}
	}
	for _, bad := range []string{`{"version": "2.1.0"}`, `{"version": "2", "runs": []}`, `{"version": "2.1.0", "runs": [{}]}`,
		`{"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "x"}}, "results": [{"ruleId": "y", "message": {"text": "z"}, "locations": []}]}]}`} {
		if checkSARIF([]byte(bad)) == nil {
			t.Errorf("%s is accepted", bad)
		}
	}
}

// The results of several searches are in one run, and a search without a report is not successful.
func TestSARIF_SeveralSearches(t *testing.T) {
	all := severally(t, "sarif", resultsOf(t, "", pingackReport(t)), render.Missing("b", "does not build"), resultsOf(t, "", pingackReport(t)),
		resultsOf(t, "", nothingFound()))
	if err := checkSARIF([]byte(all)); err != nil {
		t.Errorf("%v in\n%s", err, all)
	}
	for want, times := range map[string]int{`"tool":`: 1, `"ruleId"`: 2, `"id": "liveness-violation"`: 1, `"executionSuccessful": true`: 3,
		`"b: does not build"`: 1, `"level": "error"`: 3} {
		if got := strings.Count(all, want); got != times {
			t.Errorf("%s: %d times, want %d in\n%s", want, got, times, all)
		}
	}
}

// Each position is a line that editors can jump to. Each search without a finding has a line that they cannot.
func TestLines(t *testing.T) {
	several := report.Report{Settings: report.Settings{System: "bomb"}, Verdict: search.Violation,
		Findings: []*report.Report{pingackReport(t), pingackReport(t)}}
	if got, want := string(printed(t, render.Lines, &several)),
		strings.Repeat(string(printed(t, render.Lines, pingackReport(t))), 2); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got, want := string(printed(t, render.Lines, nothingFound())),
		"[macemc] pingack: nothing found in 5.0s elapsed, stopped at the limit of CPU time: bounded, NOT a proof\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	all := severally(t, "lines", resultsOf(t, "a", nothingFound()), render.Missing("b", "does not build\nat all"))
	if want := string(printed(t, render.Lines, nothingFound())) + "[macemc] b: does not build\n"; all != want {
		t.Errorf("got %q, want %q", all, want)
	}
}
