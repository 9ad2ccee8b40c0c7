package check_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/check"
	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/search"
)

// doorsBroken searches a system with several defects, and returns the report and the sorted identities of its findings.
func doorsBroken(t *testing.T, o check.Options) (*report.Report, []string) {
	t.Helper()
	o.KeepGoing, o.Search.System, o.Search.Workers = true, doorSystem("window", "roof", "flood", "kick", "lock"), 2
	if !o.Search.Strategy.Can(search.VisitsStates) {
		o.Search.MaxPaths, o.Search.WalkSteps, o.Search.Walks = 300, 50, 20
	}
	rep, err := check.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, f := range rep.Findings {
		all = append(all, f.Identity)
	}
	slices.Sort(all)
	return rep, all
}

var doorIdentities = []string{
	`door: deadlock of "it turns often" in faultyDoor.lock`, "door: panic in faultyDoor.kick", `door: safety of "it is dry" in faultyDoor.flood`,
	`door: safety of "nobody is in" in faultyDoor.roof`, `door: safety of "nobody is in" in faultyDoor.window`,
}

// The identities of findings depend neither on the seed nor on the strategy.
func TestIdentity_Stable(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	t.Chdir(t.TempDir())
	for _, c := range []search.Config{{Strategy: search.Walk, Seed: 1}, {Strategy: search.Walk, Seed: 2}, {Strategy: search.Deepening, Seed: 3}} {
		if _, got := doorsBroken(t, check.Options{NoShrink: true, Search: c}); !slices.Equal(got, doorIdentities) {
			t.Errorf("%s, seed %d: got %q, want %q", c.Strategy, c.Seed, got, doorIdentities)
		}
	}
}

// Known findings are counted, not shrunk or written, and do not fail the search. Those of the same system that it does not find are named.
func TestBaseline(t *testing.T) {
	t.Chdir(t.TempDir())
	gone := `door: safety of "it is dry" in faultyDoor.leak`
	file := "# accepted\n\n2026-01-02 " + strings.Join(doorIdentities[:3], "\n") + "\n" + gone + "\nother: panic in f\n" + `door: deadlock of "x" in f` + "\n"
	if err := os.WriteFile("known", []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	known, err := report.ReadKnown("known")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprintf("%s|%s|%d|%d", known[0], known[1], known[0].Line, known[5].Line), "2026-01-02 "+doorIdentities[0]+"|"+doorIdentities[1]+"|3|8"; got != want {
		t.Errorf("the list is %s, want %s", got, want)
	}
	rep, got := doorsBroken(t, check.Options{Dir: "out", Known: known, KnownFile: "known", Search: search.Config{Strategy: search.Walk}})
	if !slices.Equal(got, doorIdentities[3:]) || rep.Verdict != search.Violation {
		t.Errorf("%s: new findings are %q, want %q", rep.Verdict, got, doorIdentities[3:])
	}
	var again, absent []string
	for _, k := range rep.Baseline.Known {
		again = append(again, k.Identity)
		if k.Count < 1 || k.Of == nil || k.Of.PathFile != "" {
			t.Errorf("%s: %d times, report %v", k, k.Count, k.Of)
		}
	}
	for _, k := range rep.Baseline.Absent {
		absent = append(absent, k.Identity)
	}
	if slices.Sort(again); !slices.Equal(again, doorIdentities[:3]) {
		t.Errorf("known findings are %q, want %q", again, doorIdentities[:3])
	}
	if want := []string{gone, `door: deadlock of "x" in f`}; !slices.Equal(absent, want) {
		t.Errorf("absent findings are %q, want %q", absent, want)
	}
	if folders, _ := filepath.Glob("out/*"); len(folders) != 2 {
		t.Errorf("folders %q", folders)
	}
}

// A search that finds only known violations has the verdict of its coverage, and every format shows them.
func TestBaseline_OnlyKnown(t *testing.T) {
	t.Chdir(t.TempDir())
	text := "2026-01-02 " + strings.Join(doorIdentities, "\n2026-01-02 ") + "\ndoor: safety of \"it is dry\" in faultyDoor.leak\n"
	if err := os.WriteFile("known", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	known, err := report.ReadKnown("known")
	if err != nil {
		t.Fatal(err)
	}
	sys := doorSystem()
	for _, strategy := range []search.Name{search.Walk, search.Deepening, search.BFS} {
		rep, got := doorsBroken(t, check.Options{Known: known, KnownFile: "known", Search: search.Config{Strategy: strategy}})
		if len(got) > 0 || rep.Verdict != search.OK || exitcode.Of(rep.Verdict, nil) != exitcode.OK || rep.Coverage.Complete || len(rep.Baseline.Known) == 0 {
			t.Errorf("%s: verdict %s, complete %t, new %q, known %v", strategy, rep.Verdict, rep.Coverage.Complete, got, rep.Baseline.Known)
		}
		if strategy != search.Walk {
			continue
		}
		text, _, xml, _ := rendered(t, rep, 0, sys.Properties)
		for _, want := range []string{"door: nothing new found in ", "; 5 known violations\n", "known (first seen 2026-01-02): door: panic in faultyDoor.kick",
			"fixed, or not reached by this search: door: safety of \"it is dry\" in faultyDoor.leak", "\nknown: 0 new, 5 known, 1 fixed or not reached\n"} {
			if !strings.Contains(text, want) {
				t.Errorf("%q is missing in\n%s", want, text)
			}
		}
		if !strings.Contains(xml, `failures="0"`) || strings.Count(xml, `<skipped message="known violation (first seen 2026-01-02)`) < 5 {
			t.Errorf("known findings are not skipped:\n%s", xml)
		}
	}
}
