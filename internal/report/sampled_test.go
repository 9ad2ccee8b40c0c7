package report

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// sampledReport is of a search that took few of the alternatives of two choices, and its properties.
func sampledReport(change func(*Report)) (*Report, []sim.Property) {
	properties := []sim.Property{
		{Name: "safe", Always: func(*sim.View) bool { return true }},
		{Name: "live", Eventually: func(*sim.View) bool { return true }},
		{Name: "seen", Sometimes: func(*sim.View) bool { return true }},
		{Name: "left", Always: func(*sim.View) bool { return true }},
	}
	r := shard(1, func(r *Report) {
		r.Monitors = []string{"monitor m"}
		r.Coverage.Sometimes = []search.Sometimes{{Property: "seen", Runs: 1}}
		r.Coverage.NotChecked = []string{"left"}
		r.Coverage.Sampled = choose.Samples{{Label: "key", Arity: 100_000, Taken: 64}, {Label: "schedule", Arity: choose.MaxArity, Taken: 1}}
		change(r)
	})
	r.Shard = nil
	r.NoteSampled(properties)
	return r, properties
}

// What was sampled, how much of it, and which checks rest on that, stands in each format.
func TestSampled_InEachFormat(t *testing.T) {
	r, properties := sampledReport(func(r *Report) { r.Coverage.ExhaustedDepth, r.States = 3, 9 })
	var text, page, object, junit strings.Builder
	for _, err := range []error{Terminal(&text, r, Style{}), Markdown(&page, r), JSON(&object, r), JUnit(&junit, Document{Report: r, Properties: properties})} {
		if err != nil {
			t.Fatal(err)
		}
	}
	const checks = "safe; live; monitor m; assertions hold; handlers do not panic; handlers return; no deadlock; handlers are deterministic"
	flat := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	for _, c := range []struct{ format, got, want string }{
		{"text", text.String(), `SAMPLED, not enumerated: "key": 64 of 100,000 alternatives; the others are not covered`},
		{"text", text.String(), `SAMPLED, not enumerated: "schedule": 1 of arbitrarily many alternatives`},
		{"text", text.String(), "checked only for the sampled alternatives: " + checks},
		{"text", text.String(), "exhaustive to depth 3, 9 states, for the sampled alternatives"},
		{"text", text.String(), "in the first 3 choices of a run, for the sampled alternatives"},
		{"Markdown", page.String(), "checked only for the sampled alternatives: " + checks},
		{"JSON", object.String(), `"sampled": [ { "label": "key", "arity": 100000, "taken": 64 }, { "label": "schedule", "arity": 2147483647, "taken": 1 } ]`},
		{"JSON", object.String(), `"only_sampled": [ "safe", "live", "monitor m",`},
		{"JUnit", junit.String(), `<property name="sampled" value="&#34;key&#34;: 64 of 100,000 alternatives">`},
		{"JUnit", junit.String(), `name="no deadlock" time="0.000"> <system-out><![CDATA[checked only for the sampled alternatives: "key": 64 of 100,000 alternatives; "schedule": 1 of arbitrarily many alternatives]]></system-out>`},
		{"JUnit", junit.String(), `name="seen" time="0.000"></testcase>`},
	} {
		if !strings.Contains(flat(c.got), c.want) {
			t.Errorf("%s has no %q:\n%s", c.format, c.want, c.got)
		}
	}
	r, _ = sampledReport(func(r *Report) { r.Coverage.Unchecked = "liveness properties, deadlocks" })
	if got := strings.Join(r.Coverage.OnlySampled, "; "); strings.Contains(got, "live") || strings.Contains(got, "deadlock") {
		t.Errorf("%s is said to be checked", got)
	}
}

// Shards that were written and read again keep what they have sampled: at least as much as the one that took the most.
func TestSampled_Merged(t *testing.T) {
	var all []*Report
	for i, taken := range []int{5, 64, 7} {
		r, _ := sampledReport(func(r *Report) { r.Coverage.Sampled[0].Taken = taken })
		r.Shard = shard(i+1, nil).Shard
		var text strings.Builder
		if err := JSON(&text, r); err != nil {
			t.Fatal(err)
		}
		read := new(Report)
		if err := json.Unmarshal([]byte(text.String()), read); err != nil {
			t.Fatal(err)
		}
		all = append(all, read)
	}
	m, err := Merge(all)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := Terminal(&text, m, Style{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"key": at least 64 of 100,000 alternatives`, `"schedule": at least 1 of`, "checked only for the sampled alternatives: safe; live"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the merged report has no %q:\n%s", want, text.String())
		}
	}
	if all[0].Coverage.Sampled[0].Taken != 5 {
		t.Error("a report was changed")
	}
}
