package render_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/report/document"
	"github.com/macemc/macemc/internal/report/render"
	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// sampledReport returns the report and the properties of a search that took few alternatives of two choices.
func sampledReport(change func(*report.Report)) (*report.Report, []sim.Property) {
	properties := []sim.Property{
		{Name: "safe", Always: func(*sim.View) bool { return true }},
		{Name: "live", Eventually: func(*sim.View) bool { return true }},
		{Name: "seen", Sometimes: func(*sim.View) bool { return true }},
		{Name: "left", Always: func(*sim.View) bool { return true }},
	}
	r := &report.Report{Settings: report.Settings{System: "bank", Nodes: 3, Strategy: "walk"}, Verdict: search.OK, Stopped: stats.StoppedTime,
		Monitors: []string{"monitor m"}}
	r.Coverage.Sometimes = []stats.Sometimes{{Property: "seen", Runs: 1}}
	r.Coverage.NotChecked = []string{"left"}
	r.Coverage.Sampled = choose.Samples{{Label: "key", Arity: 100_000, Taken: 64}, {Label: "schedule", Arity: choose.MaxArity, Taken: 1}}
	change(r)
	document.NoteSampled(r, properties)
	return r, properties
}

// Each format has the sampled choices, the taken alternatives, and the checks that depend on them.
func TestSampled_InEachFormat(t *testing.T) {
	r, properties := sampledReport(func(r *report.Report) { r.Coverage.ExhaustedDepth, r.States = 3, 9 })
	text, page := flat(printed(t, render.Terminal, r)), flat(printed(t, render.Markdown, r))
	object, junit := flat(printed(t, render.JSON, r)), flat(printedWith(t, render.JUnit, r, properties, document.Style{}))
	const checks = "safe; live; monitor m; assertions hold; no panic; handlers return; no deadlock; handlers are deterministic"
	for _, c := range []struct{ format, got, want string }{
		{"text", text, `SAMPLED, not enumerated: "key": 64 of 100,000 alternatives; the others are not covered`},
		{"text", text, `SAMPLED, not enumerated: "schedule": 1 of arbitrarily many alternatives`},
		{"text", text, "checked only for the sampled alternatives: " + checks},
		{"text", text, "exhaustive to depth 3, 9 states, for the sampled alternatives"},
		{"text", text, "in the first 3 choices of a run, for the sampled alternatives"},
		{"Markdown", page, "checked only for the sampled alternatives: " + checks},
		{"JSON", object, `"sampled": [ { "label": "key", "arity": 100000, "taken": 64 }, { "label": "schedule", "arity": 2147483647, "taken": 1 } ]`},
		{"JSON", object, `"only_sampled": [ "safe", "live", "monitor m",`},
		{"JUnit", junit, `<property name="sampled" value="&#34;key&#34;: 64 of 100,000 alternatives">`},
		{"JUnit", junit, `name="no deadlock" time="0.000"> <system-out><![CDATA[checked only for the sampled alternatives: "key": 64 of 100,000 alternatives; "schedule": 1 of arbitrarily many alternatives]]></system-out>`},
		{"JUnit", junit, `name="seen" time="0.000"></testcase>`},
	} {
		if !strings.Contains(c.got, c.want) {
			t.Errorf("%s has no %q:\n%s", c.format, c.want, c.got)
		}
	}
	r, _ = sampledReport(func(r *report.Report) { r.Coverage.Unchecked = "liveness properties, deadlocks" })
	if got := strings.Join(r.Coverage.OnlySampled, "; "); strings.Contains(got, "live") || strings.Contains(got, "deadlock") {
		t.Errorf("%s is said to be checked", got)
	}
}

// Shards that were written and read again keep their samples: at least as many as the largest one.
func TestSampled_Merged(t *testing.T) {
	var all []*report.Report
	for i, taken := range []int{5, 64, 7} {
		r, _ := sampledReport(func(r *report.Report) { r.Coverage.Sampled[0].Taken = taken })
		r.Shard = &report.Shard{Number: i + 1, Of: 3, Seed: 2}
		read := new(report.Report)
		if err := json.Unmarshal(printed(t, render.JSON, r), read); err != nil {
			t.Fatal(err)
		}
		all = append(all, read)
	}
	m, err := report.Merge(all)
	if err != nil {
		t.Fatal(err)
	}
	text := string(printed(t, render.Terminal, m))
	for _, want := range []string{`"key": at least 64 of 100,000 alternatives`, `"schedule": at least 1 of`,
		"checked only for the sampled alternatives: safe; live"} {
		if !strings.Contains(text, want) {
			t.Errorf("the merged report has no %q:\n%s", want, text)
		}
	}
	if all[0].Coverage.Sampled[0].Taken != 5 {
		t.Error("a report was changed")
	}
}
