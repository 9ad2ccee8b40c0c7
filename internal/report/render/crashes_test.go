package render_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/report/render"
	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// The report names omitted crashes, whether their omission is proven to change nothing, and which crashes matter.
func TestCrashes(t *testing.T) {
	r := nothingFound()
	r.Strategy, r.Coverage.Complete = "bfs", true
	expect := func(wanted bool, parts ...string) {
		t.Helper()
		contains(t, flat(printed(t, render.Terminal, r))+string(printed(t, render.JUnit, r)), wanted, parts...)
	}
	const outcome = ", or omitted because it cannot change the verdict"
	expect(false, "crashes of", "crash_model", "crash_cut", "crash cut", "inside steps", outcome)

	r.CrashCut = "none"
	expect(true, "everything that can happen within the limits of nodes, actions and faults, except crashes inside steps", "crash cut none: nodes crashed and halted between steps only",
		`<property name="crash_cut" value="none">`)
	if !strings.Contains(string(printed(t, render.JSON, r)), `"crash_cut": "none"`) {
		t.Error("JSON does not say the crash cut")
	}
	r.CrashCut = "subset"
	expect(true, "crash cut subset: a crash or halt inside a step lost any subset of its datagrams", `<property name="crash_cut" value="subset">`)
	expect(false, "except crashes inside steps")
	r.CrashCut = ""

	r.Coverage.Crashes = &stats.Crashes{Model: options.CrashAuto, Implicit: []sim.NodeID{0, 2}, Proven: true, CrashSensitive: []options.CrashSensitive{{Node: 1, Why: "n1 boots"}}}
	expect(true, outcome, "crashes of n0, n2 were omitted: proven, from all known steps, not to change the verdict", "crashes of n1 matter: n1 boots",
		`<property name="crash_model" value="auto">`, `<property name="crashes_left_out" value="n0, n2">`, `<property name="crashes_left_out_proven" value="true">`,
		`<property name="crashes_matter" value="n1: n1 boots">`)
	var doc struct {
		Coverage struct {
			Crashes struct {
				Model    string
				Implicit []int
				Proven   bool
				Opaque   []struct{ Why string }
			}
		}
	}
	if err := json.Unmarshal(printed(t, render.JSON, r), &doc); err != nil {
		t.Fatal(err)
	}
	if c := doc.Coverage.Crashes; c.Model != "auto" || len(c.Implicit) != 2 || !c.Proven || c.Opaque[0].Why != "n1 boots" {
		t.Errorf("got %+v, want the proven model auto, with 2 implicit nodes, and n1 boots", c)
	}

	r.Coverage.Crashes = &stats.Crashes{Model: options.CrashAuto, Why: "streams"}
	expect(true, "no crashes can be omitted: streams", `<property name="no_crashes_left_out_because" value="streams">`)
	expect(false, outcome, "crashes of")

	r.Verdict, r.Stopped, r.Coverage.Complete = search.Inconclusive, stats.StoppedCrashes, false
	r.Coverage.Crashes = &stats.Crashes{Model: options.CrashImplicit, Implicit: []sim.NodeID{0, 1}, CrashSensitive: []options.CrashSensitive{{Node: 1, Why: "n1 boots"}}}
	expect(true, "INCONCLUSIVE", "omitted crashes may change the verdict", "crashes of n0, n1 were omitted: NOT proven to leave the verdict unchanged",
		"crashes of n1 matter: n1 boots", `<property name="crashes_left_out_proven" value="false">`)
	expect(false, outcome)
}
